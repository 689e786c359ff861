#pragma once

#include <cstdint>
#include <string>
#include <vector>

/// What a store's database shows to people who have nothing of ours: views of its journal. They are
/// the same on every engine, column by column; only how they are spelt differs.
namespace holdfast {

enum class Dialect : std::uint8_t { sqlite, postgres, mariadb };

/// The statements that make them, in order: names for the numbers in the journal, `records`,
/// `holds`, `token_results`, `resources`, and `audit_*`: the invariants as queries, each empty when
/// all is well. They need the tables `journal` and `meta`, and a connection that speaks UTF-8. What
/// they mean does not depend on the settings of the session that makes them or asks them.
[[nodiscard]] std::vector<std::string> view_statements(Dialect dialect);

/// What they are called, in the same order.
[[nodiscard]] std::vector<std::string> view_names();

/// What tells them from those that another version of this program makes.
[[nodiscard]] std::string views_mark(Dialect dialect);

/// The same as one script.
[[nodiscard]] std::string views_sql(Dialect dialect);

}  // namespace holdfast

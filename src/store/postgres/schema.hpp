#pragma once

#include <string>
#include <vector>

/// The SQL of a store in PostgreSQL. `journal` is the database: rows are
/// only ever added, in the order of their numbers. The `state_` tables are what it folds to, kept
/// beside it in the same transactions. Names and tokens are bytes, compared byte for byte.
namespace holdfast::postgres {

/// What makes a store, and what brings one of schema 2 to this one: scripts, in order, each of the
/// two in one transaction.
[[nodiscard]] std::vector<std::string> making();
[[nodiscard]] std::vector<std::string> upgrading();
/// Makes the views again, as this program has them.
[[nodiscard]] std::string replacing_views();

/// What sessions of this program call themselves, for those who look at the server: with the schema
/// they are for. Before schema 3 it was `holdfast`.
[[nodiscard]] std::string session_name();

/// Statements that let a role run the service (`%s` is its name, `%schema` where the tables are),
/// and another only read.
[[nodiscard]] std::vector<std::string> service_grants();
[[nodiscard]] std::vector<std::string> auditor_grants();

}  // namespace holdfast::postgres

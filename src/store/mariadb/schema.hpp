#pragma once

#include <span>
#include <string>
#include <vector>

/// The tables of a store in a database. Names are bytes everywhere: compared as such, never as
/// text. Instants are microseconds since 1970 (UTC).
namespace holdfast::mariadb {

/// The statements that make a store, and those that bring one of schema 2 to this one. There is no
/// transaction around such statements here, so each may find its work done already.
[[nodiscard]] std::vector<std::string> making();
[[nodiscard]] std::vector<std::string> upgrading();
/// Makes the views again, as this program has them.
[[nodiscard]] std::vector<std::string> replacing_views();

/// The tables of a store; `meta` comes first.
[[nodiscard]] std::span<const char* const> table_names();

}  // namespace holdfast::mariadb

#pragma once

#include <span>
#include <string>
#include <vector>

/// The tables of a store in a database. Names are bytes everywhere: compared as such, never as
/// text. Instants are microseconds since 1970 (UTC).
namespace holdfast::mariadb {

/// A step from one version of the schema to the next. There is no transaction around such
/// statements here, so each may find its work done already.
struct Migration {
  int version = 0;  ///< that it leads to
  std::vector<std::string> statements;
};

[[nodiscard]] const std::vector<Migration>& migrations();

/// What the first of them makes; `meta` comes first.
[[nodiscard]] std::span<const char* const> table_names();

}  // namespace holdfast::mariadb

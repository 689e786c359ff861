#pragma once

#include <string>
#include <vector>

/// The SQL of a store in PostgreSQL, as numbered migrations. `journal` is the database: rows are
/// only ever added, in the order of their numbers. The `state_` tables are what it folds to, kept
/// beside it in the same transactions. Names and tokens are bytes, compared byte for byte.
namespace holdfast::postgres {

/// Migration n brings a store from schema n - 1 to n; they run in one transaction.
[[nodiscard]] std::vector<std::string> migrations();

/// Statements that let a role run the service (`%s` is its name, `%schema` where the tables are),
/// and another only read.
[[nodiscard]] std::vector<std::string> service_grants();
[[nodiscard]] std::vector<std::string> auditor_grants();

}  // namespace holdfast::postgres

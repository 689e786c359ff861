#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "store/shared/driver.hpp"

/// Who may do what.
namespace holdfast::mariadb {

/// An account or role, quoted: `name`, `name@host`, `'name'@'host'`.
[[nodiscard]] shared::Expected<std::string> account_sql(std::string_view account);

/// All that the service does, and nothing that would rewrite the journal.
[[nodiscard]] std::vector<std::string> service_grants(std::string_view database,
                                                      const std::string& account);
/// To read everything.
[[nodiscard]] std::string auditor_grant(std::string_view database, const std::string& account);

}  // namespace holdfast::mariadb

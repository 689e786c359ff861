#pragma once

#include <memory>
#include <string>

#include "store/shared/driver.hpp"

namespace holdfast {

/// Stores in MariaDB, and in clusters of it: `mariadb://USER:PASSWORD@HOST:PORT/DATABASE`. Nothing
/// is connected to yet; an address that cannot be one is refused.
[[nodiscard]] tl::expected<std::unique_ptr<shared::Driver>, std::string> make_mariadb_driver(
    const std::string& url);

}  // namespace holdfast

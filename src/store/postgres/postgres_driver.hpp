#pragma once

#include <memory>
#include <string>

#include "store/shared/driver.hpp"

namespace holdfast {

/// PostgreSQL, or what speaks its protocol. The address is libpq's own: a URL with any of its
/// settings, several hosts included. Whoever is not only going to look is connected to a server
/// that takes writes.
[[nodiscard]] tl::expected<std::unique_ptr<shared::Driver>, std::string> make_postgres_driver(
    const std::string& url, bool read_only);

}  // namespace holdfast

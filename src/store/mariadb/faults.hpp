#pragma once

#include <string_view>

#include "store/shared/driver.hpp"

namespace holdfast::mariadb {

/// What an error of the server or of the way to it means, wherever it comes but at a commit.
[[nodiscard]] shared::Trouble trouble_of(unsigned code);

/// What it means when it is the answer to a commit: only a server that says that it took the
/// transaction back is believed.
[[nodiscard]] shared::Trouble trouble_at_commit(unsigned code);

/// With the number, by which it can be looked up.
[[nodiscard]] shared::Fault fault_of(shared::Trouble trouble, unsigned code,
                                     std::string_view message);

}  // namespace holdfast::mariadb

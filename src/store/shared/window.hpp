#pragma once

#include "store/open.hpp"
#include "store/shared/driver.hpp"

namespace holdfast::shared {

/// See `change_store_window`.
[[nodiscard]] StoreResult<WindowChanged> change_window(const Driver& driver, Session& session,
                                                       const WindowOptions& options);

}  // namespace holdfast::shared

#pragma once

#include <memory>

#include "store/open.hpp"
#include "store/shared/driver.hpp"

namespace holdfast::shared {

/// A store in a database that several nodes share. The state is there; a node keeps nothing but
/// recorded outcomes. An empty database becomes a store, unless it is opened only to look.
[[nodiscard]] StoreResult<std::unique_ptr<Store>> open_shared_store(std::unique_ptr<Driver> driver,
                                                                    const StoreOptions& options);

/// Its journal alone, for the audit.
[[nodiscard]] StoreResult<std::unique_ptr<RecordReader>> read_shared_records(
    std::unique_ptr<Driver> driver);

}  // namespace holdfast::shared

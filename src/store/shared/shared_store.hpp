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

/// An error of the port, with the name of the store in front.
[[nodiscard]] StoreError to_error(const Driver& driver, const Fault& fault);

/// What is wrong with a database that has no store in it, one of another version, or half of one,
/// and what to do. Empty: nothing.
[[nodiscard]] std::string objection_to(const Description& found);
/// Refuses such a database.
[[nodiscard]] StoreResult<void> check_version(const Driver& driver, const Description& found);

}  // namespace holdfast::shared

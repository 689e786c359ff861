#pragma once

#include <memory>

#include "holdfast/clock.hpp"
#include "store/store.hpp"

/// The executable reference: what the port means, in ordered maps and as few words as possible.
/// Nothing is kept when it is closed; "durable" means "in the journal". Every other store must be
/// indistinguishable from this one through the port.
namespace holdfast {

[[nodiscard]] std::unique_ptr<Store> open_memory_store(const Rules& rules,
                                                       std::shared_ptr<Clock> clock);

}  // namespace holdfast

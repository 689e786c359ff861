#pragma once

#include <vector>

#include "store/shared/driver.hpp"

/// What was read, as pages of lists. One more was asked for than a page has: if it is there, there
/// is a next page.
namespace holdfast::shared {

[[nodiscard]] HoldDetails details_of(const HoldFound& found, Instant now);
[[nodiscard]] Page<HoldDetails> page_of(const HoldsRead& found, std::size_t limit);
[[nodiscard]] Page<Resource> page_of(std::vector<ResourceRead> found, std::size_t limit);

}  // namespace holdfast::shared

#pragma once

#include <set>
#include <string>

#include "settings/configuration.hpp"

namespace holdfast::http {

/// What contradicts itself although each setting alone is allowed, a line each. Nothing is said of
/// the settings named in `wrong`: a default that stands in for a mistake tells nothing.
[[nodiscard]] Errors contradictions(const Configuration& configuration,
                                    const std::set<std::string>& wrong);

}  // namespace holdfast::http

#pragma once

#include <optional>

#include "domain/request.hpp"
#include "domain/rules.hpp"

namespace holdfast {

/// The first step, for a request of which only the call is known: caller and token are checked, a
/// derived token is made, the parameters are digested. What is refused here consults and records
/// nothing; the answer says why.
[[nodiscard]] std::optional<Answer> admit(Request& request, const Rules& rules);

}  // namespace holdfast

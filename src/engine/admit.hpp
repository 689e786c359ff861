#pragma once

#include <tl/expected.hpp>

#include "domain/request.hpp"
#include "domain/rules.hpp"

namespace holdfast {

/// The first step: caller and token are checked, a derived token is made, the parameters are
/// digested. What is refused here consults and records nothing.
[[nodiscard]] tl::expected<Request, Answer> admit(Call call, const Rules& rules);

}  // namespace holdfast

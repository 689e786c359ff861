#pragma once

#include <string>

#include "domain/request.hpp"
#include "domain/rules.hpp"
#include "holdfast/clock.hpp"

/// Confirmation codes, for operations whose policy requires one. A code is bound to tenant,
/// principal, operation, parameters and token, and says when it expires. It is good for one
/// effect: once the call has run, its token answers for it and the code is not looked at again.
namespace holdfast {

/// What codes are sealed with.
[[nodiscard]] HashKey fresh_secret(Random& random);

[[nodiscard]] std::string confirmation_code(const Request& request, Instant expires,
                                            const Rules& rules);

/// Whether the code that came with the request is genuine and still good.
[[nodiscard]] bool is_confirmed(const Request& request, Instant now, const Rules& rules);

}  // namespace holdfast

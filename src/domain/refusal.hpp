#pragma once

#include <optional>

#include "holdfast/rejections.hpp"

namespace holdfast {

/// Why an operation is refused.
struct Refusal {
  Rejection rejection;
  Reason reason = Reason::none;
};

/// Empty: go ahead.
using Refused = std::optional<Refusal>;

}  // namespace holdfast

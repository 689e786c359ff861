#pragma once

#include "base/short_text.hpp"
#include "holdfast/types.hpp"

namespace holdfast {

/// `HoldId::text`, for whoever only passes it on.
[[nodiscard]] ShortText text_of(const HoldId& id);

}  // namespace holdfast

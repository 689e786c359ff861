#pragma once

#include <string>
#include <string_view>

#include "domain/rows.hpp"

/// How a changed hold stood when an outcome was given. It stands in the detail of that outcome's
/// record, so that a replay can say the same whatever becomes of the hold. Holds that nothing but
/// their end has changed need none: their row and the outcome say it all.
namespace holdfast {

/// `{"hold":{…}}`, for a record about a hold that has changed since it was placed.
[[nodiscard]] std::string picture_of(const HoldRow& hold);

/// Gives a hold the state, the expiry and the quantities of a picture. False if it is none.
[[nodiscard]] bool apply_picture(std::string_view detail, HoldRow& hold);

}  // namespace holdfast

#pragma once

#include "outbound/client.hpp"
#include "settings/settings.hpp"

namespace holdfast::http {

/// How the service calls others, as it is set: providers of effects, and subscribers.
[[nodiscard]] outbound::Options outbound_options(const Settings& settings);

}  // namespace holdfast::http

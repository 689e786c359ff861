#pragma once

#include <optional>

#include "holdfast/client.hpp"

namespace holdfast::client {

/// The reply to a call that cannot be sent, in the engine's words: a name or number that JSON
/// cannot carry, a token that a header cannot. Nothing when it can be sent. Nothing is recorded.
[[nodiscard]] std::optional<Reply> refused_here(const Call& call);

}  // namespace holdfast::client

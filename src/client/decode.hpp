#pragma once

#include <optional>

#include "client/json.hpp"
#include "holdfast/client.hpp"

/// From the bodies that `wire/body.hpp` writes back to what they stand for. Nothing when a body
/// is not one of them: then it is no answer.
namespace holdfast::client {

[[nodiscard]] std::optional<Hold> decode_hold(const Json& json);
[[nodiscard]] std::optional<HoldDetails> decode_hold_details(const Json& json);
[[nodiscard]] std::optional<Resource> decode_resource(const Json& json);
[[nodiscard]] std::optional<Availability> decode_availability(const Json& json);
/// The answer of a dry run.
[[nodiscard]] std::optional<Answer> decode_tried(const Json& json);
[[nodiscard]] std::optional<Group> decode_group(const Json& json);
[[nodiscard]] std::optional<TokenResult> decode_token_result(const Json& json);
[[nodiscard]] std::optional<Page<HoldDetails>> decode_holds(const Json& json);
[[nodiscard]] std::optional<Page<Resource>> decode_resources(const Json& json);

/// The body of an operation that was done. Token, its expiry and whether it is a replay stand
/// elsewhere and are left for the caller to fill in.
[[nodiscard]] std::optional<Answer> decode_done(Operation operation, const Json& json);

/// The body of a refusal by the engine; nothing if it is not one, or the service's own. `hold` is
/// the one the call was about.
[[nodiscard]] std::optional<Answer> decode_rejection(Operation operation, HoldId hold,
                                                     const Json& json);

/// Any refusal with that status. What its body does not say, if it has one, follows from the
/// status.
[[nodiscard]] Trouble decode_trouble(int status, const std::optional<Json>& json);

}  // namespace holdfast::client

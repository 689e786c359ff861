#pragma once

#include <gmock/gmock.h>

#include <ostream>
#include <string>
#include <string_view>

#include "holdfast/types.hpp"

/// Short ways to write calls down and to talk about answers.
namespace holdfast {

/// How these look when a test fails.
void PrintTo(const Answer& answer, std::ostream* out);
void PrintTo(const Hold& hold, std::ostream* out);
void PrintTo(const Resource& resource, std::ostream* out);

}  // namespace holdfast

namespace holdfast::test {

using namespace std::chrono_literals;

/// Where every test begins.
inline constexpr Instant start{std::chrono::sys_days(std::chrono::January / 1 / 2026)};

/// What most tests ask for.
inline const Placing room{
    .resource = "room_307", .requester = "guest_g91", .duration = std::chrono::hours(1)};

[[nodiscard]] Call place(Placing what, std::string token, Caller caller = {});
[[nodiscard]] Call confirm(HoldId id, std::string token, Caller caller = {});
[[nodiscard]] Call release(HoldId id, std::string token, Caller caller = {});
[[nodiscard]] Call expire(HoldId id, std::string token, Caller caller = {});
[[nodiscard]] Call confirm_part(HoldId id, std::int64_t quantity, std::string token,
                                Caller caller = {});
/// The rest is released at once.
[[nodiscard]] Call confirm_finally(HoldId id, std::int64_t quantity, std::string token,
                                   Caller caller = {});
[[nodiscard]] Call extend(HoldId id, Duration duration, std::string token, Caller caller = {});
/// All that is confirmed.
[[nodiscard]] Call cancel(HoldId id, std::string token, Caller caller = {});
[[nodiscard]] Call cancel_part(HoldId id, std::int64_t quantity, std::string token,
                               Caller caller = {});
[[nodiscard]] Call place_group(Grouping what, std::string token, Caller caller = {});
[[nodiscard]] Call confirm_group(GroupId id, std::string token, Caller caller = {});
[[nodiscard]] Call release_group(GroupId id, std::string token, Caller caller = {});
[[nodiscard]] Call extend_group(GroupId id, Duration duration, std::string token,
                                Caller caller = {});
[[nodiscard]] Call declare(std::string resource, std::int64_t capacity, std::string token,
                           Caller caller = {});

/// Everything an answer says, word for word, but whether it is a replay: two answers are the same
/// answer exactly when these texts are equal.
[[nodiscard]] std::string words(const Answer& answer);
[[nodiscard]] std::string words(const Hold& hold);
[[nodiscard]] std::string words(const Resource& resource);
/// Any bytes, readable and still told apart.
[[nodiscard]] std::string visible(std::string_view bytes);

MATCHER(done, negation ? "is refused" : "is done") { return arg.ok(); }

MATCHER_P(refused, rejection, "is refused as " + std::string(name(rejection))) {
  return arg.rejection == rejection;
}

MATCHER_P(invalid, reason, "is invalid: " + std::string(row(reason).text)) {
  return arg.rejection == Rejection::invalid_request && arg.reason == reason;
}

MATCHER(first, "is the first answer, and recorded") { return arg.recorded && !arg.replayed; }

MATCHER_P(replay_of, original, "repeats " + words(original)) {
  return arg.replayed && arg.recorded && words(arg) == words(original);
}

MATCHER_P(in_state, state, "has its hold " + std::string(name(state))) {
  return arg.hold && arg.hold->state == state;
}

MATCHER(token_unused, "leaves its token unused") {
  return !arg.recorded && !arg.replayed && arg.token_action() == TokenAction::reuse;
}

}  // namespace holdfast::test

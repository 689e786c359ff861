#include "client/judge.hpp"

#include <fmt/format.h>

#include "base/time_text.hpp"
#include "client/decode.hpp"
#include "client/token_text.hpp"
#include "domain/operation.hpp"

namespace holdfast::client {
namespace {

bool is_passing(const Trouble& trouble) {
  const int status = trouble.status;
  const bool passing = status >= 500 || status == 408 || status == 429 ||
                       trouble.code == row(Rejection::in_progress).code;
  return passing && trouble.retryable && trouble.token_action == TokenAction::reuse;
}

/// The server says it. Something else that answers, on the way to it, does not: what it refuses at
/// the door it has not passed on, and what it calls a failure it may have.
Effect effect_told_by(const Trouble& trouble) {
  if (trouble.effect) return *trouble.effect;
  if (trouble.code == row(Rejection::in_progress).code) return Effect::unknown;  // an older server
  return trouble.status < 500 ? Effect::none : Effect::unknown;
}

Instant expiry_of(std::string_view text) {
  if (text == "never") return never;
  return parse_rfc3339(text).value_or(Instant{});
}

}  // namespace

Told told_by(const Response& response, const Document& body, const Clock& clock) {
  Told told{.status = response.status,
            .body = body.root(),
            .replayed = response.replayed == "true",
            .token = response.token,
            .token_expires = response.token_expires,
            .location = response.location,
            .sent_twice = response.sent_twice};
  if (!response.retry_after.empty()) {
    const auto date = parse_http_date(response.date);
    told.asked = parse_retry_after(response.retry_after, date ? *date : clock.now());
  }
  return told;
}

bool is_success(const Told& told) { return told.status >= 200 && told.status < 300; }

Attempt<Answer> judge(const Call& call, const Told& told) {
  const std::string& token = call.token.bytes();
  const auto echoed = from_key(told.token);
  // A connection that has lost its place would hand us the answer to somebody else's call.
  if (!told.token.empty() && !token.empty() && echoed != token) {
    return tl::unexpected(garbled(told, "was meant for another token"));
  }
  const Command& command = call.command;
  std::optional<Answer> answer;
  if (is_success(told)) {
    if (told.body) answer = decode_done(command.operation(), *told.body);
    if (!answer) return tl::unexpected(garbled(told, "could not be understood"));
  } else {
    Setback setback = setback_of(told);
    if (setback.final && told.body) {
      answer = decode_rejection(command.operation(), hold_named_by(command), *told.body);
    }
    if (!answer) return tl::unexpected(std::move(setback));
  }
  answer->token = token.empty() ? echoed.value_or("") : token;
  answer->replayed = told.replayed;
  answer->status = told.status;
  answer->token_expires = expiry_of(told.token_expires);
  return std::move(*answer);
}

Setback setback_of(const Told& told) {
  Setback setback{.trouble = decode_trouble(told.status, told.body), .asked = told.asked};
  Trouble& trouble = setback.trouble;
  if (told.status < 400 && !told.location.empty()) {
    trouble.detail = fmt::format("The server is elsewhere: {}", told.location);
  }
  setback.final = !is_passing(trouble);
  if (!told.sent_twice) setback.effect = effect_told_by(trouble);
  return setback;
}

Setback setback_of(const Lost& lost) {
  return {.trouble = {.code = "unreachable", .detail = lost.message, .retryable = !lost.lasting},
          .final = lost.lasting,
          .effect = lost.effect};
}

Setback garbled(const Told& told, std::string_view what) {
  return {.trouble = {.status = told.status,
                      .code = "garbled",
                      .detail = fmt::format("The answer {}.", what)}};
}

}  // namespace holdfast::client

#pragma once

#include <optional>
#include <string_view>

#include "client/json.hpp"
#include "client/message.hpp"
#include "client/retry.hpp"

/// What an attempt has brought: an answer, or a setback. The rules of trying again are here.
///
/// - No response, or one that cannot be understood, says nothing: again.
/// - 5xx, 408, 429 and `protocol.idempotency_in_flight` are passing states: again, unless the body
///   says that it is not retryable or wants a new token.
/// - Whatever else the engine decided is the answer; whatever else the service refused is final.
namespace holdfast::client {

/// What the server said: of a request, or of one call in a batch. The views are of the response.
struct Told {
  int status = 0;
  std::optional<Json> body{};  ///< nothing when it is not JSON
  bool replayed = false;
  std::string_view token{};          ///< as `Idempotency-Key` was echoed; empty: it was not
  std::string_view token_expires{};  ///< empty: it was not said
  std::string_view location{};
  std::optional<Duration> asked{};  ///< how long we are to wait
  bool sent_twice = false;          ///< see `Response`
};

/// How long to wait until a date is told by the server's own clock, if it says what time it has.
[[nodiscard]] Told told_by(const Response& response, const Document& body, const Clock& clock);

[[nodiscard]] bool is_success(const Told& told);

/// The answer to a call, rejections included, or why there is none.
[[nodiscard]] Attempt<Answer> judge(const Call& call, const Told& told);

/// Of a request that was not a success.
[[nodiscard]] Setback setback_of(const Told& told);
/// Of a request without a response.
[[nodiscard]] Setback setback_of(const Lost& lost);
/// Of a success that makes no sense.
[[nodiscard]] Setback garbled(const Told& told, std::string_view what);

}  // namespace holdfast::client

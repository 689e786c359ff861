#pragma once

#include <string>
#include <vector>

#include "http/handlers/body_reader.hpp"
#include "http/transport/message.hpp"
#include "wire/body.hpp"

/// Refusals that the service itself gives, before the engine sees a call. Their words come from the
/// rejection table.
namespace holdfast::http {

/// A problem with that row's words; `detail` replaces the row's text unless empty.
[[nodiscard]] Problem problem_for(Rejection rejection, const std::string& detail = {});

/// What strangers are told of a store that cannot be used; the log says more.
inline constexpr std::string_view discreet_words = "The store cannot be used now";

/// The problem of a change that the engine refused, with the words that follow its effect.
[[nodiscard]] Problem problem_of_change(const Answer& answer, int conflict_status, bool discreet);

/// What is wrong with a body, or with a part of it.
[[nodiscard]] Problem problem_of_body(const BodyErrors& errors,
                                      Rejection rejection = Rejection::malformed_request);

/// The answer that carries it. `errors` become its `errors[]`. Its body is written when it is sent.
[[nodiscard]] Response problem_response(Problem problem, const BodyErrors& errors = {});

/// The answer to a tenant that is over a rate, until then.
[[nodiscard]] Response throttled(std::chrono::seconds wait, const std::string& detail = {});

/// Headers that keep clients from repeating what must not be repeated as it is, and tell the others
/// when to come back.
void add_retry_headers(std::string& headers, bool retryable, TokenAction action, int status,
                       int retry_after_s = 1);

}  // namespace holdfast::http

#pragma once

#include "effects/job.hpp"
#include "effects/redact.hpp"
#include "outbound/client.hpp"

/// What a provider's answer means. Pure.
///
/// The one question about a call is whether it may have taken place. It did where the answer is one
/// of those that are declared `done`. It did not where the answer is declared `refused` or
/// `not_done`, or where not one byte was sent. In every other case nobody knows: a proxy says 502
/// or 503 also after the provider has acted. Then the shield decides.
namespace holdfast::effects {

enum class Meaning : std::uint8_t { done, refused, not_done, unclear };

/// A status that is in one of the lists means that; the default of a list that is empty comes last.
[[nodiscard]] Meaning meaning_of(const commands::AnswerRules& rules, int status);

/// Of a call, a probe, or a request for the list of what the provider has.
[[nodiscard]] Finding judge(const Job& job, const outbound::Result& result,
                            const Redaction& redaction);

/// `{"body":…,"status":…}`: the body as JSON if it is that, else as text; at most 16 KiB of it, and
/// then `"truncated":true`.
[[nodiscard]] std::string result_of(const outbound::Response& response, const Redaction& redaction);

/// That body by itself, as canonical JSON: a text, if it is no JSON or is cut.
[[nodiscard]] std::string kept_text(std::string_view body, const Redaction& redaction,
                                    bool* truncated = nullptr);

/// How long the provider wants to be left alone: its `Retry-After`, if it is a number of seconds,
/// but at most five minutes. Zero: it does not say.
[[nodiscard]] Duration pause_in(const outbound::Response& response);

}  // namespace holdfast::effects

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/json_writer.hpp"
#include "holdfast/types.hpp"

/// The JSON bodies of answers, the same wherever they are shown: over HTTP and by `--json` on the
/// command line. A body is a function of the answer alone, so a replay's body is byte for byte the
/// first one's.
///
/// Everything written is valid UTF-8. Names always are; a token need not be, so where a token is
/// written and is not UTF-8, its bytes that are not become U+FFFD and `token_hex` holds them all.
namespace holdfast {

/// What the server that gave the answer sent. Of one that was given here: 201 for a place that was
/// done, 200 for anything else that was, the table's status otherwise.
[[nodiscard]] int http_status(const Answer& answer);

/// What exactly is wrong with a request: an RFC 6901 pointer into its body, and why.
struct ProblemError {
  std::string pointer;
  std::string detail;
};

/// A refusal as RFC 9457 has it, with our members. Texts must be valid UTF-8.
struct Problem {
  std::string type;  ///< what follows `urn:holdfast:problem:`
  std::string title;
  int status = 500;
  std::string detail;
  std::string code;
  bool retryable = false;
  TokenAction token_action = TokenAction::reuse;
  Reason reason = Reason::none;    ///< of `invalid-request`; left out when there is none
  std::optional<Effect> effect{};  ///< of a call that got no outcome; otherwise left out
  std::string request_id{};  ///< left out when empty; of a recorded refusal, the first request's
  std::vector<ProblemError> errors{};
  std::optional<HoldState> state{};  ///< of `not-held`: what it is instead
  std::string_view short_of{};       ///< of a group: what was short, as a JSON array; may be empty
  std::string execution{};  ///< of a command: what is missing or wrong, as JSON; may be empty
  std::string_view confirmation{};  ///< of `confirmation-required`: the code to send back
  Instant confirmation_expires{};
};

/// The problem a refused answer stands for. Precondition: the answer is a refusal. The views in it
/// are the answer's, which must outlive it.
[[nodiscard]] Problem problem_of(const Answer& answer);

void write_problem(JsonWriter& json, const Problem& problem);

/// `lapsed` appears only when true.
void write_hold(JsonWriter& json, const Hold& hold, bool lapsed = false);

/// One hold with its lifecycle, state by state, and the token that placed it.
void write_hold_details(JsonWriter& json, const HoldDetails& details);

/// A resource as it stands, with what is in use and what is free.
void write_resource(JsonWriter& json, const Resource& resource);

/// How much of a resource is held, confirmed and free.
void write_availability(JsonWriter& json, const Availability& availability);

/// A group as it stands.
void write_group(JsonWriter& json, const Group& group);

/// The hold that a place would make: it has no id.
void write_tried(JsonWriter& json, const Hold& hold);

/// What became of a token; `answer` in it is the body first given.
void write_token_result(JsonWriter& json, const TokenResult& result);

/// The body of an answer, success or refusal.
void write_answer(JsonWriter& json, const Answer& answer);
[[nodiscard]] std::string answer_body(const Answer& answer);

/// Writes the member `name`, and `name_hex` when the bytes are not UTF-8.
void write_bytes(JsonWriter& json, std::string_view name, std::string_view bytes);

}  // namespace holdfast

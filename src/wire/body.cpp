#include "wire/body.hpp"

#include <fmt/format.h>

#include "base/json_members.hpp"
#include "base/time_text.hpp"
#include "base/utf8.hpp"
#include "domain/digest.hpp"
#include "domain/execution_document.hpp"
#include "domain/group_document.hpp"
#include "domain/id_text.hpp"
#include "domain/operation.hpp"

namespace holdfast {
namespace {

/// An instant that never comes is null.
void instant_member(JsonWriter& json, std::string_view name, Instant instant) {
  json.key(name);
  if (instant == never) return json.null();
  json.string(time_text(instant));
}

std::string_view name_of(TokenAction action) {
  return action == TokenAction::reuse ? "reuse" : "new";
}

std::string_view name_of(Effect effect) { return effect == Effect::none ? "none" : "unknown"; }

/// The members of a hold, without the braces.
void hold_members(JsonWriter& json, const Hold& hold) {
  text_member(json, "id", text_of(hold.id));
  text_member(json, "resource", hold.resource);
  text_member(json, "requester", hold.requester);
  integer_member(json, "quantity", hold.quantity);
  text_member(json, "state", name(hold.state));
  instant_member(json, "placed_at", hold.placed_at);
  instant_member(json, "expires_at", hold.expires_at);
  if (hold.resolved_at) {
    instant_member(json, fmt::format("{}_at", name(hold.state)), *hold.resolved_at);
  }
}

/// What a hold's document has said since holds can change.
void changed_members(JsonWriter& json, const Hold& hold, bool lapsed) {
  integer_member(json, "quantity_confirmed", hold.quantity_confirmed);
  integer_member(json, "quantity_released", hold.quantity_released());
  integer_member(json, "quantity_cancelled", hold.quantity_cancelled);
  integer_member(json, "fence", static_cast<std::int64_t>(hold.fence()));
  if (hold.group) text_member(json, "group", hold.group->text());
  if (lapsed) {
    json.key("lapsed");
    json.boolean(true);
  }
}

void lifecycle_step(JsonWriter& json, HoldState state, Instant at) {
  json.begin_object();
  text_member(json, "state", name(state));
  instant_member(json, "at", at);
  json.end_object();
}

/// What was declared. What is in use changes from call to call and so has no place in an answer
/// that must be the same on every replay.
void write_declared(JsonWriter& json, const Resource& resource) {
  json.begin_object();
  text_member(json, "name", resource.name);
  integer_member(json, "capacity", resource.capacity);
  json.key("declared");
  json.boolean(true);
  json.end_object();
}

std::string detail_of(const Answer& answer) {
  const RejectionRow& refused = row(*answer.rejection);
  if (answer.reason != Reason::none) return std::string(row(answer.reason).text);
  if (answer.rejection == Rejection::not_held && answer.hold) {
    return fmt::format("The hold is {}. {}", name(answer.hold->state), refused.text);
  }
  if (!answer.note.empty()) return fmt::format("{}. {}", to_valid_utf8(answer.note), refused.text);
  return std::string(refused.text);
}

}  // namespace

int http_status(const Answer& answer) {
  if (answer.status != 0) return answer.status;
  if (answer.rejection && row(answer.reason).http_status != 0)
    return row(answer.reason).http_status;
  if (answer.rejection) return row(*answer.rejection).http_status;
  const OperationSpec* spec = find_spec(answer.operation);
  return spec == nullptr ? 200 : spec->address.status;
}

namespace {

/// Names the request that a recorded refusal was first given to. It must be the same on every
/// replay, also by another process, so it comes from the token.
std::string first_request_id(const Answer& answer) {
  return "first-" + sha256(answer.token).hex().substr(0, 16);
}

}  // namespace

Problem problem_of(const Answer& answer) {
  const RejectionRow& refused = row(*answer.rejection);
  Problem problem{.type = std::string(refused.name),
                  .title = std::string(refused.title),
                  .status = http_status(answer),
                  .detail = detail_of(answer),
                  .code = std::string(refused.code),
                  .retryable = refused.retryable,
                  .token_action = answer.token_action(),
                  .reason = answer.plain ? Reason::none : answer.reason};
  if (effect_of(refused.id)) problem.effect = answer.effect;
  if (answer.reason != Reason::none) {
    problem.errors.push_back({fmt::format("/{}", row(answer.reason).field), problem.detail});
  }
  if (refused.id == Rejection::not_held && answer.hold) problem.state = answer.hold->state;
  const bool of_command =
      refused.id == Rejection::execution_rejected || refused.id == Rejection::execution_refused;
  if (of_command)
    problem.execution = execution_in(answer.document);
  else
    problem.short_of = shortages_in(answer.document);
  if (answer.recorded) problem.request_id = first_request_id(answer);
  problem.confirmation = answer.confirmation;
  problem.confirmation_expires = answer.confirmation_expires;
  return problem;
}

void write_problem(JsonWriter& json, const Problem& problem) {
  json.begin_object();
  text_member(json, "type", "urn:holdfast:problem:" + problem.type);
  text_member(json, "title", problem.title);
  integer_member(json, "status", problem.status);
  text_member(json, "detail", problem.detail);
  text_member(json, "code", problem.code);
  if (problem.reason != Reason::none) text_member(json, "reason", name(problem.reason));
  json.key("retryable");
  json.boolean(problem.retryable);
  text_member(json, "token_action", name_of(problem.token_action));
  if (problem.effect) text_member(json, "effect", name_of(*problem.effect));
  if (!problem.request_id.empty()) text_member(json, "request_id", problem.request_id);
  if (problem.state) text_member(json, "state", name(*problem.state));
  if (!problem.short_of.empty()) {
    json.key("short");
    json.raw(problem.short_of);
  }
  if (!problem.execution.empty()) {
    json.key("execution");
    json.raw(problem.execution);
  }
  if (!problem.errors.empty()) {
    json.key("errors");
    json.begin_array();
    for (const ProblemError& each : problem.errors) {
      json.begin_object();
      text_member(json, "pointer", each.pointer);
      text_member(json, "detail", each.detail);
      json.end_object();
    }
    json.end_array();
  }
  if (!problem.confirmation.empty()) {
    text_member(json, "confirmation", problem.confirmation);
    instant_member(json, "confirmation_expires", problem.confirmation_expires);
  }
  json.end_object();
}

void write_hold(JsonWriter& json, const Hold& hold, bool lapsed) {
  json.begin_object();
  hold_members(json, hold);
  changed_members(json, hold, lapsed);
  json.end_object();
}

void write_hold_details(JsonWriter& json, const HoldDetails& details) {
  const Hold& hold = details.hold;
  json.begin_object();
  hold_members(json, hold);
  changed_members(json, hold, details.lapsed);
  write_bytes(json, "token", details.token);
  json.key("lifecycle");
  json.begin_array();
  lifecycle_step(json, HoldState::held, hold.placed_at);
  if (hold.resolved_at) lifecycle_step(json, hold.state, *hold.resolved_at);
  json.end_array();
  json.end_object();
}

void write_resource(JsonWriter& json, const Resource& resource) {
  json.begin_object();
  text_member(json, "name", to_valid_utf8(resource.name));
  integer_member(json, "capacity", resource.capacity);
  json.key("declared");
  json.boolean(resource.declared);
  integer_member(json, "in_use", resource.in_use);
  integer_member(json, "available", resource.capacity - resource.in_use);
  json.end_object();
}

void write_availability(JsonWriter& json, const Availability& availability) {
  json.begin_object();
  text_member(json, "resource", to_valid_utf8(availability.resource));
  integer_member(json, "capacity", availability.capacity);
  integer_member(json, "held", availability.held);
  integer_member(json, "confirmed", availability.confirmed);
  integer_member(json, "free", availability.free());
  if (availability.next_expiry) {
    instant_member(json, "next_expiry", *availability.next_expiry);
  } else {
    json.key("next_expiry");
    json.null();
  }
  json.end_object();
}

void write_group(JsonWriter& json, const Group& group) {
  json.begin_object();
  text_member(json, "id", group.id.text());
  json.key("holds");
  json.begin_array();
  for (const Hold& each : group.holds) write_hold(json, each);
  json.end_array();
  json.end_object();
}

void write_tried(JsonWriter& json, const Hold& hold) {
  json.begin_object();
  json.key("dry_run");
  json.boolean(true);
  text_member(json, "resource", hold.resource);
  text_member(json, "requester", hold.requester);
  integer_member(json, "quantity", hold.quantity);
  text_member(json, "state", name(hold.state));
  instant_member(json, "placed_at", hold.placed_at);
  instant_member(json, "expires_at", hold.expires_at);
  json.end_object();
}

void write_token_result(JsonWriter& json, const TokenResult& result) {
  const Answer& answer = result.answer;
  json.begin_object();
  write_bytes(json, "token", answer.token);
  text_member(json, "operation", name(answer.operation));
  text_member(json, "outcome", answer.ok() ? "done" : name(*answer.rejection));
  integer_member(json, "status", http_status(answer));
  json.key("answer");
  write_answer(json, answer);
  text_member(json, "principal", result.principal);
  text_member(json, "digest", result.digest);
  instant_member(json, "recorded_at", result.recorded_at);
  instant_member(json, "forgotten_at", answer.token_expires);
  json.end_object();
}

void write_answer(JsonWriter& json, const Answer& answer) {
  if (answer.rejection) return write_problem(json, problem_of(answer));
  if (answer.hold && answer.plain) {
    json.begin_object();
    hold_members(json, *answer.hold);
    return json.end_object();
  }
  if (answer.hold) return write_hold(json, *answer.hold);
  if (answer.resource) return write_declared(json, *answer.resource);
  if (!answer.document.empty()) {
    const OperationSpec* const spec = find_spec(answer.operation);
    const bool whole = spec == nullptr || spec->shown == nullptr;
    return json.raw(whole ? answer.document : spec->shown(answer.document));
  }
  json.begin_object();
  json.end_object();
}

std::string answer_body(const Answer& answer) {
  std::string body;
  JsonWriter json(body);
  write_answer(json, answer);
  return body;
}

void write_bytes(JsonWriter& json, std::string_view name, std::string_view bytes) {
  if (is_valid_utf8(bytes)) return text_member(json, name, bytes);
  text_member(json, name, to_valid_utf8(bytes));
  std::string hex;
  for (const char byte : bytes) hex += fmt::format("{:02x}", static_cast<unsigned char>(byte));
  text_member(json, fmt::format("{}_hex", name), hex);
}

}  // namespace holdfast

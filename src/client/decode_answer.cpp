#include <fmt/format.h>

#include <algorithm>

#include "client/decode.hpp"
#include "domain/operation.hpp"

namespace holdfast::client {
namespace {

constexpr int ok_below = 400;

bool takes_hold(const OperationSpec& spec) {
  return std::any_of(spec.fields.begin(), spec.fields.end(),
                     [](const Parameter& field) { return field.type == ParameterType::hold; });
}

/// Several rejections may have one code: then the type tells them apart.
std::optional<Rejection> rejection_in(const Json& json) {
  const std::string code = json.text("code").value_or("");
  const std::string type = json.text("type").value_or("");
  std::optional<Rejection> found;
  for (const RejectionRow& each : rejection_table) {
    if (each.code != code) continue;
    if (!found || type.ends_with(fmt::format(":{}", each.name))) found = each.id;
  }
  return found;
}

/// Those from here on are given by the service, without the engine having seen the call.
bool is_of_engine(Rejection rejection) {
  return rejection < Rejection::malformed_request || rejection > Rejection::method_not_allowed;
}

/// What the store said stands before the table's own text.
std::string note_in(std::string_view detail, std::string_view text) {
  const std::string ending = fmt::format(". {}", text);
  if (!detail.ends_with(ending)) return {};
  return std::string(detail.substr(0, detail.size() - ending.size()));
}

std::optional<Effect> effect_in(const Json& json) {
  const std::string told = json.text("effect").value_or("");
  if (told == "none") return Effect::none;
  return told == "unknown" ? std::optional(Effect::unknown) : std::nullopt;
}

TokenAction token_action_in(const Json& json) {
  return json.text("token_action") == "new" ? TokenAction::new_token : TokenAction::reuse;
}

/// A command that was refused for its own key says more of it.
bool is_collision(Rejection rejection, Reason reason, const OperationSpec& spec, const Json& json) {
  return rejection == spec.collision.rejection && reason == spec.collision.reason &&
         token_action_in(json) == TokenAction::new_token && !json.member("execution");
}

}  // namespace

std::optional<Answer> decode_done(Operation operation, const Json& json) {
  Answer answer;
  answer.operation = operation;
  answer.recorded = true;
  const OperationSpec& spec = spec_of(operation);
  if (spec.told) {
    answer.document = json.raw();
    return answer;
  }
  if (spec.answer != nullptr) {
    answer.resource = decode_resource(json);
  } else {
    answer.hold = decode_hold(json);
  }
  return answer.hold || answer.resource ? std::optional(std::move(answer)) : std::nullopt;
}

std::optional<Answer> decode_rejection(Operation operation, HoldId hold, const Json& json) {
  const auto rejection = rejection_in(json);
  if (!rejection || !is_of_engine(*rejection)) return std::nullopt;
  const std::string detail = json.text("detail").value_or("");
  Answer answer;
  answer.operation = operation;
  answer.rejection = rejection;
  answer.recorded = token_action_in(json) == TokenAction::new_token &&
                    row(*rejection).recorded == Recorded::by_policy;
  answer.reason = reason_named(json.text("reason").value_or("")).value_or(Reason::none);
  answer.collided = is_collision(*rejection, answer.reason, spec_of(operation), json);
  if (answer.collided) answer.recorded = false;
  // Of a call without an outcome the server says it; one that does not has not been asked in vain.
  if (effect_of(*rejection)) answer.effect = effect_in(json).value_or(Effect::unknown);
  if (rejection == Rejection::store_unavailable)
    answer.note = note_in(detail, row(*rejection).text);
  const auto state = hold_state_named(json.text("state").value_or(""));
  if (state && takes_hold(spec_of(operation))) {
    answer.hold = Hold{};
    answer.hold->id = hold;
    answer.hold->state = *state;
  }
  if (const auto execution = json.member("execution")) answer.document = execution->raw();
  if (const auto short_of = json.member("short"))
    answer.document = fmt::format(R"({{"short":{}}})", short_of->raw());
  answer.confirmation = json.text("confirmation").value_or("");
  answer.confirmation_expires = json.instant("confirmation_expires").value_or(Instant{});
  return answer;
}

Trouble decode_trouble(int status, const std::optional<Json>& json) {
  Trouble trouble{.status = status,
                  .code = "unexplained",
                  .detail = "The server did not say why.",
                  .retryable = status >= 500 || status == 408 || status == 429};
  if (!json) return trouble;
  trouble.code = json->text("code").value_or(trouble.code);
  trouble.detail = json->text("detail").value_or(json->text("title").value_or(trouble.detail));
  trouble.retryable = json->truth("retryable").value_or(trouble.retryable);
  trouble.token_action = token_action_in(*json);
  trouble.request_id = json->text("request_id").value_or("");
  trouble.effect = effect_in(*json);
  trouble.reason = reason_named(json->text("reason").value_or("")).value_or(Reason::none);
  return trouble;
}

std::optional<TokenResult> decode_token_result(const Json& json) {
  const auto operation = operation_named(json.text("operation").value_or(""));
  const auto body = json.member("answer");
  const auto recorded_at = json.instant("recorded_at");
  auto principal = json.text("principal");
  auto digest = json.text("digest");
  auto token = json.bytes("token");
  if (!operation || !body || !recorded_at || !principal || !digest || !token) return std::nullopt;
  const bool done = json.integer("status").value_or(ok_below) < ok_below;
  auto answer = done ? decode_done(*operation, *body) : decode_rejection(*operation, {}, *body);
  if (!answer) return std::nullopt;
  answer->token = std::move(*token);
  answer->recorded = true;
  if (spec_of(*operation).later != nullptr)  // it may not have settled
    answer->status = static_cast<int>(json.integer("status").value_or(0));
  answer->token_expires = json.instant("forgotten_at").value_or(never);
  return TokenResult{.answer = std::move(*answer),
                     .principal = std::move(*principal),
                     .digest = std::move(*digest),
                     .recorded_at = *recorded_at};
}

}  // namespace holdfast::client

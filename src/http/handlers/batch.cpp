// Many operations in one request, each with a token of its own.

#include <fmt/format.h>

#include <atomic>
#include <tuple>

#include "http/commands/effect_metrics.hpp"
#include "http/commands/registry_keeper.hpp"
#include "http/handlers/changes.hpp"
#include "http/handlers/listing.hpp"
#include "http/handlers/problem.hpp"
#include "http/router.hpp"
#include "wire/body.hpp"

namespace holdfast::http {
namespace {

/// A batch on its way: answers arrive from the engine in any order, the last one sends them all.
struct Pending {
  Pending(Reply to, std::size_t size) : reply(std::move(to)), answers(size), left(size) {}

  const Reply reply;
  std::vector<Answer> answers;
  std::atomic<std::size_t> left;
  std::vector<BodyErrors> errors{};   ///< by item; not empty: it was not made
  std::vector<bool> token_invalid{};  ///< by item
  int conflict_status = 409;
  bool discreet = false;
  std::string request_id{};  ///< of refusals that are not recorded
};

void write_result(JsonWriter& json, int status, bool replayed) {
  json.begin_object();
  json.key("status");
  json.integer(status);
  json.key("replayed");
  json.boolean(replayed);
  json.key("body");
}

Problem problem_of_item(const Pending& pending, std::size_t index) {
  if (!pending.errors[index].empty()) {
    const bool only_the_token = pending.token_invalid[index] && pending.errors[index].size() == 1;
    return problem_of_body(pending.errors[index], only_the_token ? Rejection::token_invalid
                                                                 : Rejection::malformed_request);
  }
  const Answer& answer = pending.answers[index];
  Problem problem = problem_of_change(answer, pending.conflict_status, pending.discreet);
  const bool missing = answer.rejection == Rejection::token_missing;
  if (missing || answer.rejection == Rejection::token_invalid) {  // a member here, not a header
    problem.detail = missing ? "Every call of a batch needs a token of its own."
                             : "This operation derives its token from the request; give none.";
    problem.errors.push_back({"/operations/" + std::to_string(index) + "/token", problem.detail});
  }
  return problem;
}

void write_item(JsonWriter& json, const Pending& pending, std::size_t index) {
  const Answer& answer = pending.answers[index];
  if (answer.rejection || !pending.errors[index].empty()) {
    Problem problem = problem_of_item(pending, index);
    if (problem.request_id.empty()) problem.request_id = pending.request_id;
    write_result(json, problem.status, answer.replayed);
    write_problem(json, problem);
  } else {
    write_result(json, http_status(answer), answer.replayed);
    write_answer(json, answer);
  }
  json.end_object();
}

Response response_of(const Pending& pending) {
  Response response;
  response.body.reserve(64 + 320 * pending.answers.size());
  JsonWriter json(response.body);
  json.begin_object();
  json.key("results");
  json.begin_array();
  for (std::size_t i = 0; i < pending.answers.size(); ++i) write_item(json, pending, i);
  json.end_array();
  json.end_object();
  return response;
}

void arrived(const std::shared_ptr<Pending>& pending) {
  if (pending->left.fetch_sub(1) != 1) return;
  pending->reply.send_from_engine(response_of(*pending));
}

/// Headers that are an item's here. Whoever relies on one of them must not be left without it.
/// (An Idempotency-Key is sent with everything by some clients, and does no harm.)
std::optional<std::string> misplaced(const Request& request) {
  for (const auto& [field, header, member] :
       {std::tuple(Field::nonce, "X-Nonce", "nonce"),
        std::tuple(Field::confirmation, "X-Confirmation", "confirmation")}) {
    if (request.count(field) == 0) continue;
    return fmt::format("A batch has no {} of its own: give each operation its \"{}\".", header,
                       member);
  }
  return std::nullopt;
}

/// Why a call is not passed on, although its shape is right.
std::optional<Rejection> refused_unseen(const Call& call, const Context& context) {
  const Operation operation = call.command.operation();
  const bool derived =
      context.application.settings().policies[operation].key_mode == KeyMode::derived;
  const bool given = !call.token.bytes().empty();
  const bool needed = !derived && !spec_of(operation).key_optional;
  if (needed && !given) return Rejection::token_missing;
  if (derived && given) return Rejection::token_invalid;
  const bool configures = spec_of(operation).address.configures;
  if (configures && !allows(context.exchange.identity.role, Access::configure))
    return Rejection::forbidden;
  return std::nullopt;
}

}  // namespace

void run_batch(Context& context) {
  if (!check_no_query(context) || !check_content_type(context)) return;
  if (const auto why = misplaced(context.request)) {
    return context.reply.send(problem_response(problem_for(Rejection::malformed_request, *why)));
  }
  const Settings& settings = context.application.settings();
  auto items = read_batch(context.request.body, settings.limits, settings.token_bytes_max);
  if (!items) return refuse_body(context, items.error());
  const std::size_t operations_max = settings.limits.batch_operations_max;
  if (items->size() > operations_max) {
    const std::string detail = fmt::format("There are more than {} operations.", operations_max);
    return context.reply.send(
        problem_response(problem_for(Rejection::too_large, detail), {{"/operations", detail}}));
  }
  const std::string& tenant = context.exchange.identity.caller.tenant;
  if (items->size() > 1) {  // the request itself was counted as one
    const auto wait = context.application.requests().take(tenant, std::chrono::steady_clock::now(),
                                                          items->size() - 1, 1);
    if (wait.count() > 0) return context.reply.send(throttled(wait));
  }
  auto pending = std::make_shared<Pending>(context.reply, items->size() + 1);
  pending->answers.resize(items->size());
  pending->errors.resize(items->size());
  pending->conflict_status = settings.conflict_status;
  pending->discreet = context.exchange.discreet;
  pending->request_id = context.application.request_id(context.exchange.id);
  for (const BatchItem& each : *items) pending->token_invalid.push_back(each.token_invalid);
  for (std::size_t i = 0; i < items->size(); ++i) {
    pending->errors[i] = std::move((*items)[i].errors);
    const bool made = pending->errors[i].empty();
    if (!made || !unusable_key_in((*items)[i].call.command, settings.token_bytes_max)) continue;
    pending->token_invalid[i] = true;
    pending->errors[i].push_back({fmt::format("/operations/{}/params/idempotency_key", i),
                                  token_rule("An idempotency key", settings.token_bytes_max)});
  }
  for (std::size_t i = 0; i < items->size(); ++i) {
    Call& call = (*items)[i].call;
    if (!pending->errors[i].empty()) {
      arrived(pending);
    } else if (const auto refused = refused_unseen(call, context)) {
      pending->answers[i].operation = call.command.operation();
      pending->answers[i].rejection = refused;
      arrived(pending);
    } else {
      call.caller = context.exchange.identity.caller;
      context.application.service().submit(
          std::move(call), [pending, i, tenant, &application = context.application,
                            received = context.exchange.received](Answer answer) {
            if (answer.replayed && application.take_replay(tenant, answer.token).count() > 0) {
              pending->answers[i].operation = answer.operation;
              pending->answers[i].rejection = Rejection::throttled;
            } else {
              application.metrics().count(answer, std::chrono::steady_clock::now() - received);
              application.note_trouble(answer);
              count_command(answer, application.registry(), application.metrics());
              application.effect_metrics().count(answer);
              open_secrets(answer, tenant, application.registry());
              pending->answers[i] = std::move(answer);
            }
            arrived(pending);
          });
    }
  }
  arrived(pending);  // the one more: not before everything was handed over
}

}  // namespace holdfast::http

#include "http/handlers/changes.hpp"

#include <fmt/format.h>

#include "base/utf8.hpp"
#include "engine/questions.hpp"
#include "holdfast/commands.hpp"
#include "http/commands/waits.hpp"
#include "http/foreign_page.hpp"
#include "http/handlers/idempotency_key.hpp"
#include "http/handlers/listing.hpp"
#include "http/handlers/problem.hpp"

namespace holdfast::http {
namespace {

void refuse(const Context& context, Rejection rejection, const std::string& detail = {}) {
  context.reply.send(problem_response(problem_for(rejection, detail)));
}

/// Notes the operation. False when the request was refused for its Idempotency-Key.
bool check_key(Context& context, Operation operation) {
  const Settings& settings = context.application.settings();
  const Request& request = context.request;
  const unsigned count = request.count(Field::idempotency_key);
  context.exchange.operation = operation;
  if (settings.policies[operation].key_mode == KeyMode::derived) {
    if (count == 0) return true;
    refuse(context, Rejection::token_invalid,
           "This operation derives its token from the request; send no Idempotency-Key.");
    return false;
  }
  if (count == 0 && spec_of(operation).key_optional) return true;
  if (count == 0) {
    refuse(context, Rejection::token_missing);
    return false;
  }
  if (context.exchange.key.empty()) {
    refuse(context, Rejection::token_invalid,
           count > 1 ? "The Idempotency-Key was sent more than once."
                     : fmt::format("An Idempotency-Key is 1 to {} bytes of printable ASCII, bare "
                                   "or between double quotes.",
                                   settings.token_bytes_max));
    return false;
  }
  return true;
}

bool check_headers(Context& context, Operation operation) {
  return check_key(context, operation) && check_content_type(context);
}

/// What the query of a change may say.
struct Asked {
  bool dry_run = false;  ///< nothing is to be done, only said what would be
  Duration wait{};       ///< for an outcome that settles later
};

/// Nothing, with the request answered, if the query says something that there is not: whoever
/// misspells it must not be taken to mean it.
std::optional<Asked> read_query(const Context& context, const OperationSpec& spec) {
  Asked asked;
  QueryReader reader(context);
  const auto given = spec.dry_run ? reader.text("dry_run") : std::optional<std::string>();
  if (given && given != "true" && given != "false")
    reader.wrong("dry_run", "This is true or false.");
  if (spec.later != nullptr) asked.wait = reader.wait();
  if (reader.refused()) return std::nullopt;
  asked.dry_run = given == "true";
  return asked;
}

/// The key that the body says is as good as one of the header, or none.
bool check_key_in_body(const Context& context, const Command& command) {
  const std::string* const key =
      unusable_key_in(command, context.application.settings().token_bytes_max);
  if (key == nullptr) return true;
  const std::string detail =
      token_rule("An idempotency key", context.application.settings().token_bytes_max);
  context.reply.send(problem_response(problem_for(Rejection::token_invalid, detail),
                                      {{"/idempotency_key", detail}}));
  return false;
}

/// A command that is part of a trace is tied to it, unless its caller ties it to something else.
Command traced(Command command, const Request& request) {
  const auto* const what = command.as<Submitting>();
  if (what == nullptr || !what->correlation_id.empty()) return command;
  const std::string_view trace = traceparent_of(request);
  if (trace.empty()) return command;
  Submitting tied = *what;
  tied.correlation_id = trace;
  return Command(std::move(tied));
}

/// What a place would be answered. It takes no key, and writes nothing.
void try_place(Context& context, const OperationSpec& spec) {
  context.exchange.operation = spec.row.id;
  if (!check_content_type(context)) return;
  auto command =
      read_command(spec, context.request.body, {}, context.application.settings().limits);
  if (!command) return refuse_body(context, command.error());
  context.application.read(
      context.reply, [&application = context.application, command = std::move(*command),
                      tenant = context.exchange.identity.caller.tenant] {
        const auto answer = try_to_place(application.store(), tenant, *command.as<Placing>());
        if (!answer) return store_problem(answer.error());
        Response response;
        if (answer->rejection) return problem_response(problem_of(*answer));
        JsonWriter json(response.body);
        write_tried(json, *answer->hold);
        return response;
      });
}

/// The number of the first segment from there on that is a placeholder.
std::size_t placeholder_after(std::string_view pattern, std::size_t from) {
  std::size_t segment = 0;
  for (pattern.remove_prefix(1); !pattern.empty(); ++segment) {
    if (segment >= from && pattern.front() == '{') break;
    pattern.remove_prefix(std::min(pattern.size(), pattern.find('/')));
    if (!pattern.empty()) pattern.remove_prefix(1);
  }
  return segment;
}

/// The parameters that stand in the path. Nothing, with the request answered, if one is no text.
std::optional<std::vector<std::string>> read_path(Context& context, const OperationSpec& spec) {
  std::vector<std::string> path;
  std::size_t segment = 0;
  for (const Parameter& each : spec.fields) {
    if (each.position != Position::path) continue;
    segment = placeholder_after(spec.address.pattern, segment);
    if (each.type == ParameterType::hold ||
        each.type == ParameterType::group) {  // whatever it is, it names some hold, or none
      const std::string_view raw = context.target.segments[segment];
      path.push_back(context.segment(segment).value_or(std::string(raw)));
    } else if (auto name = name_in_path(context, segment, each.name)) {
      path.push_back(std::move(*name));
    } else {
      return std::nullopt;
    }
    ++segment;
  }
  return path;
}

}  // namespace

std::optional<std::string> name_in_path(Context& context, std::size_t segment,
                                        std::string_view what) {
  auto name = context.segment(segment);
  if (name && is_valid_utf8(*name) && name->find('\0') == std::string::npos) return name;
  refuse(context, Rejection::malformed_request,
         fmt::format("The {}'s name in the path is not UTF-8 text, or holds a zero byte.", what));
  return std::nullopt;
}

void run_change(Context& context, const OperationSpec& spec) {
  const auto asked = read_query(context, spec);
  if (!asked) return;
  if (asked->dry_run) return try_place(context, spec);
  if (!check_headers(context, spec.row.id)) return;
  const auto path = read_path(context, spec);
  if (!path) return;
  const Limits& limits = context.application.settings().limits;
  auto command = read_command(spec, context.request.body, *path, limits);
  if (!command) return refuse_body(context, command.error());
  if (!check_key_in_body(context, *command)) return;
  submit_change(context, traced(std::move(*command), context.request), asked->wait);
}

bool check_content_type(const Context& context) {
  const Request& request = context.request;
  if (request.body.empty() || may_be_json(request.field(Field::content_type))) return true;
  refuse(context, Rejection::malformed_request,
         "The body is JSON: send it with Content-Type: application/json.");
  return false;
}

void refuse_body(const Context& context, const BodyErrors& errors) {
  context.reply.send(problem_response(problem_of_body(errors)));
}

std::string token_rule(std::string_view what, std::size_t bytes_max) {
  return fmt::format("{} is 1 to {} bytes of printable ASCII.", what, bytes_max);
}

const std::string* unusable_key_in(const Command& command, std::size_t bytes_max) {
  const auto* const what = command.as<Submitting>();
  if (what == nullptr || what->idempotency_key.empty()) return nullptr;
  return is_token(what->idempotency_key, bytes_max) ? nullptr : &what->idempotency_key;
}

void submit_change(Context& context, Command command, Duration wait) {
  const Request& request = context.request;
  const std::string_view nonce = request.field(Field::nonce);
  if (request.count(Field::nonce) > 1) {
    return refuse(context, Rejection::malformed_request, "There is more than one X-Nonce.");
  }
  if (request.count(Field::nonce) == 1 && !is_nonce(nonce)) {
    return refuse(context, Rejection::malformed_request, std::string(nonce_rule));
  }
  if (request.count(Field::confirmation) > 1) {
    return refuse(context, Rejection::malformed_request, "There is more than one X-Confirmation.");
  }
  Call call{.command = std::move(command), .caller = context.exchange.identity.caller};
  if (!context.exchange.key.empty()) call.token = Token(std::move(context.exchange.token));
  call.nonce = nonce;
  call.confirmation = request.field(Field::confirmation);
  const std::string tenant = call.caller.tenant;
  context.application.service().submit(std::move(call),
                                       [reply = std::move(context.reply), wait, tenant,
                                        &waits = context.application.waits()](Answer&& answer) {
                                         const bool settles_later = answer.status == 202;
                                         if (settles_later && wait > Duration::zero())
                                           return waits.add(reply, tenant, std::move(answer), wait);
                                         reply.send_from_engine(std::move(answer));
                                       });
}

Response store_problem(const StoreError& error) {
  Response response = problem_response(problem_for(Rejection::store_unavailable, error.message));
  response.is_inner = true;
  return response;
}

}  // namespace holdfast::http

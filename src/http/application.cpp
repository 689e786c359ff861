#include "http/application.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <array>
#include <boost/asio/post.hpp>
#include <charconv>

#include "base/json_pointer.hpp"
#include "base/time_text.hpp"
#include "domain/id_text.hpp"
#include "domain/operation.hpp"
#include "http/commands/effect_metrics.hpp"
#include "http/commands/registry_keeper.hpp"
#include "http/commands/waits.hpp"
#include "http/foreign_page.hpp"
#include "http/handlers/idempotency_key.hpp"
#include "http/handlers/problem.hpp"
#include "http/router.hpp"
#include "http/transport/worker.hpp"
#include "http/webhooks/intake.hpp"
#include "wire/body.hpp"

namespace holdfast::http {
namespace {

using SteadyClock = std::chrono::steady_clock;

std::string random_instance() { return Token::fresh().bytes().substr(0, 8); }

/// `Bearer <credential>`, in any case, as RFC 9110 has it.
std::optional<std::string_view> bearer(std::string_view authorization) {
  constexpr std::string_view scheme = "bearer ";
  if (authorization.size() <= scheme.size()) return std::nullopt;
  for (std::size_t i = 0; i < scheme.size(); ++i) {
    const char c = authorization[i];
    if ((c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c) != scheme[i]) return std::nullopt;
  }
  authorization.remove_prefix(scheme.size());
  return authorization;
}

/// RFC 9110, 5.6.7. Made once a second: everybody gets one.
const std::string& date_text(Instant now) {
  thread_local std::int64_t second = -1;
  thread_local std::string text;
  const auto current = std::chrono::floor<std::chrono::seconds>(now).time_since_epoch().count();
  if (current != second) {
    second = current;
    text = fmt::format("{:%a, %d %b %Y %H:%M:%S} GMT", fmt::gmtime(current));
  }
  return text;
}

/// Of a store that ends with the process, the key does, too.
tl::expected<evidence::SigningKey, std::string> signing_key(const Settings& settings) {
  if (settings.store == ":memory:") return evidence::SigningKey::fresh();
  return evidence::SigningKeyFile(settings.evidence_key).read_or_make();
}

/// Where to ask for an outcome that has not settled.
std::optional<std::string> where_it_settles(const Answer& answer) {
  if (answer.rejection || answer.status != 202) return std::nullopt;
  return scalar_at(answer.document, "/outcome_ref");
}

std::string outcome_text(const Answer& answer) {
  return std::string(answer.rejection ? name(*answer.rejection) : "done");
}

}  // namespace

Application::Application(Service& service, const Settings& settings, Log& log, Metrics& metrics,
                         RegistryKeeper& registry)
    : service_(service),
      settings_(settings),
      log_(log),
      metrics_(metrics),
      registry_(registry),
      waits_(std::make_unique<CommandWaits>(service.store())),
      effect_metrics_(std::make_unique<EffectMetrics>()),
      webhooks_(std::make_unique<WebhookIntake>(service, settings, registry, log)),
      requests_(settings.limits.tenant_rate, settings.limits.tenant_burst),
      replays_(settings.limits.replay_rate, settings.limits.replay_burst),
      key_replays_(settings.limits.key_replay_rate, settings.limits.key_replay_burst),
      notary_(service.store(),
              {.key = [&settings] { return signing_key(settings); },
               .stopping = [this] { return draining(); },
               .warn = [&log](const std::string& what) { log.write(LogLevel::error, what); }}),
      instance_(random_instance()) {
  metrics_.add([this](std::string& out, const Store& store) {
    effect_metrics_->write(out, store);
    webhooks_->metrics().write(out, store);
  });
}

Application::~Application() { stop(); }

void Application::drain() {
  draining_ = true;
  waits_->drain();
}

void Application::stop() {
  readers_.join();
  watchers_.join();
  prover_.join();
  waits_->stop();
  webhooks_->stop();
}

std::string Application::request_id(std::uint64_t id) const {
  std::array<char, 16> digits{};
  const auto written = std::to_chars(digits.data(), digits.data() + digits.size(), id, 16);
  std::string text = instance_ + '-';
  text.append(digits.data(), written.ptr);
  return text;
}

void Application::handle(Worker& worker, Exchange& exchange, const Request& request, Reply reply) {
  exchange.id = next_id_.fetch_add(1, std::memory_order_relaxed);
  exchange.discreet = worker.keys().required();
  const auto target = parse_target(request.target);
  if (!target) {
    return reply.send(problem_response(
        problem_for(Rejection::malformed_request, "The address is not a well-formed path.")));
  }
  const Match match = find_route(request.method, *target);
  if (match.route == nullptr) {
    if (match.allow.empty())
      return reply.send(problem_response(problem_for(Rejection::no_such_address)));
    Response response{.status = 204};
    if (request.method != "OPTIONS")
      response = problem_response(problem_for(Rejection::method_not_allowed));
    add_header(response.headers, "Allow", match.allow);
    return reply.send(std::move(response));
  }
  note_header(exchange, *match.route, request);
  if (!let_in(worker, exchange, request, reply)) return;
  Context context{*this, worker, request, *target, exchange, std::move(reply)};
  match.handler(context);
}

bool Application::turn_away(Worker& worker, Exchange& exchange, const Request& head,
                            const Reply& reply) {
  const auto target = parse_target(head.target);
  const Match match = target ? find_route(head.method, *target) : Match{};
  if (match.route == nullptr || match.route->access == Access::open) return false;
  auto refusal = refuse_caller(worker, exchange, *match.route, head, *reply.connection());
  if (!refusal) return false;
  exchange.id = next_id_.fetch_add(1, std::memory_order_relaxed);
  note_header(exchange, *match.route, head);
  reply.send(std::move(*refusal));
  return true;
}

/// Why whoever sends this may not, whatever its body; nothing if it may. Notes who it is.
std::optional<Response> Application::refuse_caller(Worker& worker, Exchange& exchange,
                                                   const Route& route, const Request& request,
                                                   const Connection& connection) {
  auto identity = identify(worker, connection, authorization_of(request));
  if (!identity) return not_let_in(worker, authorization_of(request));
  exchange.identity = std::move(*identity);
  if (!exchange.identity.keyed) {
    if (auto why = foreign_page(request, settings_))
      return problem_response(problem_for(Rejection::forbidden, *why));
  }
  exchange.identified = true;
  if (allows(exchange.identity.role, route.access)) return std::nullopt;
  return problem_response(problem_for(
      Rejection::forbidden,
      fmt::format("The role of this key, {}, does not allow this. This call did nothing.",
                  name(exchange.identity.role))));
}

/// Notes what the header says of a request.
void Application::note_header(Exchange& exchange, const Route& route,
                              const Request& request) const {
  exchange.route = &route;
  if (settings_.log_requests) exchange.traceparent = traceparent_of(request);
  if (!route.keyed()) return;
  exchange.is_change = true;
  // Echoed whatever becomes of the request, if it is a key at all.
  const std::string_view key = request.field(Field::idempotency_key);
  auto token = parse_idempotency_key(key, settings_.token_bytes_max);
  if (token && request.count(Field::idempotency_key) == 1) {
    exchange.key = key;
    exchange.token = std::move(*token);
  }
}

/// A credential is wrong only if the keys could be read: else it is worth another try.
Response Application::not_let_in(Worker& worker, std::string_view authorization) {
  const auto credential = bearer(authorization);
  if (credential && KeyRing::can_be_key(*credential) && !worker.keys().trouble().empty()) {
    return problem_response(problem_for(
        Rejection::store_unavailable,
        "The service cannot read its keys now. This call did nothing: ask again later."));
  }
  Response response = problem_response(
      problem_for(Rejection::unauthenticated,
                  worker.keys().required() ? "" : "Without keys only this machine may call."));
  add_header(response.headers, "WWW-Authenticate", "Bearer");
  return response;
}

std::optional<Identity> Application::identify(Worker& worker, const Connection& connection,
                                              std::string_view authorization) {
  if (!worker.keys().required()) {
    return connection.loopback() ? std::optional<Identity>(Identity{}) : std::nullopt;
  }
  const auto credential = bearer(authorization);
  auto identity = credential ? worker.keys().identify(*credential) : std::nullopt;
  if (!identity && !worker.keys().trouble().empty()) {
    log_.warn_seldom("nobody is let in", {{"error", worker.keys().trouble()}});
  }
  return identity;
}

/// Authentication, authorisation and rate, in that order.
bool Application::let_in(Worker& worker, Exchange& exchange, const Request& request,
                         const Reply& reply) {
  if (exchange.route->access == Access::open) return true;
  auto refusal = refuse_caller(worker, exchange, *exchange.route, request, *reply.connection());
  if (refusal) {
    reply.send(std::move(*refusal));
    return false;
  }
  const auto wait = requests_.take(exchange.identity.caller.tenant, SteadyClock::now());
  if (wait.count() > 0) {
    reply.send(throttled(wait));
    return false;
  }
  return true;
}

std::chrono::seconds Application::take_replay(const std::string& tenant, const std::string& token) {
  if (key_replays_.limits()) {
    const auto wait = key_replays_.take(tenant + '\n' + token, SteadyClock::now());
    if (wait.count() > 0) return wait;
  }
  if (!replays_.limits()) return std::chrono::seconds(0);  // it counts as any request does
  requests_.give_back(tenant);
  return replays_.take(tenant, SteadyClock::now());
}

Response Application::response_to(Exchange& exchange, const Answer& given) {
  if (!holds_secrets(given)) return response_to_open(exchange, given);
  Answer answer = given;
  open_secrets(answer, exchange.identity.caller.tenant, registry_);
  return response_to_open(exchange, answer);
}

Response Application::response_to_open(Exchange& exchange, const Answer& answer) {
  if (answer.replayed) {
    const auto wait = take_replay(exchange.identity.caller.tenant, answer.token);
    if (wait.count() > 0) {
      return throttled(wait,
                       "This tenant repeats calls too often. Ask again later with the same token.");
    }
  }
  metrics_.count(answer, SteadyClock::now() - exchange.received);
  count_command(answer, registry_, metrics_);
  effect_metrics_->count(answer);
  note_trouble(answer);

  Response response{.status = http_status(answer)};
  response.headers.reserve(256);
  response.body.reserve(384);
  JsonWriter json(response.body);
  if (answer.rejection) {
    Problem problem = problem_of_change(answer, settings_.conflict_status, exchange.discreet);
    if (problem.request_id.empty()) problem.request_id = request_id(exchange.id);
    response.status = problem.status;
    response.content_type = "application/problem+json";
    // Sent again as it is, it would only be asked again for what is missing.
    const bool lacks_something = answer.rejection == Rejection::confirmation_required ||
                                 answer.rejection == Rejection::execution_refused;
    const bool as_it_is = problem.retryable && !lacks_something;
    add_retry_headers(response.headers, as_it_is, problem.token_action, problem.status);
    write_problem(json, problem);
  } else {
    write_answer(json, answer);
  }
  const auto settles_at = where_it_settles(answer);
  if (settles_at) {
    add_header(response.headers, "Location", *settles_at);
    add_header(response.headers, "Retry-After", "1");
  } else if (answer.rejection == Rejection::in_progress) {
    add_header(response.headers, "Location", "/v1/tokens/" + percent_encoded(answer.token));
  } else if (!answer.rejection && spec_of(answer.operation).creates()) {
    if (answer.hold) {
      add_header(response.headers, "Location", "/v1/holds/", text_of(answer.hold->id));
    } else if (const auto group = group_in(answer)) {
      add_header(response.headers, "Location", "/v1/groups/" + group->id.text());
    } else if (const auto id = scalar_at(answer.document, "/id")) {
      const std::string_view pattern = spec_of(answer.operation).address.pattern;
      add_header(response.headers, "Location", pattern, "/" + percent_encoded(*id));
    }
  }
  add_header(response.headers, "Idempotent-Replayed", answer.replayed ? "true" : "false");
  if (!exchange.key.empty()) {
    add_header(response.headers, "Idempotency-Key", exchange.key);
  } else if (finds_token(answer)) {
    add_header(response.headers, "Idempotency-Key", key_text(answer.token));
  }
  const bool spent = answer.recorded || answer.collided;
  if (spent && answer.token_expires != Instant{}) {
    add_header(response.headers, "Idempotency-Expires", time_text(answer.token_expires));
  }
  if (settings_.log_requests) {
    exchange.operation = answer.operation;
    exchange.outcome = outcome_text(answer);
    exchange.replayed = answer.replayed;
  }
  return response;
}

/// Whether the token is not the caller's header, and is one that can be told.
bool Application::finds_token(const Answer& answer) const {
  if (settings_.policies[answer.operation].key_mode == KeyMode::derived) return true;
  return spec_of(answer.operation).key_optional &&
         is_token(answer.token, settings_.token_bytes_max);
}

void Application::note_trouble(const Answer& answer) {
  if (answer.rejection != Rejection::store_unavailable || answer.note.empty()) return;
  log_.warn_seldom(
      "a change could not be stored",
      {{"error", answer.note}, {"effect", answer.effect == Effect::none ? "none" : "unknown"}});
}

Response Application::response_to_unreadable(Exchange& exchange, const ReadError& error,
                                             const Request* head) {
  exchange.id = next_id_.fetch_add(1, std::memory_order_relaxed);
  if (head != nullptr) {
    const auto target = parse_target(head->target);
    const Match match = target ? find_route(head->method, *target) : Match{};
    if (match.route != nullptr) note_header(exchange, *match.route, *head);
  }
  Problem problem = problem_for(error.rejection, error.detail);
  problem.status = error.status;
  Response response = problem_response(std::move(problem));
  response.close = true;
  return response;
}

void Application::finish(const Exchange& exchange, Response& response) {
  if (response.problem) {
    const bool let_in =
        exchange.identified || exchange.route == nullptr || exchange.route->access == Access::open;
    if (response.problem->code == row(Rejection::store_unavailable).code && let_in && !draining_)
      log_.warn_seldom("the store cannot be used", {{"error", response.problem->detail}});
    if (response.is_inner && exchange.discreet)
      response.problem->detail = fmt::format("{}; ask again later.", discreet_words);
    response.problem->request_id = request_id(exchange.id);
    JsonWriter json(response.body);
    write_problem(json, *response.problem);
    if (exchange.is_change) {
      add_header(response.headers, "Idempotent-Replayed", "false");
      if (!exchange.key.empty()) add_header(response.headers, "Idempotency-Key", exchange.key);
    }
  }
  add_header(response.headers, "Date", date_text(store().now()));
  add_header(response.headers, "X-Request-Id", request_id(exchange.id));
  const std::size_t route = exchange.route == nullptr
                                ? SIZE_MAX
                                : static_cast<std::size_t>(exchange.route - routes().data());
  metrics_.count(route, response.status);
  if (!settings_.log_requests || !log_.writes(LogLevel::info)) return;
  const auto took =
      std::chrono::duration<double, std::milli>(SteadyClock::now() - exchange.received);
  std::vector<Log::Member> members{
      {"request_id", request_id(exchange.id)},
      {"method", std::string(exchange.route == nullptr ? "other" : exchange.route->method)},
      {"route", std::string(exchange.route == nullptr ? "other" : exchange.route->pattern)},
      {"status", std::to_string(response.status)},
      {"ms", fmt::format("{:.3f}", took.count())}};
  if (exchange.identified) {
    members.emplace_back("tenant", exchange.identity.caller.tenant);
    members.emplace_back("principal", exchange.identity.caller.principal);
  }
  if (!exchange.traceparent.empty()) members.emplace_back("traceparent", exchange.traceparent);
  if (!exchange.outcome.empty()) {
    members.emplace_back("operation", std::string(name(exchange.operation)));
    members.emplace_back("outcome", exchange.outcome);
    members.emplace_back("replayed", exchange.replayed ? "true" : "false");
  }
  log_.write(LogLevel::info, "request", members);
}

void Application::read(const Reply& reply, std::function<Response()> work) {
  boost::asio::post(readers_,
                    [reply, work = std::move(work)] { reply.send_from_anywhere(work()); });
}

void Application::watch(const Reply& reply, std::function<Response()> work) {
  boost::asio::post(watchers_,
                    [reply, work = std::move(work)] { reply.send_from_anywhere(work()); });
}

void Application::prove(const Reply& reply, Proving work) {
  const evidence::Deadline until = SteadyClock::now() + settings_.limits.evidence_deadline;
  boost::asio::post(prover_, [this, reply, until, work = std::move(work)] {
    reply.send_from_anywhere(work(notary_, until));
  });
}

void Application::run(std::function<void()> work) { boost::asio::post(readers_, std::move(work)); }

bool Application::take_stream() {
  if (streams_.fetch_add(1) < settings_.limits.event_streams_max) return true;
  --streams_;
  return false;
}

}  // namespace holdfast::http

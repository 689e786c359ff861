// How the service itself is doing.

#include "domain/digest.hpp"
#include "engine/auditing.hpp"
#include "holdfast/version.hpp"
#include "http/changes.hpp"
#include "http/openapi.hpp"
#include "http/problem.hpp"
#include "http/router.hpp"

namespace holdfast::http {

void show_live(Context& context) { context.reply.send({.body = R"({"status":"live"})"}); }

/// Whether a load balancer should send requests here.
void show_ready(Context& context) {
  if (context.application.draining()) {
    return context.reply.send(problem_response(
        problem_for(Rejection::store_unavailable, "The service is being stopped.")));
  }
  context.application.read(context.reply, [&application = context.application] {
    const auto ready = application.store().ready();
    return ready ? Response{.body = R"({"status":"ready"})"} : store_problem(ready.error());
  });
}

/// Judges the whole store, and says of it what concerns the caller's tenant.
void run_audit(Context& context) {
  if (!context.application.begin_audit()) {
    return context.reply.send(problem_response(
        problem_for(Rejection::overloaded, "An audit is already running; ask again later.")));
  }
  context.application.read(context.reply, [&application = context.application,
                                           tenant = context.exchange.identity.caller.tenant] {
    const std::string& store = application.settings().store;
    auto reader = store == ":memory:" ? records_of(application.store()) : read_records(store);
    auto verdict = reader ? audit_records(**reader) : tl::unexpected(reader.error());
    application.end_audit();
    if (!verdict) return store_problem(verdict.error());
    std::erase_if(verdict->report.violations, [&](const Violation& each) {
      return !each.tenant.empty() && each.tenant != tenant;
    });
    Response response;
    JsonWriter json(response.body);
    write_verdict(json, *verdict);
    return response;
  });
}

void show_metrics(Context& context) {
  context.application.read(context.reply, [&application = context.application] {
    return Response{
        .content_type = "text/plain; version=0.0.4",
        .body = application.metrics().text(application.service(), application.streams())};
  });
}

void show_version(Context& context) {
  Response response;
  JsonWriter json(response.body);
  json.begin_object();
  json.key("name");
  json.string("holdfast");
  json.key("version");
  json.string(version);
  json.key("digest");
  json.string(digest_function);
  json.end_object();
  context.reply.send(std::move(response));
}

void show_openapi(Context& context) { context.reply.send({.body = std::string(openapi_json())}); }

}  // namespace holdfast::http

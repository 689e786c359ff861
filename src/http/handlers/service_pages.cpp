// How the service itself is doing.

#include <fmt/format.h>

#include "domain/digest.hpp"
#include "engine/auditing.hpp"
#include "holdfast/version.hpp"
#include "http/handlers/changes.hpp"
#include "http/handlers/listing.hpp"
#include "http/handlers/problem.hpp"
#include "http/router.hpp"
#include "openapi/document.hpp"
#include "wire/verdict.hpp"

namespace holdfast::http {

void show_live(Context& context) { context.reply.send({.body = R"({"status":"live"})"}); }

namespace {

/// A store that takes longer over a batch cannot be said to take changes.
constexpr std::chrono::seconds patience{5};

}  // namespace

/// Whether a load balancer should send requests here.
void show_ready(Context& context) {
  if (context.application.draining()) {
    return context.reply.send(problem_response(
        problem_for(Rejection::store_unavailable, "The service is being stopped.")));
  }
  if (context.application.service().at_work_for() > patience) {
    return context.reply.send(problem_response(
        problem_for(Rejection::store_unavailable,
                    fmt::format("The store has been at work on one batch for more than {} seconds.",
                                patience.count()))));
  }
  context.application.watch(context.reply, [&application = context.application] {
    const auto ready = application.store().ready();
    return ready ? Response{.body = R"({"status":"ready"})"} : store_problem(ready.error());
  });
}

namespace {

/// Ends when the service is being stopped: a large store takes longer than a stop may.
class UntilStopped final : public RecordReader {
 public:
  UntilStopped(RecordReader& reader, const Application& application)
      : reader_(reader), application_(application) {}

  StoreResult<void> read(std::uint64_t after, std::size_t limit,
                         std::vector<Record>& out) override {
    if (!application_.draining()) return reader_.read(after, limit, out);
    return tl::unexpected(StoreError{Effect::none, "The service is being stopped."});
  }
  [[nodiscard]] const std::vector<std::uint64_t>& broken() const override {
    return reader_.broken();
  }
  [[nodiscard]] std::uint64_t last_seq() const override { return reader_.last_seq(); }
  [[nodiscard]] const Rules& rules() const override { return reader_.rules(); }

 private:
  RecordReader& reader_;
  const Application& application_;
};

StoreResult<Verdict> audit(const Application& application) {
  const std::string& store = application.settings().store;
  auto reader = store == ":memory:" ? records_of(application.store()) : read_records(store);
  if (!reader) return tl::unexpected(reader.error());
  UntilStopped until_stopped(**reader, application);
  return audit_records(until_stopped);
}

}  // namespace

/// Judges the whole store, and says of it what concerns the caller's tenant.
void run_audit(Context& context) {
  if (!check_no_query(context)) return;
  if (!context.application.begin_audit()) {
    return context.reply.send(problem_response(
        problem_for(Rejection::overloaded, "An audit is already running; ask again later.")));
  }
  context.application.read(context.reply, [&application = context.application,
                                           tenant = context.exchange.identity.caller.tenant] {
    auto verdict = audit(application);
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

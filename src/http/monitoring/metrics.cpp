#include "http/monitoring/metrics.hpp"

#include <fmt/format.h>

#include <iterator>
#include <optional>

#include "holdfast/version.hpp"
#include "routes/routes.hpp"

namespace holdfast::http {
namespace {

constexpr std::array<std::string_view, 4> claim_names{"fresh", "replayed", "collision",
                                                      "in_flight"};

std::size_t outcome_of(const Answer& answer) {
  if (!answer.rejection) return 0;
  return static_cast<std::size_t>(*answer.rejection) -
         static_cast<std::size_t>(rejection_table.front().id) + 1;
}

/// What claiming the token came to; nothing if it did not come to that.
std::optional<std::size_t> claim_of(const Answer& answer) {
  if (answer.replayed) return 1;
  if (answer.collided) return 2;
  if (answer.rejection == Rejection::in_progress) return 3;
  const bool refused_before =
      answer.rejection && row(*answer.rejection).recorded == Recorded::never;
  if (refused_before) return std::nullopt;
  return 0;
}

void write_state(std::string& out, const Service& service, std::size_t streams,
                 std::int64_t connections) {
  const Counts counts = service.store().counts();
  write_gauge(out, "holdfast_queue_calls", "Calls waiting for the writer.", service.queued());
  write_head(out, "holdfast_holds", "gauge", "Holds by state.");
  write_line(out, "holdfast_holds", R"(state="held")", counts.live_holds);
  write_line(out, "holdfast_holds", R"(state="confirmed")", counts.confirmed_holds);
  write_line(out, "holdfast_holds", R"(state="released")", counts.released_holds);
  write_line(out, "holdfast_holds", R"(state="expired")", counts.expired_holds);
  write_gauge(out, "holdfast_tokens", "Tokens within their window.", counts.live_tokens);
  write_gauge(out, "holdfast_resources", "Resources ever held or declared.", counts.resources);
  write_gauge(out, "holdfast_evidence_head", "Sequence number of the last durable record.",
              counts.records);
  double lag = 0;
  const Instant now = service.store().now();
  if (counts.next_expiry && *counts.next_expiry < now)
    lag = std::chrono::duration<double>(now - *counts.next_expiry).count();
  write_gauge(out, "holdfast_expiry_lag_seconds",
              "How long the oldest lapsed hold awaits the sweeper.", lag);
  write_gauge(out, "holdfast_connections", "Open connections.", connections);
  write_gauge(out, "holdfast_event_streams", "Open streams of events.", streams);
}

}  // namespace

void Metrics::count(const Answer& answer, std::chrono::nanoseconds took) {
  if (answer.operation == Operation::none) return;
  auto& outcome = answers_[static_cast<std::size_t>(answer.operation)][outcome_of(answer)];
  outcome[answer.replayed ? 1 : 0].fetch_add(1, std::memory_order_relaxed);
  if (const auto claim = claim_of(answer)) claims_[*claim].fetch_add(1, std::memory_order_relaxed);
  request_seconds_.observe(std::chrono::duration<double>(took).count());
}

void Metrics::count_command(const std::string& command, std::string_view status) {
  const std::lock_guard lock(commands_mutex_);
  ++commands_[{command, std::string(status)}];
}

void Metrics::count(std::size_t route, int status) {
  std::size_t at = 0;
  while (at + 1 < statuses.size() && statuses[at] != status) ++at;
  responses_[std::min(route, routes_max - 1)][at].fetch_add(1, std::memory_order_relaxed);
}

void Metrics::count(const BatchReport& batch) {
  if (batch.calls == 0) return;
  batch_calls_.observe(static_cast<double>(batch.calls));
  commit_seconds_.observe(std::chrono::duration<double>(batch.committing).count());
}

std::string Metrics::text(const Service& service, std::size_t streams) const {
  std::string out;
  write_head(out, "holdfast_build_info", "gauge", "The version that is running.");
  write_line(out, "holdfast_build_info", fmt::format("version=\"{}\"", version), 1);

  write_head(out, "holdfast_requests_total", "counter",
             "Answers to state changes by operation and outcome; a replay changed nothing.");
  for (const OperationRow& operation : operations()) {
    const auto& row = answers_[static_cast<std::size_t>(operation.id)];
    for (std::size_t i = 0; i < outcomes; ++i) {
      const std::string_view outcome = i == 0 ? "done" : rejection_table[i - 1].name;
      for (std::size_t replayed = 0; replayed < 2; ++replayed) {
        const std::uint64_t value = row[i][replayed];
        if (value == 0 && i != 0) continue;
        write_line(out, "holdfast_requests_total",
                   fmt::format("operation=\"{}\",outcome=\"{}\",replayed=\"{}\"", operation.name,
                               outcome, replayed == 1 ? "true" : "false"),
                   value);
      }
    }
  }
  write_head(out, "holdfast_histories_lost_total", "counter",
             "How often records that were seen in a shared store were gone: it was set back.");
  write_line(out, "holdfast_histories_lost_total", "", histories_lost_.load());
  write_head(out, "holdfast_commands_submitted_total", "counter",
             "Commands by how their first answer said they stood.");
  {
    const std::lock_guard lock(commands_mutex_);
    for (const auto& [labels, value] : commands_) {
      write_line(out, "holdfast_commands_submitted_total",
                 fmt::format("command=\"{}\",status=\"{}\"", labels.first, labels.second), value);
    }
  }
  write_head(out, "holdfast_claims_total", "counter", "What claiming a token came to.");
  for (std::size_t i = 0; i < claims_.size(); ++i) {
    write_line(out, "holdfast_claims_total", fmt::format("decision=\"{}\"", claim_names[i]),
               claims_[i].load());
  }
  write_head(out, "holdfast_http_responses_total", "counter", "Answers by address and status.");
  for (std::size_t i = 0; i < routes_max; ++i) {
    for (std::size_t j = 0; j < statuses.size(); ++j) {
      const std::uint64_t value = responses_[i][j];
      if (value == 0) continue;
      const bool known = i < routes().size();
      write_line(
          out, "holdfast_http_responses_total",
          fmt::format("method=\"{}\",route=\"{}\",status=\"{}\"",
                      known ? routes()[i].method : "other", known ? routes()[i].pattern : "other",
                      statuses[j] == 0 ? "other" : std::to_string(statuses[j])),
          value);
    }
  }
  write_head(out, "holdfast_request_seconds", "histogram",
             "From reading a state change to answering.");
  request_seconds_.write(out, "holdfast_request_seconds", "");
  write_head(out, "holdfast_commit_seconds", "histogram",
             "From taking a batch until it was durable.");
  commit_seconds_.write(out, "holdfast_commit_seconds", "");
  write_head(out, "holdfast_batch_calls", "histogram", "Calls made durable together.");
  batch_calls_.write(out, "holdfast_batch_calls", "");
  write_state(out, service, streams, connections_);
  for (const Part& each : parts_) each(out, service.store());
  return out;
}

}  // namespace holdfast::http

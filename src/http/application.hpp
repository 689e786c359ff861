#pragma once

#include <atomic>
#include <boost/asio/thread_pool.hpp>
#include <functional>
#include <memory>
#include <string>

#include "engine/service.hpp"
#include "evidence/notary.hpp"
#include "http/monitoring/log.hpp"
#include "http/monitoring/metrics.hpp"
#include "http/rate_limiter.hpp"
#include "http/transport/exchange.hpp"
#include "http/transport/request_reader.hpp"
#include "settings/settings.hpp"

namespace holdfast::http {

class CommandWaits;
class EffectMetrics;
class RegistryKeeper;
class WebhookIntake;
class Worker;

/// Everything between the connections and the engine: who may do what, which address does it, what
/// the answer looks like. All members may be called from any thread.
class Application {
 public:
  /// All of these must outlive it.
  Application(Service& service, const Settings& settings, Log& log, Metrics& metrics,
              RegistryKeeper& registry);
  ~Application();
  Application(const Application&) = delete;
  Application& operator=(const Application&) = delete;

  [[nodiscard]] const Settings& settings() const { return settings_; }
  [[nodiscard]] Service& service() { return service_; }
  [[nodiscard]] const Store& store() const { return service_.store(); }
  [[nodiscard]] Metrics& metrics() { return metrics_; }
  [[nodiscard]] Log& log() { return log_; }
  [[nodiscard]] RegistryKeeper& registry() { return registry_; }
  [[nodiscard]] CommandWaits& waits() { return *waits_; }
  [[nodiscard]] EffectMetrics& effect_metrics() { return *effect_metrics_; }
  [[nodiscard]] WebhookIntake& webhooks() { return *webhooks_; }

  /// Answers a request through `reply`, now or later.
  void handle(Worker& worker, Exchange& exchange, const Request& request, Reply reply);

  /// Answers a request of which only the header has come, if who sends it is not let in or may not
  /// do this: the body need not come. False if it may.
  [[nodiscard]] bool turn_away(Worker& worker, Exchange& exchange, const Request& head,
                               const Reply& reply);

  /// The response to a state change, with the headers that belong to it.
  [[nodiscard]] Response response_to(Exchange& exchange, const Answer& answer);
  /// The response to what could not even be read; `head` is its header, if that could.
  [[nodiscard]] Response response_to_unreadable(Exchange& exchange, const ReadError& error,
                                                const Request* head);
  /// What a caller is told of the store, its operator is told, too.
  void note_trouble(const Answer& answer);
  /// Who calls, with that `Authorization`; nobody if it gives no right to. Asked again for whatever
  /// outlives a request. On the worker's thread.
  [[nodiscard]] std::optional<Identity> identify(Worker& worker, const Connection& connection,
                                                 std::string_view authorization);
  /// Finishes a response that is about to be sent: gives it what every response has, its number
  /// among it; counts and logs the exchange.
  void finish(const Exchange& exchange, Response& response);

  /// Runs a read where it may wait for the disk, and sends what it gives.
  void read(const Reply& reply, std::function<Response()> work);
  /// The same on threads of its own: reads that wait for a disk do not stand in its way.
  void watch(const Reply& reply, std::function<Response()> work);
  /// The same with what proves to outsiders what was decided, one after the other: a journal that
  /// is read from its beginning does not stand in the way of other reads.
  using Proving = std::function<Response(evidence::Notary&, evidence::Deadline)>;
  void prove(const Reply& reply, Proving work);
  /// The same for what is more than one answer.
  void run(std::function<void()> work);

  /// What a request is called in logs and problems.
  [[nodiscard]] std::string request_id(std::uint64_t id) const;

  /// From now on `/readyz` says no, and nobody waits for commands.
  void drain();
  [[nodiscard]] bool draining() const { return draining_; }
  /// Waits for reads under way. No request may arrive afterwards.
  void stop();

  /// Takes one of the places for streams; false when all are taken.
  [[nodiscard]] bool take_stream();
  void give_back_stream() { --streams_; }
  [[nodiscard]] std::size_t streams() const { return streams_; }

  /// What a tenant may ask.
  [[nodiscard]] RateLimiter& requests() { return requests_; }
  /// A tenant is about to be told something again. If that has a rate of its own it counts there,
  /// and no longer as a request. A token may have a rate besides. Zero if it may be told; else
  /// after how long.
  [[nodiscard]] std::chrono::seconds take_replay(const std::string& tenant,
                                                 const std::string& token);

  /// One audit at a time: it reads everything. False while another runs.
  [[nodiscard]] bool begin_audit() { return !auditing_.exchange(true); }
  void end_audit() { auditing_ = false; }

 private:
  [[nodiscard]] Response response_to_open(Exchange& exchange, const Answer& answer);
  [[nodiscard]] bool finds_token(const Answer& answer) const;
  void note_header(Exchange& exchange, const Route& route, const Request& request) const;
  [[nodiscard]] std::optional<Response> refuse_caller(Worker& worker, Exchange& exchange,
                                                      const Route& route, const Request& request,
                                                      const Connection& connection);
  [[nodiscard]] static Response not_let_in(Worker& worker, std::string_view authorization);
  [[nodiscard]] bool let_in(Worker& worker, Exchange& exchange, const Request& request,
                            const Reply& reply);

  Service& service_;
  const Settings& settings_;
  Log& log_;
  Metrics& metrics_;
  RegistryKeeper& registry_;
  std::unique_ptr<CommandWaits> waits_;
  std::unique_ptr<EffectMetrics> effect_metrics_;
  std::unique_ptr<WebhookIntake> webhooks_;
  RateLimiter requests_;
  RateLimiter replays_;
  RateLimiter key_replays_;
  evidence::Notary notary_;  ///< the prover's
  boost::asio::thread_pool readers_{3};
  boost::asio::thread_pool watchers_{3};
  boost::asio::thread_pool prover_{1};
  std::string instance_;  ///< tells this process's requests from another's
  std::atomic<std::uint64_t> next_id_{1};
  std::atomic<bool> draining_{false};
  std::atomic<std::size_t> streams_{0};
  std::atomic<bool> auditing_{false};
};

}  // namespace holdfast::http

#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <tl/expected.hpp>
#include <vector>

#include "engine/service.hpp"
#include "modules/subscriptions/subscription_row.hpp"
#include "outbound/client.hpp"

namespace holdfast::deliveries {

/// How sending an event ended.
enum class Ending : std::uint8_t {
  taken,   ///< the receiver took it in
  failed,  ///< it is sent again
  gone,    ///< there is no such receiver any more
};
inline constexpr std::array endings{Ending::taken, Ending::failed, Ending::gone};
[[nodiscard]] std::string_view name(Ending ending);

struct Delivery {
  Ending ending = Ending::failed;
  std::chrono::nanoseconds took{};
};

struct Options {
  std::size_t threads = 4;  ///< how many subscriptions are served at once
  /// How often it looks for what other nodes have recorded, and for what is to be tried again.
  Duration look_every = std::chrono::seconds(1);
  Duration lease = std::chrono::seconds(60);
  Duration timeout = std::chrono::seconds(15);  ///< of one delivery
  outbound::Options outbound{};
  /// Told of every event that was sent, on a thread of its own subscription. Must not block.
  std::function<void(const Delivery&)> sent{};
};

/// Sends events to subscribers, in commit order, each at least once.
///
/// A subscription is served by one dispatcher at a time, of whichever node: the lease and its fence
/// are in the store. How far it has come is told the store every so many events; what a process
/// that died had not told is sent again, with the same id.
class Deliverer {
 public:
  /// Starts its threads. `service` must outlive it. The error is one line.
  [[nodiscard]] static tl::expected<std::unique_ptr<Deliverer>, std::string> start(Service& service,
                                                                                   Options options);
  ~Deliverer();
  Deliverer(const Deliverer&) = delete;
  Deliverer& operator=(const Deliverer&) = delete;

  /// There are new records. From any thread; does not block, and costs nothing where there are no
  /// subscriptions.
  void wake();
  /// Ends what is under way; what was not taken in is sent again later. Called by the destructor.
  void stop();

 private:
  Deliverer(Service& service, Options options, std::unique_ptr<outbound::Client> client);

  void look_loop();
  void look();
  [[nodiscard]] bool has_news(const subscriptions::SubscriptionRow& row);
  void serve_loop();
  void serve(const subscriptions::SubscriptionRow& row);

  Service& service_;
  const Options options_;
  const std::unique_ptr<outbound::Client> client_;

  std::mutex mutex_;
  std::condition_variable wake_looker_;
  std::condition_variable wake_servers_;
  // Guarded by the mutex.
  std::vector<subscriptions::SubscriptionRow> to_serve_;
  std::set<std::string> at_work_;  ///< ids of those that are served, or are to be
  bool woken_ = false;
  bool stopping_ = false;

  std::atomic<bool> any_{false};      ///< there are subscriptions
  std::atomic<bool> stopped_{false};  ///< what `stopping_` says, for who has no lock

  /// How far a subscription was looked through without finding an event, under which fence.
  struct Looked {
    std::uint64_t fence = 0;
    std::uint64_t to = 0;
  };
  std::map<std::string, Looked> looked_;  ///< by id; the looker's own

  std::vector<std::thread> threads_;
};

}  // namespace holdfast::deliveries

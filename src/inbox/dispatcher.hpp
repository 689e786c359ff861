#pragma once

#include <functional>
#include <memory>
#include <string>

#include "engine/service.hpp"
#include "modules/webhooks/source.hpp"
#include "outbound/client.hpp"

namespace holdfast::inbox {

struct DispatcherOptions {
  std::shared_ptr<Random> random = system_random();
  /// How often it looks for entries that have become ready by themselves, or were taken in by other
  /// nodes.
  Duration look_every = std::chrono::milliseconds(200);
  Duration stop_limit = std::chrono::seconds(10);
  std::size_t at_once_max = 16;  ///< entries of one source
  /// Told what operators should know: a line. On the dispatcher's thread.
  std::function<void(const std::string&)> log{};
};

/// Sees to what follows from webhooks: submits commands, and sends webhooks on. Those that are
/// pulled are their workers'.
///
/// All that matters is in the store. Entries are leased, completed and failed by calls of the
/// service like any other. A dispatcher that is killed loses nothing: its leases end, and whoever
/// runs next goes on. A command runs once, since its key is made of source and event id. A webhook
/// may be sent on twice, with the same `Idempotency-Key`.
///
/// All public members may be called from any thread.
class Dispatcher {
 public:
  /// Those that are declared now; null: none are.
  using Declared = std::function<std::shared_ptr<const webhooks::Sources>()>;

  /// `service`, which prepares commands, and `client` must outlive it.
  Dispatcher(Service& service, outbound::Client& client, Declared declared,
             DispatcherOptions options);
  ~Dispatcher();
  Dispatcher(const Dispatcher&) = delete;
  Dispatcher& operator=(const Dispatcher&) = delete;

  /// To be called with every batch that became durable: what was taken in is seen to at once.
  void note(const BatchReport& batch);

  /// Leases nothing more, and waits until what is under way is reported, but no longer than the
  /// limit: the rest is left to its leases. Called by the destructor, too.
  void stop();

 private:
  class Impl;
  const std::unique_ptr<Impl> impl_;
};

}  // namespace holdfast::inbox

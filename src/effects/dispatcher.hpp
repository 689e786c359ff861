#pragma once

#include <functional>
#include <memory>
#include <string>

#include "effects/figures.hpp"
#include "effects/runner.hpp"
#include "engine/service.hpp"

namespace holdfast::effects {

struct DispatcherOptions {
  Performers performers{};
  std::shared_ptr<Random> random = system_random();
  /// How often it looks for effects that have become ready by themselves, or were accepted by other
  /// nodes.
  Duration look_every = std::chrono::milliseconds(200);
  Duration stop_limit = std::chrono::seconds(10);
  /// Told what operators should know: a line, without secrets. On the dispatcher's thread.
  std::function<void(const std::string&)> log{};
  Watchers watchers{};
};

/// Sees to effects: leases those that are ready, has them performed, and reports what came of it.
///
/// All that matters is in the store. Effects are leased, renewed, completed and failed by calls of
/// the service like any other, with the tenant of the effect and the principal `holdfast`; leases,
/// which are of all tenants, have the tenant `holdfast`. A dispatcher that is killed loses nothing:
/// its leases end, and whoever runs next goes on as each shield says.
///
/// At most `concurrency_max` effects of a provider are performed at once by one dispatcher, and
/// none while its circuit is open or it asked to be left alone (`Retry-After`): then effects stay
/// where they are, and no attempt is used up. An effect is ready when its back-off says so.
///
/// All public members may be called from any thread.
class Dispatcher {
 public:
  /// `service` must outlive it, and its `prepare` be the same preparer.
  Dispatcher(Service& service, std::shared_ptr<const commands::Preparer> preparer,
             DispatcherOptions options);
  ~Dispatcher();
  Dispatcher(const Dispatcher&) = delete;
  Dispatcher& operator=(const Dispatcher&) = delete;

  /// To be called with every batch that became durable: what was accepted in it is seen to at once.
  void note(const BatchReport& batch);

  /// Leases nothing more, and waits until what is under way is reported, but no longer than the
  /// limit: the rest is left to its leases. Called by the destructor, too.
  void stop();

  /// Of every provider whose effects it sees to.
  [[nodiscard]] FiguresByProvider figures() const;

 private:
  class Impl;
  const std::unique_ptr<Impl> impl_;
};

}  // namespace holdfast::effects

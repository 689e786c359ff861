#pragma once

#include <boost/asio/thread_pool.hpp>
#include <map>
#include <string>

#include "effects/job.hpp"
#include "holdfast/effects.hpp"

namespace holdfast::effects {

/// Has effects done by C++ functions, on threads of its own.
class HandlerPerformer final : public Performer {
 public:
  HandlerPerformer(std::map<std::string, EffectHandler> handlers, std::size_t threads);
  /// Waits for handlers under way.
  ~HandlerPerformer() override;

  void perform(const std::shared_ptr<const Job>& job, Done done) override;
  [[nodiscard]] bool does(const commands::Effect& effect) const override {
    return handlers_.contains(effect.provider);
  }
  /// Calls no more handlers, and waits for those under way.
  void stop();

 private:
  const std::map<std::string, EffectHandler> handlers_;
  std::atomic<bool> stopping_{false};
  boost::asio::thread_pool threads_;
};

/// What a handler's result says, bounded, and without what is secret in the job's arguments.
[[nodiscard]] Finding finding_of(const Job& job, const HandlerResult& result);

}  // namespace holdfast::effects

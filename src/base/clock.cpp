#include "holdfast/clock.hpp"

namespace holdfast {
namespace {

class SystemClock final : public Clock {
 public:
  [[nodiscard]] Instant now() const override {
    return std::chrono::time_point_cast<Duration>(std::chrono::system_clock::now());
  }
};

}  // namespace

std::shared_ptr<Clock> system_clock() {
  static const std::shared_ptr<Clock> clock = std::make_shared<SystemClock>();
  return clock;
}

}  // namespace holdfast

#include <ctime>

#include "effects/job.hpp"

namespace holdfast::effects {

Time time_now() {
  timespec now{};
  (void)::clock_gettime(CLOCK_BOOTTIME, &now);
  return Time(std::chrono::seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec));
}

}  // namespace holdfast::effects

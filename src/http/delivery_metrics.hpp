#pragma once

#include <array>
#include <atomic>
#include <string>

#include "deliveries/deliverer.hpp"
#include "http/monitoring/exposition.hpp"

namespace holdfast::http {

/// Events that this node sent to subscribers. Subscriptions are anybody's to make, and are no
/// label. All members may be called from any thread.
class DeliveryMetrics {
 public:
  void count(const deliveries::Delivery& delivery);
  void write(std::string& out) const;

 private:
  std::array<std::atomic<std::uint64_t>, deliveries::endings.size()> sent_{};
  Histogram<second_bounds.size()> seconds_{second_bounds};
};

}  // namespace holdfast::http

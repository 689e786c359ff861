#include "http/delivery_metrics.hpp"

namespace holdfast::http {
namespace {

constexpr std::string_view sent_name = "holdfast_deliveries_total";
constexpr std::string_view delivery_seconds = "holdfast_delivery_seconds";

}  // namespace

void DeliveryMetrics::count(const deliveries::Delivery& delivery) {
  sent_[static_cast<std::size_t>(delivery.ending)].fetch_add(1, std::memory_order_relaxed);
  seconds_.observe(std::chrono::duration<double>(delivery.took).count());
}

void DeliveryMetrics::write(std::string& out) const {
  write_head(out, sent_name, "counter", "Events that were sent to subscribers, by how that ended.");
  for (const deliveries::Ending each : deliveries::endings)
    write_line(out, sent_name, fmt::format("outcome=\"{}\"", name(each)),
               sent_[static_cast<std::size_t>(each)].load(std::memory_order_relaxed));
  write_head(out, delivery_seconds, "histogram", "From sending an event to its answer.");
  seconds_.write(out, delivery_seconds, "");
}

}  // namespace holdfast::http

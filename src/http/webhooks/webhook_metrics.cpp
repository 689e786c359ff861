#include "http/webhooks/webhook_metrics.hpp"

#include <array>

#include "modules/webhooks/inbox_rows.hpp"

namespace holdfast::http {
namespace {

using webhooks::Status;
using webhooks::WorkRow;

constexpr std::string_view received_name = "holdfast_webhooks_total";
constexpr std::string_view entries_name = "holdfast_inbox_entries";

/// How the entries of a list stand.
Status status_of(std::string_view list) {
  for (const Status each : {Status::processing, Status::dead}) {
    if (list.substr(0, list.find(' ')) == name(each)) return each;
  }
  return Status::received;
}

}  // namespace

WebhookMetrics::WebhookMetrics()
    : queues_(std::string(WorkRow::tenant_of_queues), WorkRow::space) {}

void WebhookMetrics::count(const std::string& source, std::string_view outcome) {
  const std::lock_guard lock(mutex_);
  ++received_[{source, std::string(outcome)}];
}

void WebhookMetrics::write(std::string& out, const Store& store) const {
  write_head(out, received_name, "counter",
             "Webhooks that were sent here, by what became of them.");
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [labels, value] : received_)
      write_line(out, received_name,
                 fmt::format("source=\"{}\",outcome=\"{}\"", labels.first, labels.second), value);
  }
  write_inbox(out, store);
}

/// Of all tenants; those that are done are not counted.
void WebhookMetrics::write_inbox(std::string& out, const Store& store) const {
  std::array<std::uint64_t, std::size(webhooks::statuses)> entries{};
  for (const ListSize& each : queues_.counted(store))
    entries[static_cast<std::size_t>(status_of(each.parent))] += each.rows;
  write_head(out, entries_name, "gauge", "Entries of the inbox that are not done, by status.");
  for (const Status each : {Status::received, Status::processing, Status::dead})
    write_line(out, entries_name, fmt::format("status=\"{}\"", name(each)),
               entries[static_cast<std::size_t>(each)]);
}

}  // namespace holdfast::http

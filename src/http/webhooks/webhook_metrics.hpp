#pragma once

#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

#include "http/monitoring/exposition.hpp"
#include "http/monitoring/list_counts.hpp"

namespace holdfast::http {

/// What this node saw of webhooks that came in, by source, and how the inbox stands. Sources are
/// the registry's, so that there are not many. All members may be called from any thread.
class WebhookMetrics {
 public:
  WebhookMetrics();

  /// One that was sent to a source there is.
  void count(const std::string& source, std::string_view outcome);

  void write(std::string& out, const Store& store) const;

 private:
  void write_inbox(std::string& out, const Store& store) const;

  mutable std::mutex mutex_;
  std::map<std::pair<std::string, std::string>, std::uint64_t> received_;  // guarded by mutex_
  const ListCounts queues_;
};

}  // namespace holdfast::http

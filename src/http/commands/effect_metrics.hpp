#pragma once

#include <chrono>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>

#include "effects/figures.hpp"
#include "holdfast/types.hpp"
#include "http/monitoring/exposition.hpp"
#include "http/monitoring/list_counts.hpp"

namespace holdfast::http {

/// What this node saw of effects: attempts by command and provider, and how providers stand. Labels
/// are names that registries declare, so that there are not many. All members may be called from
/// any thread.
class EffectMetrics {
 public:
  EffectMetrics();

  /// An attempt, or a question, of this node's dispatcher ended.
  void count(const effects::Attempt& attempt);
  /// Workers were given effects, or have said what came of one. Those that were leased through
  /// another node have no names here.
  void count(const Answer& answer);
  /// A command failed whose effect was given up.
  void count_dead(const std::string& command, const std::string& provider);

  /// Who knows how providers stand. Nothing is told of them before.
  void ask_for_providers(std::function<effects::FiguresByProvider()> figures);

  void write(std::string& out, const Store& store) const;

 private:
  using Seconds = Histogram<second_bounds.size()>;
  using Steady = std::chrono::steady_clock;
  struct Given {
    std::string command;
    std::string provider;
    Steady::time_point at;
  };

  void note_leases(const Answer& answer);
  void note_report(const Answer& answer);
  void add(const std::string& command, const std::string& provider, std::string_view stage,
           std::string_view outcome, double seconds);
  void write_attempts(std::string& out) const;
  void write_providers(std::string& out) const;
  void write_waiting(std::string& out, const Store& store) const;

  mutable std::mutex mutex_;
  // Guarded by the mutex.
  std::map<std::tuple<std::string, std::string, std::string, std::string>, std::uint64_t>
      attempts_;  ///< by command, provider, stage and outcome
  std::map<std::string, std::unique_ptr<Seconds>> seconds_;  ///< by provider
  std::map<std::pair<std::string, std::string>, std::uint64_t> dead_;
  std::unordered_map<std::string, Given> given_;  ///< to workers, by the id of the command
  std::deque<std::string> given_first_;           ///< in their order; some are gone
  std::function<effects::FiguresByProvider()> figures_;

  const ListCounts queues_;
};

}  // namespace holdfast::http

#pragma once

#include <map>
#include <mutex>
#include <random>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "crash/load.hpp"
#include "crash/wire.hpp"

namespace holdfast::test {

/// Everything the clients of a store know, across all its crashes, and the judge of whether the
/// store can be squared with it:
///
///   - every record's token was sent, with that operation, those parameters and that principal;
///   - every acknowledged call gets the same answer again, as a replay;
///   - a call that was told it had no effect had none;
///   - every other call either happened, and gets its first answer as a replay, or did not, and
///     runs now; nothing in between;
///   - a hold that was placed is there once;
///   - the audit is clean, and what the store shows is what its records say.
///
/// `sent` and `told` may be called from any thread, the rest from one at a time.
class Witness final : public Listener {
 public:
  Witness() = default;
  /// Somebody who knows the same.
  Witness(const Witness& other);

  std::uint64_t sent(const Call& call) override;
  void told(std::uint64_t number, const Answer& answer) override;

  /// A line from a process that may be dead by now. Numbers start over with every process.
  void hear(const std::string& line);
  void next_process() { heard_.clear(); }

  /// Every complaint there is; empty when all is well. Asks all calls of the last round again, and
  /// at most so many earlier ones, drawn at random; what it is told it remembers.
  [[nodiscard]] std::vector<std::string> judge(Service& service, std::size_t earlier_max,
                                               std::uint64_t seed);

  [[nodiscard]] std::size_t calls() const { return calls_.size(); }
  [[nodiscard]] std::size_t acknowledged() const;

 private:
  struct Known {
    Call call;
    std::optional<Told> told{};
  };

  void check_records(const Store& store, std::vector<std::string>& complaints) const;
  void ask_again(Service& service, Known& known, std::vector<std::string>& complaints) const;
  void check_effect(const Store& store, const Answer& answer,
                    std::vector<std::string>& complaints) const;
  [[nodiscard]] std::vector<std::size_t> chosen(std::size_t earlier_max, std::uint64_t seed) const;

  mutable std::mutex mutex_;
  std::vector<Known> calls_;  // guarded by mutex_
  std::size_t judged_ = 0;    ///< calls before this one were judged in an earlier round
  std::unordered_map<std::uint64_t, std::size_t> heard_;  ///< the process's number to ours
  /// How often each body was sent: token, operation, principal and digest, as text.
  std::map<std::string, int> bodies_;  // guarded by mutex_
  std::set<std::string> tokens_;       // guarded by mutex_
};

}  // namespace holdfast::test

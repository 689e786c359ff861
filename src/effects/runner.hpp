#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "effects/asking.hpp"
#include "effects/figures.hpp"
#include "effects/job.hpp"
#include "effects/providers.hpp"
#include "holdfast/commands.hpp"
#include "modules/commands/prepare.hpp"

namespace holdfast::effects {

/// Jobs from their lease to the report that ends them. One thread, the mailbox's.
///
///     begin ──► perform ──► found ──► report
///       │                     └─► many: undo what is too much, each exactly once ──► report
///       └─► the lease is half over: renew it first
///
/// While a job lasts, its lease is renewed when half of it is over. A report that is refused ends
/// the job: the effect is another's by now, and nothing more is done about it here.
class Runner {
 public:
  using Log = std::function<void(const std::string&)>;

  Runner(Asking& asking, std::shared_ptr<Mailbox> mailbox, const commands::Preparer& preparer,
         Performers performers, Random& random, Log log, Watchers watchers)
      : asking_(asking),
        mailbox_(std::move(mailbox)),
        preparer_(preparer),
        performers_(std::move(performers)),
        random_(random),
        log_(std::move(log)),
        watchers_(std::move(watchers)) {}

  /// Takes on an effect that was leased `since` then, for as long as its provider's leases are.
  void begin(Job job, Time since, ProviderState& provider);
  /// Hands an effect back that was leased and is not to be seen to here.
  void hand_back(Job job, ProviderState& provider, std::string why);
  /// Renews leases that are half over.
  void renew(Time now);

  [[nodiscard]] std::size_t jobs() const { return running_.size(); }
  [[nodiscard]] const FiguresByProvider& figures() const { return figures_; }

 private:
  struct Undone {
    std::string id;
    std::string command_id{};
    std::string status{};
  };
  struct Running {
    std::shared_ptr<Job> job;
    ProviderState* provider = nullptr;
    Duration lease{};
    bool performing = false;  ///< it counts as in flight
    Time begun{};             ///< when it was performed
    bool renewing = false;
    bool waits = false;  ///< for the renewal, to be performed
    bool reporting = false;
    bool ends = false;  ///< the report says that it is done
    std::vector<Undone> undone{};
    std::size_t undoing = 0;  ///< compensations that are not answered
    std::string kept{};
  };

  [[nodiscard]] std::string objection_to(Job& job) const;
  [[nodiscard]] Performer* performer_of(const Job& job) const;
  std::uint64_t take(Job job, Time since, ProviderState& provider);
  void perform(std::uint64_t number);
  void found(std::uint64_t number, Finding finding);
  void count(Running& running, const Finding& finding);
  void report(std::uint64_t number, const Finding& finding);
  void report(std::uint64_t number, Command command);
  void reported(std::uint64_t number, const Answer& answer);
  void renew(std::uint64_t number, Running& running);
  void renewed(std::uint64_t number, const Told& told);
  void undo(std::uint64_t number, const Finding& finding);
  void undone(std::uint64_t number, std::size_t place, const Answer& answer);
  [[nodiscard]] Call call_of(const Job& job, Command command);
  [[nodiscard]] Running* find(std::uint64_t number);

  Asking& asking_;
  const std::shared_ptr<Mailbox> mailbox_;
  const commands::Preparer& preparer_;
  const Performers performers_;
  Random& random_;
  const Log log_;
  const Watchers watchers_;
  std::uint64_t last_ = 0;
  std::map<std::uint64_t, Running> running_;
  FiguresByProvider figures_;
};

}  // namespace holdfast::effects

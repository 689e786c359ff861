#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "modules/commands/declaration.hpp"
#include "modules/commands/effect_row.hpp"
#include "modules/commands/envelope.hpp"

/// What is done about effects: one of them, leased, and what came of it.
namespace holdfast::effects {

/// Counts on while the machine sleeps: a lease ends whether anybody was awake or not.
using Time = std::chrono::steady_clock::time_point;
[[nodiscard]] Time time_now();

/// An effect that is ours until its lease ends, with everything that is needed to act. What is
/// secret in its arguments is in clear: nothing of a job is ever logged or recorded.
struct Job {
  std::string id;  ///< the command's
  std::uint64_t fence = 0;
  std::uint64_t attempt = 0;
  std::string tenant;
  std::string sealed_key{};  ///< as the lease said it
  std::string key;           ///< the command's: what goes to the provider as its own
  std::string provider;
  commands::Shield shield = commands::Shield::none;  ///< as it was accepted with
  commands::Stage stage = commands::Stage::call;
  bool uncertain = false;  ///< an earlier call may have taken place
  std::string result{};    ///< what the provider answered, while it is reconciled
  commands::Envelope envelope{};
  std::string args_shown{};           ///< the arguments as everybody may see them
  std::vector<std::string> sealed{};  ///< what was sealed in the arguments, each as JSON
  std::shared_ptr<const commands::Declaration> declaration{};  ///< the one in force
  /// Afterwards somebody else may act. It moves on meanwhile, when the lease is renewed.
  std::shared_ptr<std::atomic<Time>> lease_ends = std::make_shared<std::atomic<Time>>();
};

/// What is known after an attempt.
enum class Verdict : std::uint8_t {
  done,     ///< it took place
  refused,  ///< it did not, and never will
  retry,    ///< it certainly did not; of a question: it got no answer
  unknown,  ///< it may have
  absent,   ///< of a question: it did not take place
  many,     ///< of a question: it took place more than once
};

struct Finding {
  Verdict verdict = Verdict::unknown;
  std::string result{};  ///< canonical JSON; empty: nothing is known
  std::string error{};
  bool healthy = true;             ///< the provider works, whatever it said
  Duration pause{};                ///< it does not want to be asked again before
  std::vector<std::string> ids{};  ///< `many`: what it has, by its own ids
};

/// Does what a job says. Called by one thread.
class Performer {
 public:
  virtual ~Performer() = default;
  using Done = std::function<void(Finding)>;
  /// Calls `done` exactly once, from any thread, maybe at once. Must not block.
  virtual void perform(const std::shared_ptr<const Job>& job, Done done) = 0;
  /// Whether it can do effects of that declaration. The same for as long as it lives.
  [[nodiscard]] virtual bool does(const commands::Effect&) const { return true; }
};

/// What does the work, by kind of effect; null: such effects are not done here.
struct Performers {
  std::shared_ptr<Performer> push{};  ///< asks providers, too
  std::shared_ptr<Performer> handler{};
};

}  // namespace holdfast::effects

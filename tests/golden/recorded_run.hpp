#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "holdfast/holdfast.hpp"

/// Plays a run of calls on a store and writes down everything that came of it. What these tests
/// know of the engine's and the stores' insides is in `recorded_run.cpp` and nowhere else.
namespace holdfast::test {

/// A run: the calls follow from these, so two plays of one run are the same calls.
struct RecordedRun {
  std::string name;
  Policies policies{};
  std::uint64_t seed = 1;
  std::size_t steps = 0;
  /// Unset: calls come one at a time, through the public interface. Set: up to so many in a batch,
  /// each of which is decided and committed as a whole.
  std::size_t batch_max = 0;
  /// Instead of a mix: so many tokens, and every one of them repeated while nothing else happens.
  std::size_t flood = 0;
  /// Holds that change while they stand, and groups of them, too.
  bool changes = false;
};
[[nodiscard]] const std::vector<RecordedRun>& runs();
[[nodiscard]] const RecordedRun& run_named(const std::string& name);

/// A run as text. Whatever a store does not keep is empty.
struct Played {
  std::string calls;    ///< a line for every call, sweep and opening: what was asked and answered
  std::string journal;  ///< a line for every row of the table, all columns
  std::string leaves;   ///< a line for every leaf of evidence, and for the roots over them
};

/// `store` is `:memory:`, the name of a file that is not there, or the address of an empty
/// database. It is closed at the end.
[[nodiscard]] Played play(const RecordedRun& run, const std::string& store);

/// Every refusal of every operation with every reason, whether or not a call can meet it: a line
/// for each body.
[[nodiscard]] std::string every_refusal();

}  // namespace holdfast::test

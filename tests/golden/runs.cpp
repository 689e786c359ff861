// The runs that are kept. Each has its own policies, so that all of their rows are met.

#include <algorithm>
#include <stdexcept>

#include "golden/recorded_run.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;

Policies changed(void (*change)(Policies&)) {
  Policies policies;
  change(policies);
  return policies;
}

/// Codes to be sent back, refusals that leave no trace, both classes and windows of their own.
const Policies careful = changed([](Policies& policies) {
  policies[Operation::hold_place].confirmation = Confirmation::required;
  policies[Operation::hold_place].window = 3min;
  policies[Operation::hold_confirm].on_reject = OnReject::release;
  policies[Operation::hold_release].token_class = TokenClass::i1_strict;
  policies[Operation::hold_expire].window = 1min;
  policies[Operation::resource_declare].token_class = TokenClass::i2_windowed;
});

/// Tokens that the engine makes itself, and codes for those, too.
const Policies derived = changed([](Policies& policies) {
  policies[Operation::hold_place].key_mode = KeyMode::derived;
  policies[Operation::hold_place].on_reject = OnReject::release;
  policies[Operation::hold_confirm].confirmation = Confirmation::required;
  policies[Operation::hold_confirm].key_mode = KeyMode::derived;
  policies[Operation::hold_expire].on_reject = OnReject::release;
  policies[Operation::resource_declare].key_mode = KeyMode::derived;
  policies[Operation::resource_declare].token_class = TokenClass::i2_windowed;
  policies[Operation::resource_declare].window = 20min;
});

/// The same of what came later.
const Policies careful_of_changes = changed([](Policies& policies) {
  policies[Operation::hold_extend].confirmation = Confirmation::required;
  policies[Operation::hold_cancel].on_reject = OnReject::release;
  policies[Operation::hold_cancel].token_class = TokenClass::i1_strict;
  policies[Operation::hold_confirm].window = 1min;
  policies[Operation::group_place].on_reject = OnReject::release;
  policies[Operation::group_confirm].window = 3min;
  policies[Operation::group_extend].key_mode = KeyMode::derived;
});

}  // namespace

const std::vector<RecordedRun>& runs() {
  static const std::vector<RecordedRun> all{
      {.name = "calls", .seed = 1, .steps = 900},
      {.name = "calls_careful", .policies = careful, .seed = 2, .steps = 600},
      {.name = "calls_derived", .policies = derived, .seed = 3, .steps = 600},
      {.name = "batches", .seed = 4, .steps = 120, .batch_max = 30},
      {.name = "batches_careful", .policies = careful, .seed = 5, .steps = 90, .batch_max = 20},
      {.name = "batches_derived", .policies = derived, .seed = 6, .steps = 60, .batch_max = 20},
      {.name = "large_batches", .seed = 7, .steps = 6, .batch_max = 400},
      {.name = "flood", .flood = 1'030},
      {.name = "changes", .seed = 8, .steps = 900, .changes = true},
      {.name = "changes_careful",
       .policies = careful_of_changes,
       .seed = 9,
       .steps = 500,
       .changes = true},
      {.name = "batches_changes", .seed = 10, .steps = 100, .batch_max = 30, .changes = true},
  };
  return all;
}

const RecordedRun& run_named(const std::string& name) {
  const auto found = std::find_if(runs().begin(), runs().end(),
                                  [&](const RecordedRun& run) { return run.name == name; });
  if (found == runs().end()) throw std::runtime_error("there is no run " + name);
  return *found;
}

}  // namespace holdfast::test

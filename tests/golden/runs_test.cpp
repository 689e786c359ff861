// Runs of calls of every kind give what they gave when they were recorded: the digests of the
// requests, every answer, every row of the journal, every leaf of evidence and the roots over them.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>

#include "golden/kept.hpp"
#include "golden/recorded_run.hpp"
#include "support/stores/store_under_test.hpp"

namespace holdfast::test {
namespace {

/// A run and an engine.
using RunOn = std::tuple<std::string, std::string>;

/// What a file keeps comes first when runs are recorded: the others are compared with it.
const std::array<std::string, 4> engine_order{"sqlite", "memory", "postgres", "mariadb"};

/// Databases take their time over calls that come one at a time: one such run is enough.
bool is_played_on(const RecordedRun& run, const std::string& engine) {
  return is_embedded(engine) || run.batch_max > 0 || run.name == "calls_derived";
}

class GoldenRun : public ::testing::TestWithParam<RunOn> {
 protected:
  /// A file sweeps resource by resource, everything else in order of expiry. Where that makes a
  /// difference, the others have a text of their own, which is one text for all of them.
  void compare(const std::string& part, const std::string& text) const {
    const auto& [run, engine] = GetParam();
    const std::string usual = fmt::format("{}.{}.gz", run, part);
    const std::string elsewhere = fmt::format("{}.{}.elsewhere.gz", run, part);
    const bool differs = recording() ? engine != "sqlite" && text != kept_text(usual)
                                     : engine != "sqlite" && is_kept(elsewhere);
    expect_as_kept(differs ? elsewhere : usual, text);
  }
};

TEST_P(GoldenRun, is_as_it_was_recorded) {
  const auto& [name, engine] = GetParam();
  const RecordedRun& run = run_named(name);
  const StoreUnderTest place(engine, Rules{});
  const TempDir folder = TempDir::in_memory();
  const Played played = play(run, engine == "sqlite" ? folder.file("store.db") : place.name());
  compare("calls", played.calls);
  if (place.persistent()) compare("journal", played.journal);
  if (!played.leaves.empty()) compare("leaves", played.leaves);
}

std::vector<std::string> run_names() {
  std::vector<std::string> names;
  for (const RecordedRun& run : runs()) names.push_back(run.name);
  return names;
}

std::vector<RunOn> all_plays() {
  std::vector<RunOn> plays;
  for (const RecordedRun& run : runs()) {
    for (const std::string& engine : engine_order) {
      if (is_played_on(run, engine)) plays.emplace_back(run.name, engine);
    }
  }
  return plays;
}

INSTANTIATE_TEST_SUITE_P(of, GoldenRun, ::testing::ValuesIn(all_plays()),
                         [](const ::testing::TestParamInfo<RunOn>& run) {
                           return std::get<0>(run.param) + "_on_" + std::get<1>(run.param);
                         });

/// All of the runs, as they are kept.
std::string kept_of_all(const std::string& part) {
  std::string text;
  for (const std::string& name : run_names()) text += kept_text(name + "." + part + ".gz");
  return text;
}

/// A recording in which something never happens says nothing about it.
TEST(GoldenRuns, meet_everything_that_a_call_can_meet) {
  if (recording()) GTEST_SKIP() << "not all of them may be there yet";
  const std::string calls = kept_of_all("calls");
  const std::string journal = kept_of_all("journal");
  const auto expect_in = [](const std::string& text, const std::string& wanted) {
    EXPECT_NE(text.find(wanted), std::string::npos) << wanted;
  };
  for (int kind = 1; kind <= 15; ++kind) expect_in(journal, fmt::format(" kind={} ", kind));
  expect_in(journal, " nonce='");
  expect_in(journal, " ref=- times=6 ");  // of more tokens than are told apart
  // The runs are of holds: what came later has tests of its own, and may still change.
  for (const OperationRow& each : operations()) {
    if (each.id > Operation::group_extend) continue;
    expect_in(journal, fmt::format(" operation={} ", static_cast<int>(each.id)));
  }
  for (const char* outcome : {" recorded until", " repeated until", " not recorded until"})
    expect_in(calls, outcome);
  for (const RejectionRow& each : rejection_table) {
    // The others are of a machine in trouble, of a call that is still running, and the service's.
    const bool by_chance = each.id == Rejection::in_progress || each.id == Rejection::overloaded ||
                           each.id == Rejection::store_unavailable;
    if (by_chance || each.id >= Rejection::malformed_request) continue;
    expect_in(calls, fmt::format(R"("code":"{}")", each.code));
  }
  for (const ReasonRow& each : reason_table) {
    if (each.id > Reason::group_size) continue;
    const bool none = each.id == Reason::none;
    expect_in(calls, none ? R"({"operation":"none")" : fmt::format(R"("detail":"{}")", each.text));
  }
}

TEST(GoldenRefusals, are_worded_as_they_were) { expect_as_kept("refusals.gz", every_refusal()); }

}  // namespace
}  // namespace holdfast::test

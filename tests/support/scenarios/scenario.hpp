#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "support/scenarios/scenario_target.hpp"

/// Scenarios: stories in files, one step a line, that read like the documents they come from.
///
///     window 10m                       before the first step: how long tokens are recognised
///     policy hold.place on_reject=release      … and `confirmation`, `class`, `window` of it
///     at +2h30m                        the instant, counted from the beginning
///
///     place RESOURCE REQUESTER DURATION [xQUANTITY] token=TOKEN -> EXPECTED
///     confirm HOLD token=TOKEN -> EXPECTED         likewise release and expire
///     declare RESOURCE CAPACITY token=TOKEN -> EXPECTED
///       by=PRINCIPAL and tenant=TENANT may follow any of them;
///       `3 times` before one repeats it, `8 at once` sends it from as many threads
///
///     sweep -> 2                       so many lapsed holds were expired
///     restart                          the program stops and starts again
///     state HOLD held|lapsed|confirmed|released|expired
///     list RESOURCE REQUESTER -> HOLD …    who ever held it, newest first; `-> nothing`
///     token TOKEN -> HOLD | ok | rejected(REASON) | unknown
///     in use RESOURCE NUMBER
///     count holds|tokens NUMBER
///     audit clean                      every invariant holds of every record
///
/// EXPECTED is what the first call is told: `held as HOLD` (which names the new hold), `ok` or
/// `rejected(REASON)`; or `replay HOLD`, `replay ok`, `replay rejected(REASON)`: told before, and
/// told the same again. `at once` expects one first answer and else replays of it.
/// A hold nobody placed may be named; no id belongs to it. Words with blanks stand in "quotes".
namespace holdfast::test {

struct Scenario {
  struct Line {
    std::size_t number = 0;
    std::string text;
  };
  std::string name;
  std::vector<Line> lines;  ///< without comments and empty ones
};

[[nodiscard]] Scenario read_scenario(const std::filesystem::path& file);

/// Every `*.scenario` in a folder, by name.
[[nodiscard]] std::vector<std::filesystem::path> scenarios_in(const std::filesystem::path& folder);

/// Plays it from beginning to end, and audits at the end whether it asks for it or not. A step
/// that goes otherwise fails the test and names its line.
void play(const Scenario& scenario, ScenarioTarget& target);

}  // namespace holdfast::test

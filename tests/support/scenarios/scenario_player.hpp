#pragma once

#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "support/scenarios/scenario_target.hpp"

namespace holdfast::test {

/// One line of a scenario, in words; what is after the arrow stands apart.
struct Step {
  std::vector<std::string> words;
  std::vector<std::string> expected;
};

[[nodiscard]] Step parse_step(const std::string& text);

/// Plays steps one after the other. A step that makes no sense throws `std::invalid_argument`.
class ScenarioPlayer {
 public:
  explicit ScenarioPlayer(ScenarioTarget& target) : target_(target) {}

  void play(const Step& step);
  /// Begins, if no step has done so yet.
  void begin();

 private:
  using Words = std::span<const std::string>;

  bool set_up(Words words);
  void set_policy(Words words);
  void act(Words words, Words expected);
  bool look(Words words, Words expected);

  Call call_of(Words words) const;
  HoldId id_of(const std::string& name) const;
  std::string said(const Answer& answer) const;
  std::string said_of(HoldId id) const;
  void judge(const std::vector<Answer>& answers, bool at_once, Words expected);
  void name_hold(const Answer& answer, const std::string& name);

  ScenarioTarget& target_;
  Rules rules_;
  bool begun_ = false;
  std::map<std::string, HoldId> ids_;
  /// What each call with a token was told first; a replay must repeat it word for word.
  std::map<std::pair<std::string, std::string>, Answer> told_;
  std::string tenant_of_call_;
};

}  // namespace holdfast::test

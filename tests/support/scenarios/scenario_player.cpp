#include "support/scenarios/scenario_player.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

#include "base/time_text.hpp"
#include "support/calls.hpp"

namespace holdfast::test {
namespace {

[[noreturn]] void senseless(const std::string& what) { throw std::invalid_argument(what); }

std::int64_t number_of(const std::string& text) {
  std::size_t used = 0;
  const std::int64_t number = std::stoll(text, &used);
  if (used != text.size()) senseless("not a number: " + text);
  return number;
}

Duration duration_of(const std::string& text) {
  const auto duration = parse_duration(text);
  if (!duration) senseless("not a duration: " + text);
  return *duration;
}

/// `2h30m` and the like: durations one after the other.
Duration sum_of_durations(std::string_view text) {
  Duration sum{};
  while (!text.empty()) {
    const std::size_t unit = text.find_first_not_of("0123456789");
    const std::size_t end = std::min(text.find_first_of("0123456789", unit), text.size());
    sum += duration_of(std::string(text.substr(0, end)));
    text.remove_prefix(end);
  }
  return sum;
}

/// The value of `key=value` among the words, or what to take if there is none.
std::string option(std::span<const std::string> words, const std::string& key,
                   std::string otherwise) {
  for (const std::string& word : words) {
    if (word.starts_with(key + "=")) return word.substr(key.size() + 1);
  }
  return otherwise;
}

std::string joined(std::span<const std::string> words) {
  return fmt::format("{}", fmt::join(words, " "));
}

}  // namespace

Step parse_step(const std::string& text) {
  Step step;
  std::vector<std::string>* into = &step.words;
  std::string word;
  bool quoted = false;
  bool any = false;
  const auto finish = [&] {
    if (word == "->" && !quoted) {
      into = &step.expected;
    } else if (any) {
      into->push_back(word);
    }
    word.clear();
    any = false;
  };
  for (const char c : text) {
    if (c == '"') {
      quoted = !quoted;
      any = true;
    } else if (c == ' ' && !quoted) {
      finish();
    } else {
      word += c;
      any = true;
    }
  }
  finish();
  return step;
}

void ScenarioPlayer::begin() {
  if (begun_) return;
  begun_ = true;
  target_.start(rules_);
  target_.set_time(start);
}

void ScenarioPlayer::play(const Step& step) {
  if (set_up(step.words)) return;
  begin();
  if (step.words[0] == "at") {
    target_.set_time(start + sum_of_durations(std::string_view(step.words.at(1)).substr(1)));
  } else if (step.words[0] == "restart") {
    target_.restart();
  } else if (!look(step.words, step.expected)) {
    act(step.words, step.expected);
  }
}

bool ScenarioPlayer::set_up(Words words) {
  if (words[0] != "window" && words[0] != "policy") return false;
  if (begun_) senseless("too late for that: it has begun");
  if (words[0] == "window") rules_.window = duration_of(words[1]);
  if (words[0] == "policy") set_policy(words);
  return true;
}

void ScenarioPlayer::set_policy(Words words) {
  const auto operation = operation_named(words[1]);
  if (!operation) senseless("no such operation: " + words[1]);
  Policy& policy = rules_.policies[*operation];
  const std::string on_reject = option(words, "on_reject", "record");
  policy.on_reject = on_reject == "release" ? OnReject::release : OnReject::record;
  const std::string window = option(words, "window", "");
  if (!window.empty()) policy.window = duration_of(window);
  const std::string token_class = option(words, "class", "");
  if (token_class == "I1") policy.token_class = TokenClass::i1_strict;
  if (token_class == "I2") policy.token_class = TokenClass::i2_windowed;
}

/// `3 times place …`, `8 at once place …` or just `place …`.
void ScenarioPlayer::act(Words words, Words expected) {
  if (expected.empty()) senseless("nothing is expected of it");
  const bool times = words.size() > 2 && words[1] == "times";
  const bool at_once = words.size() > 3 && words[1] == "at" && words[2] == "once";
  const Words bare = words.subspan(times ? 2 : at_once ? 3 : 0);
  const Call call = call_of(bare);
  tenant_of_call_ = call.caller.tenant;
  const auto count = static_cast<std::size_t>(times || at_once ? number_of(words[0]) : 1);
  if (at_once) return judge(target_.submit_at_once(call, count), true, expected);
  for (std::size_t i = 0; i < count; ++i) judge({target_.submit(call)}, false, expected);
}

Call ScenarioPlayer::call_of(Words words) const {
  const std::string& verb = words[0];
  const std::string token = option(words, "token", "");
  const Caller caller{.tenant = option(words, "tenant", "default"),
                      .principal = option(words, "by", "local")};
  if (verb == "place") {
    Placing what{.resource = words[1], .requester = words[2], .duration = duration_of(words[3])};
    if (words.size() > 4 && words[4].starts_with("x")) {
      what.quantity = number_of(words[4].substr(1));
    }
    return test::place(what, token, caller);
  }
  if (verb == "declare") return declare(words[1], number_of(words[2]), token, caller);
  if (verb == "confirm") return confirm(id_of(words[1]), token, caller);
  if (verb == "release") return release(id_of(words[1]), token, caller);
  if (verb == "expire") return expire(id_of(words[1]), token, caller);
  senseless("no such step: " + verb);
}

HoldId ScenarioPlayer::id_of(const std::string& name) const {
  constexpr HoldId nobodys{999'999'999, 1};
  const auto found = ids_.find(name);
  return found == ids_.end() ? nobodys : found->second;
}

std::string ScenarioPlayer::said_of(HoldId id) const {
  for (const auto& [name, each] : ids_) {
    if (each == id) return name;
  }
  return "a hold not named before";
}

/// An answer in the words of a scenario.
std::string ScenarioPlayer::said(const Answer& answer) const {
  if (answer.rejection) return fmt::format("rejected({})", name(*answer.rejection));
  return answer.operation == Operation::hold_place ? said_of(answer.hold->id) : "ok";
}

void ScenarioPlayer::judge(const std::vector<Answer>& answers, bool at_once, Words expected) {
  const bool replays = expected[0] == "replay";
  const bool places = expected[0] == "held" && expected.size() == 3 && expected[1] == "as";
  std::size_t firsts = 0;
  for (const Answer& answer : answers) firsts += answer.replayed ? 0U : 1U;
  EXPECT_EQ(firsts, replays ? 0U : 1U) << "first answers among " << answers.size();
  for (const Answer& answer : answers) {
    if (!answer.replayed && places) name_hold(answer, expected[2]);
    if (!answer.replayed && answer.recorded) told_[{tenant_of_call_, answer.token}] = answer;
  }
  const std::string wanted = places || replays ? expected.back() : joined(expected);
  for (const Answer& answer : answers) {
    EXPECT_EQ(said(answer), wanted) << words(answer);
    if (!answer.replayed) continue;
    EXPECT_TRUE(replays || at_once);
    const auto first_told = told_.find({tenant_of_call_, answer.token});
    ASSERT_NE(first_told, told_.end());
    EXPECT_EQ(words(answer), words(first_told->second)) << "not word for word what was said first";
  }
}

void ScenarioPlayer::name_hold(const Answer& answer, const std::string& name) {
  ASSERT_TRUE(answer.ok()) << words(answer);
  ASSERT_TRUE(answer.hold) << words(answer);
  EXPECT_EQ(answer.hold->state, HoldState::held);
  EXPECT_EQ(said_of(answer.hold->id), "a hold not named before") << "an id is used again";
  ids_[name] = answer.hold->id;
}

bool ScenarioPlayer::look(Words words, Words expected) {
  const std::string& verb = words[0];
  const std::string tenant = option(words, "tenant", "default");
  if (verb == "sweep") {
    EXPECT_EQ(target_.sweep(), static_cast<std::size_t>(number_of(expected[0])));
  } else if (verb == "state") {
    const auto details = target_.hold(id_of(words[1]), tenant);
    const std::string shown = !details          ? "unknown"
                              : details->lapsed ? "lapsed"
                                                : std::string(name(details->hold.state));
    EXPECT_EQ(shown, words[2]);
  } else if (verb == "list") {
    HoldQuery query;
    query.resource = words[1];
    query.requester = words[2];
    std::vector<std::string> shown;
    for (const HoldDetails& each : target_.holds(query, tenant))
      shown.push_back(said_of(each.hold.id));
    if (shown.empty()) shown.emplace_back("nothing");
    EXPECT_EQ(joined(shown), joined(expected));
  } else if (verb == "token") {
    const auto result = target_.token(words[1], tenant);
    EXPECT_EQ(result ? said(result->answer) : "unknown", joined(expected));
  } else if (verb == "in") {
    EXPECT_EQ(target_.resource(words[2], tenant).in_use, number_of(words[3]));
  } else if (verb == "count") {
    const Counts counts = target_.counts();
    EXPECT_EQ(words[1] == "holds" ? counts.holds : counts.live_tokens,
              static_cast<std::uint64_t>(number_of(words[2])));
  } else if (verb == "audit") {
    EXPECT_THAT(target_.violations(), ::testing::IsEmpty());
  } else {
    return false;
  }
  return true;
}

}  // namespace holdfast::test

// Random histories of commands, their effects, workers, operators, clocks and restarts, against a
// model in plain maps.
//
//   HOLDFAST_PROPERTY_RUNS=10000 HOLDFAST_PROPERTY_SEED=7 properties_tests

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "properties/command_model.hpp"
#include "support/dice.hpp"
#include "support/rules.hpp"
#include "support/stores/command_test.hpp"

namespace holdfast::test {
namespace {

using commands::Shield;
using testing::IsEmpty;

constexpr Duration key_window = 20min;

class CommandHistory {
 public:
  CommandHistory(const std::string& engine, std::uint64_t seed) : on_(engine), dice_(seed) {
    std::vector<commands::Declaration> all{declared("do", "nothing"), declared("do", "once")};
    all[0].window = key_window;
    for (const Shield each : {Shield::s1, Shield::s2, Shield::s3, Shield::s4}) {
      all.push_back(pulled("do", std::string(commands::name(each)), each));
      all.back().effect.attempts_max = attempts_max(each);
      if (each != Shield::s2) all.back().window = key_window;
    }
    preparer_.put_in_force(registry_of(std::move(all)));
  }

  void play(std::size_t steps) {
    for (std::size_t i = 0; i < steps && !testing::Test::HasFailure(); ++i) step();
    expect_all_is_as_modelled();
    on_.reopen();
    expect_all_is_as_modelled();
    EXPECT_THAT(on_.violations(), IsEmpty());
    if (testing::Test::HasFailure()) ADD_FAILURE() << log_;
  }

 private:
  /// A call that was made, and its answer if its token is bound.
  struct Made {
    Call call;
    Answer answer;
    Instant at{};
  };

  static std::uint32_t attempts_max(Shield shield) { return shield == Shield::s2 ? 1 : 3; }

  void step() {
    const std::uint64_t which = dice_.below(100);
    if (which < 25) return submit();
    if (which < 45) return lease();
    if (which < 70) return work();
    if (which < 80) return operate();
    if (which < 86) return repeat();
    if (which < 93) return step_clock();
    if (which < 97) return sweep();
    if (which < 99) return say("reopen", [&] { on_.reopen(); });
    (void)on_.store().forget_expired(100);
  }

  template <typename Do>
  void say(std::string what, const Do& act) {
    log_ += what + '\n';
    act();
  }

  std::string tenant() { return dice_.chance(80) ? "default" : "acme"; }
  static Caller caller(const std::string& tenant) { return {tenant, "p"}; }

  /// The instant at which a call now is decided.
  Instant now() { return on_.now(); }

  void submit() {
    static const std::string actions[] = {"nothing", "once", "S1", "S2", "S3", "S4"};
    const std::string tenant = this->tenant();
    const std::string token = fmt::format("k{}", dice_.below(12));
    const std::string action = dice_.chance(70) ? actions[token.back() % 6] : dice_.of(actions);
    const std::string args = dice_.chance(90) ? "{}" : R"({"other":true})";
    Call call{.command = Command(Submitting{.entity = "do", .action = action, .args = args}),
              .token = Token(token),
              .caller = caller(tenant)};
    preparer_(call);
    log_ += fmt::format("submit {}/{} {} {}\n", tenant, token, action, args);
    const Answer answer = on_.submit(call);
    ModelCommand& known = model_.commands[tenant + "/" + token];
    const std::string body = action + args;
    const bool remembered = !known.id.empty() && (!known.expires || now() < *known.expires);
    if (remembered && known.body != body) {
      EXPECT_THAT(answer, conflicts());
    } else if (remembered) {
      EXPECT_TRUE(answer.ok() && answer.replayed) << words(answer);
      expect_told(answer, known);
    } else if (keeps_its_key(known) && known.body != body) {
      EXPECT_THAT(answer, refused(Rejection::execution_refused));
      EXPECT_EQ(answer.reason, Reason::idempotency_conflict);
    } else if (keeps_its_key(known)) {
      EXPECT_TRUE(answer.ok() && answer.replayed && !answer.recorded) << words(answer);
      expect_told(answer, known);
    } else {
      EXPECT_TRUE(answer.ok() && !answer.replayed) << words(answer);
      known = fresh(tenant, action, body);
      known.id = id_of(answer);
      ids_.push_back({tenant, known.id});
      expect_told(answer, known);
    }
  }

  /// Whether it is recognised although its window is over.
  bool keeps_its_key(const ModelCommand& known) {
    if (known.id.empty() || !known.expires) return false;
    if (known.status == "in_progress") return true;
    return known.ended >= *known.expires && now() < known.ended + key_window;
  }

  ModelCommand fresh(const std::string& tenant, const std::string& action,
                     const std::string& body) {
    ModelCommand made{.tenant = tenant, .body = body};
    if (action != "once" && action != "S2") made.expires = now() + key_window;
    if (action[0] != 'S') {
      made.status = "executed";
      return made;
    }
    const auto shield = static_cast<Shield>(action[1] - '0');
    made.effect = ModelEffect{.shield = shield,
                              .attempts_max = attempts_max(shield),
                              .ready_at = now(),
                              .ready_latest = now()};
    return made;
  }

  static void expect_told(const Answer& answer, const ModelCommand& known) {
    EXPECT_EQ(id_of(answer), known.id);
    EXPECT_EQ(text_in(answer.document, "status"), known.status);
    EXPECT_EQ(answer.status, known.status == "in_progress" ? 202 : 0);
  }

  void lease() {
    const std::string tenant = this->tenant();
    const bool dispatches = dice_.chance(30);
    const auto most = static_cast<std::size_t>(dice_.between(1, 4));
    const Duration period = std::chrono::seconds(dice_.between(1, 40));
    log_ += fmt::format("lease {} {} {}\n", tenant, dispatches ? "dispatcher" : "worker", most);
    std::vector<ModelCommand*> due;
    for (auto& [key, command] : model_.commands) {
      settle_ready_at(command);
      const bool theirs = dispatches || command.tenant == tenant;
      if (theirs && CommandModel::leasable(command, dispatches, now())) due.push_back(&command);
    }
    std::sort(due.begin(), due.end(), [](const ModelCommand* a, const ModelCommand* b) {
      return std::pair(a->effect->ready_at, a->id) < std::pair(b->effect->ready_at, b->id);
    });
    due.resize(std::min(due.size(), most));
    const Answer answer = run(Leasing{.kinds = {"warehouse"},
                                      .max = static_cast<std::int64_t>(most),
                                      .lease = period,
                                      .dispatches = dispatches},
                              tenant);
    EXPECT_THAT(answer, done());
    EXPECT_EQ(answer.recorded, !due.empty());
    std::size_t at = 0;
    for (ModelCommand* each : due) {
      const std::string id = R"("command_id":")" + each->id;
      at = answer.document.find(id, at);
      if (at == std::string::npos) ADD_FAILURE() << id << " in its place of " << answer.document;
      CommandModel::lease(*each, now() + period);
    }
    EXPECT_EQ(times(answer.document, R"("command_id":)"), due.size());
  }

  void work() {
    if (ids_.empty()) return;
    const auto [owner, id] = dice_.recent(ids_, 10);
    const std::string tenant = dice_.chance(95) ? owner : "acme";
    ModelCommand* const command = model_.find(tenant, id);
    const std::int64_t held = command != nullptr && command->effect ? command->effect->fence : 1;
    const std::int64_t fence = dice_.chance(85) ? held : dice_.between(0, 3);
    static const std::string verdicts[] = {"retry", "refused", "unknown", "absent"};
    const std::uint64_t which = dice_.below(10);
    CommandModel::Refusal expected;
    Answer answer;
    const Instant at = now();
    if (which < 2) {
      log_ += fmt::format("renew {} {}\n", id, fence);
      answer = run(Renewing{.id = id, .fence = fence, .lease = 20s}, tenant);
      expected = model_.renew(command, fence, 20s, at);
    } else if (which < 5) {
      log_ += fmt::format("complete {} {}\n", id, fence);
      answer = run(Completing{.id = id, .fence = fence, .result = R"({"n":1})"}, tenant);
      expected = model_.complete(command, fence, at);
    } else {
      const std::string& verdict = dice_.of(verdicts);
      log_ += fmt::format("fail {} {} {}\n", id, fence, verdict);
      answer = run(Failing{.id = id, .fence = fence, .verdict = verdict}, tenant);
      expected = model_.fail(command, fence, verdict, at);
    }
    EXPECT_EQ(answer.rejection, expected) << words(answer);
    if (command != nullptr) expect_as_modelled(*command);
  }

  void operate() {
    if (ids_.empty()) return;
    const auto [owner, id] = dice_.recent(ids_, 10);
    const std::string tenant = dice_.chance(95) ? owner : "acme";
    ModelCommand* const command = model_.find(tenant, id);
    static const std::string ends[] = {"executed", "failed", "compensated"};
    CommandModel::Refusal expected;
    Answer answer;
    const Instant at = now();
    switch (dice_.below(3)) {
      case 0:
        log_ += fmt::format("retry {}\n", id);
        answer = run(Retrying{.id = id}, tenant);
        expected = model_.retry(command, at);
        break;
      case 1: {
        const std::string& end = dice_.of(ends);
        log_ += fmt::format("resolve {} {}\n", id, end);
        answer = run(Resolving{.id = id, .status = end}, tenant);
        expected = model_.resolve(command, end, at);
        break;
      }
      default:
        log_ += fmt::format("cancel {}\n", id);
        answer = run(CancellingEffect{.id = id}, tenant);
        expected = model_.cancel(command, at);
    }
    EXPECT_EQ(answer.rejection, expected) << words(answer);
    if (command != nullptr) expect_as_modelled(*command);
  }

  /// The same call once more: within its window the same answer, and nothing happens.
  void repeat() {
    if (made_.empty()) return;
    const Made& made = dice_.recent(made_, 10);
    if (!made.answer.recorded || now() - made.at >= short_rules().window) return;
    log_ += "repeat " + made.call.token.bytes() + '\n';
    EXPECT_THAT(on_.submit(made.call), replay_of(made.answer));
  }

  void step_clock() {
    if (dice_.chance(50) && !ids_.empty()) {  // to the end of some lease or wait, or right before
      const auto [tenant, id] = dice_.recent(ids_, 10);
      ModelCommand* const command = model_.find(tenant, id);
      if (command == nullptr || !command->effect) return;
      settle_ready_at(*command);
      const Instant at = command->effect->lease_until.value_or(command->effect->ready_at);
      return say(fmt::format("clock to {}", at.time_since_epoch().count()),
                 [&] { on_.at(std::max(now(), at - Duration(dice_.below(2)))); });
    }
    const Duration by = std::chrono::seconds(dice_.between(dice_.chance(10) ? -60 : 0, 600));
    say(fmt::format("clock by {} us", by.count()), [&] { on_.advance(by); });
  }

  void sweep() {
    log_ += "sweep\n";
    const std::size_t expected = model_.sweep(now());
    EXPECT_EQ(on_.sweep(), expected);
  }

  template <typename P>
  Answer run(P parameters, const std::string& tenant) {
    Call call{.command = Command(std::move(parameters)),
              .token = Token(on_.next_token()),
              .caller = caller(tenant)};
    Answer answer = on_.submit(call);
    made_.push_back({std::move(call), answer, now()});
    return answer;
  }

  /// Takes over from the store when exactly the effect is ready, if that is as it may be.
  void settle_ready_at(ModelCommand& command) {
    if (!command.effect || command.effect->lease_until) return;
    const auto found = effect_in(on_.store(), command.id);
    ASSERT_TRUE(found);
    EXPECT_GE(found->lease.ready_at, command.effect->ready_at);
    EXPECT_LE(found->lease.ready_at, command.effect->ready_latest);
    command.effect->ready_at = command.effect->ready_latest = found->lease.ready_at;
  }

  void expect_as_modelled(ModelCommand& command) {
    settle_ready_at(command);
    const auto row = command_in(on_.store(), command.id, command.tenant);
    ASSERT_TRUE(row) << command.id;
    EXPECT_EQ(commands::name(row->status), command.status);
    EXPECT_EQ(row->reason, command.reason);
    const auto effect = effect_in(on_.store(), command.id);
    ASSERT_EQ(effect.has_value(), command.effect.has_value()) << command.id;
    if (!effect) return;
    const ModelEffect& expected = *command.effect;
    EXPECT_EQ(static_cast<std::int64_t>(effect->lease.fence), expected.fence);
    EXPECT_EQ(effect->lease.attempts, expected.attempts);
    EXPECT_EQ(effect->lease.until, expected.lease_until);
    EXPECT_EQ(effect->uncertain, expected.uncertain);
    EXPECT_EQ(commands::name(effect->stage)[0], expected.stage);
  }

  void expect_all_is_as_modelled() {
    for (auto& [key, command] : model_.commands) {
      if (!command.id.empty()) expect_as_modelled(command);
    }
  }

  Harness on_;
  Dice dice_;
  commands::Preparer preparer_{HashKey{1, 2}};
  CommandModel model_;
  std::vector<std::pair<std::string, std::string>> ids_;  // tenant and id, as they came
  std::vector<Made> made_;
  std::string log_;
};

class RandomCommands : public testing::TestWithParam<std::string> {};
HOLDFAST_ON_EVERY_STORE(RandomCommands);

std::uint64_t number_from_environment(const char* variable, std::uint64_t otherwise) {
  const char* text = std::getenv(variable);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

TEST_P(RandomCommands, go_as_the_model_says) {
  const std::uint64_t usual = GetParam() == "memory" ? 300 : is_embedded(GetParam()) ? 20 : 3;
  const std::uint64_t runs = number_from_environment("HOLDFAST_PROPERTY_RUNS", usual);
  const std::uint64_t first = number_from_environment("HOLDFAST_PROPERTY_SEED", 1);
  for (std::uint64_t seed = first; seed < first + runs && !HasFailure(); ++seed) {
    SCOPED_TRACE(fmt::format("seed {} on {}", seed, GetParam()));
    CommandHistory(GetParam(), seed).play(150);
  }
}

}  // namespace
}  // namespace holdfast::test

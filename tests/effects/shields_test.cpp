// S1 to S4 against a provider in trouble: what it counted, and how the command ended.

#include <gmock/gmock.h>

#include <fstream>

#include "support/effects/world.hpp"
#include "support/journals/audit.hpp"
#include "support/stores/store_under_test.hpp"
#include "support/temp_dir.hpp"

namespace holdfast::test {
namespace {

using commands::CommandRow;
using commands::Status;
using testing::HasSubstr;

class Shields : public testing::TestWithParam<std::string> {
 protected:
  /// Runs a command while the provider is in that trouble at its first calls.
  CommandRow run(const std::string& shield, Trouble trouble, int calls = 1) {
    provider_.set_script(
        [=](const std::string&, int call) { return call <= calls ? trouble : Trouble::none; });
    return node().run(shield, "k");
  }
  [[nodiscard]] int calls() const { return provider_.calls("k"); }
  [[nodiscard]] int effects() const { return provider_.effects("k"); }
  Node& node() {
    if (!node_) {
      std::ofstream(options_.secrets_file) << "CARD_TOKEN=t\n";
      node_ =
          std::make_unique<Node>(place_.name(), registry_of({.url = provider_.url()}), options_);
    }
    return *node_;
  }
  void TearDown() override {
    provider_.release();
    if (!node_) return;
    EXPECT_THAT(violations(node_->service().store()), testing::IsEmpty());
  }

  const TempDir dir_;
  Node::Options options_{.secrets_file = dir_.file("secrets")};
  ScriptedProvider provider_;
  const StoreUnderTest place_{GetParam(), {}};
  std::unique_ptr<Node> node_;
};

INSTANTIATE_TEST_SUITE_P(on, Shields, testing::Values("memory", "sqlite"),
                         [](const auto& engine) { return engine.param; });

TEST_P(Shields, all_do_it_once_where_there_is_no_trouble) {
  for (const std::string shield : {"s1", "s2", "s3", "s4"}) {
    const CommandRow row = node().run(shield, "key_" + shield);
    EXPECT_EQ(row.status, Status::executed) << shield;
    EXPECT_EQ(row.outcome, R"({"body":{"charge":"key_)" + shield + R"("},"status":200})");
    EXPECT_EQ(provider_.calls("key_" + shield), 1);
    EXPECT_EQ(provider_.effects("key_" + shield), 1);
  }
}

TEST_P(Shields, all_take_a_refusal_for_the_end) {
  for (const std::string shield : {"s1", "s2", "s3", "s4"}) {
    provider_.set_script([](const std::string&, int) { return Trouble::refuses; });
    const CommandRow row = node().run(shield, "key_" + shield);
    EXPECT_EQ(row.status, Status::failed);
    EXPECT_EQ(row.reason, "refused");
    EXPECT_THAT(row.outcome, HasSubstr(R"("body":{"error":"card declined"})"));
    EXPECT_EQ(provider_.calls("key_" + shield), 1);
    EXPECT_EQ(provider_.effects("key_" + shield), 0);
  }
}

TEST_P(Shields, all_try_again_what_was_certainly_not_done) {
  for (const std::string shield : {"s1", "s2", "s3", "s4"}) {
    provider_.set_script([](const std::string&, int call) {
      return call < 3 ? Trouble::turns_away : Trouble::none;
    });
    const CommandRow row = node().run(shield, "key_" + shield);
    EXPECT_EQ(row.status, Status::executed) << shield << " " << row.outcome;
    EXPECT_EQ(provider_.calls("key_" + shield), 3);
    EXPECT_EQ(provider_.effects("key_" + shield), 1);
  }
}

TEST_P(Shields, all_give_up_after_as_many_attempts_as_declared) {
  for (const std::string shield : {"s1", "s2", "s3", "s4"}) {
    provider_.set_script([](const std::string&, int) { return Trouble::turns_away; });
    const CommandRow row = node().run(shield, "key_" + shield);
    EXPECT_EQ(row.status, Status::failed);
    EXPECT_EQ(row.reason, "attempts_exhausted");
    EXPECT_EQ(provider_.calls("key_" + shield), 4);
    // An operator has a dead letter tried again.
    provider_.set_script({});
    const Answer answer = node().submit(
        {.command = Command(Retrying{.id = row.id}), .token = Token("again " + shield)});
    EXPECT_TRUE(answer.ok()) << answer.text();
    EXPECT_EQ(node().outcome("key_" + shield).status, Status::executed);
  }
}

TEST_P(Shields, all_try_again_where_nobody_listens) {
  for (const std::string shield : {"s1", "s2", "s3", "s4"}) {
    std::ofstream(options_.secrets_file) << "CARD_TOKEN=t\n";
    Node elsewhere(":memory:", registry_of({.url = "http://127.0.0.1:1"}), options_);
    const CommandRow row = elsewhere.run(shield, "k");
    EXPECT_EQ(row.status, Status::failed);
    EXPECT_EQ(row.reason, "attempts_exhausted") << "nothing was ever sent";
    EXPECT_THAT(row.outcome, HasSubstr("connect: "));
  }
}

/// Every way in which nobody learns what the provider did.
struct Lost {
  const char* name;
  Trouble trouble;
  bool acts;
};
constexpr Lost ways[] = {{"died_before", Trouble::dies_before, false},
                         {"acted_and_died", Trouble::acts_and_dies, true},
                         {"garbage", Trouble::garbage, true},
                         {"hung", Trouble::hangs, false},
                         {"acted_and_hung", Trouble::acts_and_hangs, true},
                         {"503_after", Trouble::fails_after, true},
                         {"500_before", Trouble::fails_before, false}};

TEST_P(Shields, s1_calls_again_with_the_same_key_and_it_happens_once) {
  for (const Lost& way : ways) {
    provider_.set_script(
        [&](const std::string&, int call) { return call <= 2 ? way.trouble : Trouble::none; });
    const CommandRow row = node().run("s1", way.name);
    EXPECT_EQ(row.status, Status::executed) << way.name << " " << row.outcome;
    EXPECT_EQ(provider_.calls(way.name), 3) << way.name;
    EXPECT_EQ(provider_.effects(way.name), 1) << way.name;
  }
}

TEST_P(Shields, s1_says_that_the_outcome_is_unknown_if_no_answer_ever_came) {
  const CommandRow row = run("s1", Trouble::acts_and_dies, 100);
  EXPECT_EQ(row.status, Status::failed);
  EXPECT_EQ(row.reason, "outcome_unknown");
  EXPECT_EQ(calls(), 4);
  EXPECT_EQ(effects(), 1);
}

TEST_P(Shields, s2_never_calls_again_what_may_have_happened) {
  for (const Lost& way : ways) {
    provider_.set_script([&](const std::string&, int) { return way.trouble; });
    const CommandRow row = node().run("s2", way.name);
    EXPECT_EQ(row.status, Status::failed) << way.name;
    EXPECT_EQ(row.reason, "outcome_unknown") << way.name;
    EXPECT_EQ(provider_.calls(way.name), 1) << way.name;
    EXPECT_EQ(provider_.effects(way.name), way.acts ? 1 : 0) << way.name;
    // An operator who looked says how it ended.
    const Answer answer = node().submit(
        {.command =
             Command(Resolving{.id = row.id, .status = way.acts ? "executed" : "compensated"}),
         .token = Token(std::string("resolve ") + way.name)});
    EXPECT_TRUE(answer.ok()) << answer.text();
  }
}

TEST_P(Shields, s3_asks_what_happened_and_calls_again_only_if_nothing_did) {
  for (const Lost& way : ways) {
    provider_.set_script(
        [&](const std::string&, int call) { return call == 1 ? way.trouble : Trouble::none; });
    const CommandRow row = node().run("s3", way.name);
    EXPECT_EQ(row.status, Status::executed) << way.name << " " << row.outcome;
    EXPECT_EQ(provider_.calls(way.name), way.acts ? 1 : 2) << way.name;
    EXPECT_EQ(provider_.effects(way.name), 1) << way.name;
    EXPECT_GE(provider_.questions(way.name), 1) << way.name;
  }
}

TEST_P(Shields, s3_goes_on_asking_until_the_provider_tells) {
  provider_.stop_telling(true);
  provider_.set_script([](const std::string&, int) { return Trouble::acts_and_dies; });
  EXPECT_TRUE(node().submit(pay("s3", "k")).ok());
  while (provider_.questions("k") < 6) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_TRUE(node().command("k")->open());
  EXPECT_EQ(calls(), 1);
  provider_.stop_telling(false);
  EXPECT_EQ(node().outcome("k").status, Status::executed);
  EXPECT_EQ(calls(), 1);
  EXPECT_EQ(effects(), 1);
}

TEST_P(Shields, s4_calls_again_and_undoes_what_is_too_much) {
  for (const Lost& way : ways) {
    provider_.set_script(
        [&](const std::string&, int call) { return call <= 2 ? way.trouble : Trouble::none; });
    const CommandRow row = node().run("s4", way.name);
    EXPECT_EQ(row.status, Status::executed) << way.name << " " << row.outcome;
    EXPECT_EQ(provider_.calls(way.name), 3) << way.name;
    EXPECT_EQ(provider_.effects(way.name), 1) << way.name;
    EXPECT_THAT(row.outcome, HasSubstr(R"("kept":)")) << way.name;
    EXPECT_THAT(row.outcome, HasSubstr(R"("answer":{"body")")) << way.name;
  }
}

TEST_P(Shields, s4_says_what_it_undid_and_that_each_was_undone_once) {
  const CommandRow row = run("s4", Trouble::acts_and_dies, 2);
  EXPECT_EQ(row.status, Status::executed);
  EXPECT_EQ(effects(), 1);
  EXPECT_EQ(provider_.refunds(), 2);
}

TEST_P(Shields, s4_finds_out_even_if_no_call_was_ever_answered) {
  EXPECT_EQ(run("s4", Trouble::acts_and_dies, 100).status, Status::executed);
  EXPECT_EQ(calls(), 4);
  EXPECT_EQ(effects(), 1);
}

TEST_P(Shields, s4_fails_if_it_never_happened) {
  const CommandRow row = run("s4", Trouble::dies_before, 100);
  EXPECT_EQ(row.status, Status::failed);
  EXPECT_EQ(row.reason, "attempts_exhausted");
  EXPECT_EQ(effects(), 0);
}

TEST_P(Shields, s4_does_not_believe_a_refusal_after_a_call_that_was_lost) {
  provider_.set_script([](const std::string&, int call) {
    return call == 1 ? Trouble::acts_and_dies : Trouble::refuses;
  });
  const CommandRow row = node().run("s4", "k");
  EXPECT_EQ(row.status, Status::executed) << row.outcome;
  EXPECT_EQ(calls(), 2);
  EXPECT_EQ(effects(), 1);
}

TEST_P(Shields, s4_leaves_what_cannot_be_undone_to_operators) {
  auto registry = registry_of({.url = provider_.url()});
  registry->commands.erase("refund.do");
  node().put_in_force(registry);
  const CommandRow row = run("s4", Trouble::acts_and_dies, 2);
  EXPECT_EQ(row.status, Status::executed);
  EXPECT_THAT(row.outcome, HasSubstr(R"("status":"refused")"));
  EXPECT_EQ(effects(), 3);
  EXPECT_EQ(provider_.refunds(), 0);
}

TEST_P(Shields, all_take_the_first_of_two_answers) {
  for (const std::string shield : {"s1", "s2", "s3", "s4"}) {
    provider_.set_script([](const std::string&, int) { return Trouble::twice; });
    EXPECT_EQ(node().run(shield, "key_" + shield).status, Status::executed) << shield;
    EXPECT_EQ(node().run(shield, "next_" + shield).status, Status::executed)
        << "the other one is not taken for an answer to this";
    EXPECT_EQ(provider_.effects("next_" + shield), 1);
  }
}

}  // namespace
}  // namespace holdfast::test

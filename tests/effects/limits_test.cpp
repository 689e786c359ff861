// What a dispatcher keeps to: concurrency, circuit, pauses, secrets, what is declared.

#include <gmock/gmock.h>

#include <fstream>

#include "base/traceparent.hpp"
#include "modules/commands/kinds.hpp"
#include "support/effects/world.hpp"
#include "support/journals/audit.hpp"
#include "support/temp_dir.hpp"

namespace holdfast::test {
namespace {

using commands::CommandRow;
using commands::Status;
using effects::Circuit;
using testing::HasSubstr;
using testing::Not;

class EffectLimits : public testing::Test {
 protected:
  EffectLimits() {
    options_.secrets_file = dir_.file("secrets");
    std::ofstream(options_.secrets_file) << "CARD_TOKEN=sk_live_4711\n";
  }
  Node& node(Pays pays = {}) {
    if (node_) return *node_;
    pays.url = provider_.url();
    node_ = std::make_unique<Node>(":memory:", registry_of(pays), options_);
    return *node_;
  }
  void submit(Call call) {
    const Answer answer = node().submit(std::move(call));
    ASSERT_TRUE(answer.ok()) << answer.text() << answer.document;
  }
  [[nodiscard]] effects::Figures figures() const { return node_->dispatcher().figures()["payer"]; }
  template <typename Is>
  static void wait_until(const Is& is) {
    while (!is()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  void TearDown() override {
    provider_.release();
    if (!node_) return;
    EXPECT_THAT(violations(node_->service().store()), testing::IsEmpty());
  }

  const TempDir dir_;
  ScriptedProvider provider_;
  Node::Options options_;
  std::unique_ptr<Node> node_;
};
class EffectRequests : public EffectLimits {};

TEST_F(EffectLimits, are_never_passed_by_calls_at_once) {
  provider_.set_script([](const std::string&, int) { return Trouble::slow; });
  node({.concurrency_max = 5});
  for (int i = 0; i < 60; ++i) submit(pay(i % 2 == 0 ? "s1" : "s2", fmt::format("k{}", i)));
  for (int i = 0; i < 60; ++i)
    EXPECT_EQ(node_->outcome(fmt::format("k{}", i)).status, Status::executed);
  EXPECT_LE(provider_.busiest(), 5);
  EXPECT_GE(provider_.busiest(), 2);
}

TEST_F(EffectLimits, hold_for_each_provider_by_itself) {
  provider_.set_script([](const std::string&, int) { return Trouble::hangs; });
  auto registry = registry_of({.url = provider_.url(), .concurrency_max = 1});
  ScriptedProvider other;
  auto free = registry_of({.url = other.url()});
  auto declaration = std::make_shared<commands::Declaration>(*free->commands["pay.s1"]);
  declaration->action = "elsewhere";
  declaration->effect.provider = "other";
  registry->commands["pay.elsewhere"] = declaration;
  node_ = std::make_unique<Node>(":memory:", registry, options_);
  submit(pay("s1", "hangs"));
  submit(pay("s1", "waits"));
  provider_.wait_for_calls(1);
  EXPECT_EQ(node_->run("elsewhere", "k").status, Status::executed);
  EXPECT_EQ(provider_.calls("waits"), 0);
}

TEST_F(EffectLimits, circuit_opens_and_uses_up_no_attempts_and_closes_again) {
  std::atomic<bool> down{true};
  provider_.set_script(
      [&](const std::string&, int) { return down ? Trouble::fails_before : Trouble::none; });
  node({.attempts_max = 1000, .concurrency_max = 2, .circuit_failures = 3});
  for (int i = 0; i < 4; ++i) submit(pay("s1", fmt::format("k{}", i)));
  wait_until([&] { return figures().circuit != Circuit::State::closed; });
  wait_until([&] { return figures().circuit == Circuit::State::open; });
  down = false;
  for (int i = 0; i < 4; ++i) {
    const CommandRow row = node_->outcome(fmt::format("k{}", i));
    EXPECT_EQ(row.status, Status::executed);
    EXPECT_EQ(provider_.effects(row.token), 1);
  }
  wait_until([&] { return figures().circuit == Circuit::State::closed; });
  EXPECT_THAT(node_->log(), testing::Contains(HasSubstr("the circuit of payer is open")));
  EXPECT_THAT(node_->log(), testing::Contains(HasSubstr("the circuit of payer is closed")));
}

TEST_F(EffectLimits, leave_no_word_of_secrets_in_the_journal) {
  node();
  for (const std::string shield : {"s1", "s2", "s3", "s4"}) {
    provider_.set_script([](const std::string&, int call) {
      return call == 1 ? Trouble::turns_away : Trouble::none;
    });
    Call call = pay(shield, "key_" + shield);
    call.command = Command(Submitting{
        .entity = "pay", .action = shield, .args = R"({"card":"4242424242424242","note":"n"})"});
    submit(std::move(call));
    EXPECT_EQ(node_->outcome("key_" + shield).status, Status::executed);
  }
  const std::string journal = node_->journal();
  EXPECT_THAT(journal, Not(HasSubstr("4242")));
  EXPECT_THAT(journal, Not(HasSubstr("sk_live")));
  EXPECT_THAT(journal, HasSubstr("$sealed"));
  // The provider gets them.
  ASSERT_FALSE(provider_.seen().empty());
  for (const auto& each : provider_.seen()) {
    if (each.method != "POST") continue;
    EXPECT_THAT(each.body, HasSubstr("4242424242424242"));
    EXPECT_EQ(each.headers.at("authorization"), "Bearer sk_live_4711");
  }
}

TEST_F(EffectLimits, need_every_secret_that_is_named) {
  options_.secrets_file.clear();
  node({.attempts_max = 2});
  const CommandRow row = node_->run("s1", "k");
  EXPECT_EQ(row.status, Status::failed);
  EXPECT_EQ(row.reason, "attempts_exhausted");
  EXPECT_THAT(row.outcome, HasSubstr("secret.CARD_TOKEN"));
  EXPECT_EQ(provider_.calls("k"), 0);
}

TEST_F(EffectRequests, have_the_key_as_it_is_and_the_trace_of_the_command) {
  const std::string trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
  Call call = pay("s1", "key of \"mine\"");
  call.command = Command(Submitting{.entity = "pay", .action = "s1", .correlation_id = trace});
  node();
  submit(std::move(call));
  EXPECT_EQ(node_->outcome("key of \"mine\"").status, Status::executed);
  const auto seen = provider_.seen().at(0);
  EXPECT_EQ(seen.headers.at("idempotency-key"), "key of \"mine\"");
  EXPECT_EQ(seen.headers.at("traceparent"), trace);
  call = pay("s1", "other");
  call.command = Command(Submitting{.entity = "pay", .action = "s1", .correlation_id = "corr-1"});
  submit(std::move(call));
  EXPECT_EQ(node_->outcome("other").status, Status::executed);
  EXPECT_FALSE(provider_.seen().at(1).headers.contains("traceparent"));
}

TEST_F(EffectRequests, are_not_made_for_what_is_declared_no_more_or_otherwise) {
  auto registry = registry_of({.url = provider_.url(), .attempts_max = 2});
  options_.dispatches = false;
  node_ = std::make_unique<Node>(":memory:", registry, options_);
  submit(pay("s1", "gone"));
  submit(pay("s3", "otherwise"));
  auto another = std::make_shared<commands::Registry>(*registry);
  another->commands.erase("pay.s1");
  auto weaker = std::make_shared<commands::Declaration>(*registry->commands["pay.s2"]);
  weaker->action = "s3";
  another->commands["pay.s3"] = weaker;
  const Hands hands(node_->service(), preparer_of(another), options_.secrets_file);
  const CommandRow gone = node_->outcome("gone");
  EXPECT_EQ(gone.reason, "attempts_exhausted");
  EXPECT_THAT(gone.outcome, HasSubstr("the registry in force has no command pay.s1"));
  const CommandRow otherwise = node_->outcome("otherwise");
  EXPECT_EQ(otherwise.reason, "attempts_exhausted");
  EXPECT_THAT(otherwise.outcome, HasSubstr("accepted with shield S3"));
  EXPECT_TRUE(provider_.seen().empty());
}

TEST_F(EffectRequests, are_of_the_tenant_of_the_command) {
  node();
  submit(pay("s1", "k", "tenant_a"));
  EXPECT_EQ(node_->outcome("k", "tenant_a").status, Status::executed);
  std::set<std::string> leased;
  std::set<std::string> settled;
  for (const Record& each : all_records(node_->service().store())) {
    if (each.kind == commands::kinds::settled) settled.insert(each.tenant + " " + each.principal);
    if (each.kind == commands::kinds::leased) leased.insert(each.tenant);
  }
  EXPECT_THAT(leased, testing::ElementsAre("holdfast"));
  EXPECT_THAT(settled, testing::ElementsAre("tenant_a holdfast"));
}

TEST(EffectTraceparent, is_told_by_its_form) {
  EXPECT_TRUE(is_traceparent("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"));
  for (const char* const none :
       {"", "corr-1", "00-00000000000000000000000000000000-b7ad6b7169203331-01",
        "00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01",
        "ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
        "00-0AF7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
        "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-x"})
    EXPECT_FALSE(is_traceparent(none)) << none;
}

}  // namespace
}  // namespace holdfast::test

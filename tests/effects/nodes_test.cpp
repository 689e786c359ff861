// Nodes that freeze with a lease, that stop, and that share one database.

#include <gmock/gmock.h>

#include <fstream>
#include <future>

#include "modules/commands/kinds.hpp"
#include "support/effects/world.hpp"
#include "support/journals/audit.hpp"
#include "support/stores/store_under_test.hpp"
#include "support/temp_dir.hpp"

namespace holdfast::test {
namespace {

using commands::CommandRow;
using commands::Status;
using effects::Finding;
using effects::Job;
using effects::Performer;

/// Freezes the node that it is part of, before a call or after it, until it is thawed.
class Frost {
 public:
  enum class When { before_call, after_call };
  explicit Frost(When when) : when_(when) {}

  std::shared_ptr<Performer> wrap(std::shared_ptr<Performer> inner) {
    return std::make_shared<Frozen>(*this, std::move(inner));
  }
  void wait_until_frozen() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return frozen_; });
  }
  void thaw() {
    const std::lock_guard lock(mutex_);
    thawed_ = true;
    changed_.notify_all();
  }

 private:
  struct Frozen final : Performer {
    Frozen(Frost& given, std::shared_ptr<Performer> what) : frost(given), inner(std::move(what)) {}
    void perform(const std::shared_ptr<const Job>& job, Done done) override {
      if (frost.when_ == When::before_call) frost.freeze();
      // Its own thread is the dispatcher's: as long as it is held, nothing happens there.
      std::promise<Finding> found;
      if (frost.when_ == When::before_call) return inner->perform(job, std::move(done));
      inner->perform(job, [&](Finding finding) { found.set_value(std::move(finding)); });
      Finding finding = found.get_future().get();
      frost.freeze();
      done(std::move(finding));
    }
    Frost& frost;
    std::shared_ptr<Performer> inner;
  };

  void freeze() {
    std::unique_lock lock(mutex_);
    frozen_ = true;
    changed_.notify_all();
    changed_.wait(lock, [&] { return thawed_; });
  }

  const When when_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool frozen_ = false;  // guarded by mutex_
  bool thawed_ = false;  // guarded by mutex_
};

class EffectNodes : public testing::Test {
 protected:
  EffectNodes() { std::ofstream(secrets()) << "CARD_TOKEN=t\n"; }
  [[nodiscard]] std::string secrets() const { return dir_.file("secrets"); }
  [[nodiscard]] std::shared_ptr<commands::Registry> registry(
      Duration lease = std::chrono::seconds(1)) const {
    return registry_of(
        {.url = provider_.url(), .timeout = std::chrono::milliseconds(500), .lease = lease});
  }

  const TempDir dir_;
  ScriptedProvider provider_;
};

/// Two dispatchers on one service are to the store what two nodes are: what one has leased is not
/// the other's. The second is asleep as long as the first is not frozen.
class FrozenNode : public EffectNodes {
 protected:
  CommandRow run(const std::string& shield, Frost::When when) {
    const std::string& key = shield;
    Frost frost(when);
    Node::Options options;
    options.secrets_file = secrets();
    options.wrap = [&](auto inner) { return frost.wrap(std::move(inner)); };
    Node first(":memory:", registry(), options);
    EXPECT_TRUE(first.submit(pay(shield, key)).ok());
    frost.wait_until_frozen();
    Hands second(first.service(), preparer_of(registry()), secrets());
    const CommandRow row = first.outcome(key);
    const int calls = provider_.calls(key);
    frost.thaw();
    while (first.dispatcher().figures()["payer"].late == 0)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    EXPECT_EQ(provider_.calls(key), calls) << "it acted when it woke";
    EXPECT_EQ(first.command(key)->outcome, row.outcome);
    EXPECT_THAT(violations(first.service().store()), testing::IsEmpty());
    return row;
  }
};

TEST_F(FrozenNode, before_its_call_never_makes_it) {
  for (const std::string shield : {"s1", "s3", "s4"}) {
    EXPECT_EQ(run(shield, Frost::When::before_call).status, Status::executed);
    EXPECT_EQ(provider_.calls(shield), 1);
    EXPECT_EQ(provider_.effects(shield), 1);
  }
  // Nobody can know that it did not.
  EXPECT_EQ(run("s2", Frost::When::before_call).reason, "outcome_unknown");
  EXPECT_EQ(provider_.calls("s2"), 0);
}

TEST_F(FrozenNode, after_its_call_is_not_believed_any_more) {
  for (const std::string shield : {"s1", "s3", "s4"}) {
    EXPECT_EQ(run(shield, Frost::When::after_call).status, Status::executed);
    EXPECT_EQ(provider_.calls(shield), shield == "s3" ? 1 : 2);
    EXPECT_EQ(provider_.effects(shield), 1);
  }
  EXPECT_EQ(run("s2", Frost::When::after_call).reason, "outcome_unknown");
  EXPECT_EQ(provider_.calls("s2"), 1);
  EXPECT_EQ(provider_.effects("s2"), 1);
}

TEST_F(EffectNodes, renew_what_lasts_longer_than_half_a_lease) {
  // Long enough for two renewals, were the time limit not in the way.
  auto slow = registry_of({.url = provider_.url(),
                           .timeout = std::chrono::milliseconds(900),
                           .lease = std::chrono::milliseconds(1000)});
  provider_.set_script([](const std::string&, int call) {
    if (call == 1) std::this_thread::sleep_for(std::chrono::milliseconds(700));
    return Trouble::none;
  });
  Node::Options options;
  options.secrets_file = secrets();
  Node node(":memory:", slow, options);
  EXPECT_EQ(node.run("s2", "k").status, Status::executed);
  std::size_t renewed = 0;
  for (const Record& each : all_records(node.service().store()))
    renewed += each.kind == commands::kinds::renewed;
  EXPECT_GE(renewed, 1U);
  EXPECT_EQ(provider_.calls("k"), 1);
}

TEST_F(EffectNodes, that_stop_finish_what_is_in_flight) {
  provider_.set_script([](const std::string&, int) { return Trouble::slow; });
  Node::Options options;
  options.secrets_file = secrets();
  Node node(":memory:", registry(std::chrono::seconds(5)), options);
  for (int i = 0; i < 20; ++i) EXPECT_TRUE(node.submit(pay("s2", fmt::format("k{}", i))).ok());
  provider_.wait_for_calls(1);
  node.dispatcher().stop();
  int called = 0;
  for (int i = 0; i < 20; ++i) {
    const std::string key = fmt::format("k{}", i);
    const CommandRow row = *node.command(key);
    called += provider_.calls(key);
    EXPECT_EQ(row.status, provider_.calls(key) == 1 ? Status::executed : Status::in_progress);
  }
  EXPECT_GE(called, 1);
}

TEST_F(EffectNodes, that_stop_leave_what_hangs_to_its_lease) {
  provider_.set_script([](const std::string&, int) { return Trouble::hangs; });
  auto patient = registry_of({.url = provider_.url(),
                              .timeout = std::chrono::seconds(60),
                              .lease = std::chrono::seconds(120)});
  Node::Options options;
  options.stop_limit = std::chrono::milliseconds(100);
  options.secrets_file = secrets();
  Node node(":memory:", patient, options);
  EXPECT_TRUE(node.submit(pay("s1", "k")).ok());
  provider_.wait_for_calls(1);
  node.dispatcher().stop();
  EXPECT_TRUE(node.command("k")->open());
}

class EffectsShared : public EffectNodes, public testing::WithParamInterface<std::string> {};

INSTANTIATE_TEST_SUITE_P(on, EffectsShared, testing::Values("postgres", "mariadb"),
                         [](const auto& engine) { return engine.param; });

TEST_P(EffectsShared, by_two_nodes_happen_once) {
  const StoreUnderTest place(GetParam(), {});
  Node::Options options;
  options.secrets_file = secrets();
  Node one(place.name(), registry(std::chrono::seconds(30)), options);
  Node two(place.name(), registry(std::chrono::seconds(30)), options);
  constexpr int count = 40;
  for (int i = 0; i < count; ++i) {
    Node& node = i % 2 == 0 ? one : two;
    for (const std::string shield : {"s1", "s2", "s3", "s4"})
      EXPECT_TRUE(node.submit(pay(shield, fmt::format("{}_{}", shield, i))).ok());
  }
  for (int i = 0; i < count; ++i) {
    for (const std::string shield : {"s1", "s2", "s3", "s4"}) {
      const std::string key = fmt::format("{}_{}", shield, i);
      EXPECT_EQ(one.outcome(key).status, Status::executed);
      EXPECT_EQ(provider_.calls(key), 1);
      EXPECT_EQ(provider_.effects(key), 1);
    }
  }
  EXPECT_THAT(violations(one.service().store()), testing::IsEmpty());
}

}  // namespace
}  // namespace holdfast::test

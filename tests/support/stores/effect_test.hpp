#pragma once

#include <gmock/gmock.h>

#include "support/stores/command_test.hpp"

namespace holdfast::test {

inline constexpr commands::Shield all_shields[] = {commands::Shield::s1, commands::Shield::s2,
                                                   commands::Shield::s3, commands::Shield::s4};

/// A test of what becomes of effects: a command for each shield, and one of each that is tried
/// once.
class EffectTest : public CommandTest {
 protected:
  using Stage = commands::Stage;

  void SetUp() override {
    StoreTest::SetUp();
    std::vector<commands::Declaration> all;
    for (const commands::Shield each : all_shields) {
      all.push_back(pulled("do", std::string(commands::name(each)), each));
      all.push_back(pulled("once", std::string(commands::name(each)), each));
      all.back().effect.attempts_max = 1;
    }
    all.push_back(pulled("do", "more", commands::Shield::s2));
    all.back().effect.provider = "office";
    declare(all);
  }

  /// A command with that shield, accepted; its id.
  std::string accepted(commands::Shield shield, const std::string& entity = "do") {
    const Answer answer = submit({.entity = entity, .action = std::string(commands::name(shield))},
                                 harness().next_token());
    EXPECT_THAT(answer, done());
    return id_of(answer);
  }

  /// The same, and a worker at work on it.
  std::string at_work(commands::Shield shield, const std::string& entity = "do") {
    const std::string id = accepted(shield, entity);
    EXPECT_EQ(id_of(lease()), id);
    return id;
  }

  /// What the engine's own dispatcher gets.
  Answer dispatch(std::int64_t max = 1) {
    return run(Leasing{.kinds = {"warehouse"}, .max = max, .dispatches = true});
  }

  Answer complete(const std::string& id, std::int64_t fence, std::string result = R"({"n":1})") {
    return run(Completing{.id = id, .fence = fence, .result = std::move(result)});
  }

  Answer fail(const std::string& id, std::int64_t fence, std::string verdict) {
    return run(Failing{.id = id, .fence = fence, .verdict = std::move(verdict), .error = "e"});
  }

  void lose_lease(const std::string& id) {
    harness().at(*effect(id)->lease.until);
    EXPECT_EQ(harness().sweep(), 1U);
  }

  /// The command settled like that, and its effect is gone.
  void expect_end(const std::string& id, commands::Status status, const std::string& reason) {
    const auto row = command(id);
    ASSERT_TRUE(row);
    EXPECT_EQ(commands::name(row->status), commands::name(status));
    EXPECT_EQ(row->reason, reason);
    EXPECT_FALSE(effect(id));
  }

  /// The effect waits like that, until as much later as there is back-off, or to be leased now.
  void expect_waits(const std::string& id, Stage stage, bool uncertain, bool backs_off) {
    const auto row = effect(id);
    ASSERT_TRUE(row);
    EXPECT_FALSE(row->lease.leased());
    EXPECT_EQ(commands::name(row->stage), commands::name(stage));
    EXPECT_EQ(row->uncertain, uncertain);
    const Instant now = harness().now();
    const Duration all =
        std::chrono::seconds(1) * (row->lease.attempts == 0 ? 1 : 1 << (row->lease.attempts - 1));
    EXPECT_GE(row->lease.ready_at, backs_off ? now + all / 2 : now);
    EXPECT_LE(row->lease.ready_at, backs_off ? now + all : now);
  }
};

}  // namespace holdfast::test

// Lists: operations are given the first rows of one that are ready, whoever's they are. And rows
// that are removed.

#include <fmt/format.h>

#include <atomic>
#include <map>
#include <mutex>
#include <set>
#include <thread>

#include "crash/opening.hpp"
#include "engine/admit.hpp"
#include "modules/module_calls.hpp"
#include "support/dice.hpp"
#include "support/journals/audit.hpp"
#include "support/servers/sql_connection.hpp"
#include "support/stores/store_test.hpp"

namespace holdfast::test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class Lists : public StoreTest {
 protected:
  void put_in(const std::vector<std::string>& names, const Caller& caller = {}) {
    std::vector<Call> calls;
    for (const std::string& each : names)
      calls.push_back(put(each, harness().next_token(), 24h, caller));
    for (const Answer& each : harness().submit(std::move(calls))) EXPECT_THAT(each, done());
  }
  std::vector<std::string> taken(std::int64_t count, Duration pause = 1h) {
    return names_taken(harness().submit(take("g", count, harness().next_token(), pause)));
  }
  void TearDown() override {
    expect_rows_follow(harness().store());
    StoreTest::TearDown();
    expect_rows_follow(harness().store());
  }
};
HOLDFAST_ON_EVERY_STORE(Lists);

TEST_P(Lists, are_in_order_of_position_and_then_of_keys) {
  put_in({"g/b", "g/c", "h/a", "g/a", "g"});
  EXPECT_THAT(taken(1, 3min), ElementsAre("g/a"));
  EXPECT_THAT(taken(1, 1min), ElementsAre("g/b"));
  EXPECT_THAT(taken(1, 2min), ElementsAre("g/c"));
  EXPECT_THAT(taken(9), IsEmpty());
  harness().reopen();
  harness().advance(10min);
  EXPECT_THAT(taken(9), ElementsAre("g/b", "g/c", "g/a"));
  EXPECT_EQ(thing_in(harness().store(), "g/a")->ready, harness().now() + 1h);
  EXPECT_EQ(thing_in(harness().store(), "h/a")->ready, std::nullopt);
}

TEST_P(Lists, are_no_longer_than_wanted) {
  put_in({"g/a", "g/b", "g/c", "g/d"});
  EXPECT_THAT(taken(1), ElementsAre("g/a"));
  EXPECT_THAT(taken(2), ElementsAre("g/b", "g/c"));
  EXPECT_THAT(taken(quantity_max), ElementsAre("g/d"));
  EXPECT_THAT(taken(1), IsEmpty());
}

TEST_P(Lists, have_a_row_from_exactly_its_instant_on) {
  put_in({"g/a", "g/b"});
  const Instant now = harness().now();
  EXPECT_THAT(taken(1, 1min), ElementsAre("g/a"));
  EXPECT_THAT(taken(1, 1min + 1us), ElementsAre("g/b"));
  harness().at(now + 1min - 1us);
  EXPECT_THAT(taken(2), IsEmpty());
  harness().at(now + 1min);
  EXPECT_THAT(taken(2), ElementsAre("g/a"));
  harness().at(now + 1min + 1us);
  EXPECT_THAT(taken(2), ElementsAre("g/b"));
}

TEST_P(Lists, are_shared_by_the_calls_of_a_batch) {
  Harness& on = harness();
  put_in({"g/a", "g/b", "g/c", "g/d", "g/e", "h/a"});
  const auto answers = on.submit({take("g", 2, "1"), take("h", 5, "2"), take("g", 1, "3"),
                                  take("g", 9, "4"), take("g", 9, "5"), take("i", 1, "6")});
  EXPECT_THAT(names_taken(answers[0]), ElementsAre("g/a", "g/b"));
  EXPECT_THAT(names_taken(answers[1]), ElementsAre("h/a"));
  EXPECT_THAT(names_taken(answers[2]), ElementsAre("g/c"));
  EXPECT_THAT(names_taken(answers[3]), ElementsAre("g/d", "g/e"));
  EXPECT_THAT(names_taken(answers[4]), IsEmpty());
  EXPECT_THAT(names_taken(answers[5]), IsEmpty());
  EXPECT_THAT(on.submit(take("g", 2, "1")), replay_of(answers[0]));
}

/// Where two calls want two rows each, there are four, although the first takes only one.
TEST_P(Lists, are_read_as_rows_stand_after_earlier_calls) {
  Harness& on = harness();
  put_in({"g/a", "g/b", "g/c"});
  auto answers = on.submit({remove("g/a", "1"), take("g", 2, "2")});
  EXPECT_THAT(names_taken(answers[1]), ElementsAre("g/b"));  // g/c is the third
  answers = on.submit({take("g", 1, "3"), put("g/c", "4"), take("g", 1, "5")});
  EXPECT_THAT(names_taken(answers[0]), ElementsAre("g/c"));
  EXPECT_THAT(names_taken(answers[2]), ElementsAre("g/c"));  // ready again
  answers = on.submit({put("g/b", "6"), take("g", 2, "7")});
  EXPECT_THAT(names_taken(answers[1]), IsEmpty());  // it was not ready when the batch was loaded
  EXPECT_THAT(taken(2), ElementsAre("g/b"));
}

TEST_P(Lists, of_other_tenants_are_theirs) {
  Harness& on = harness();
  put_in({"g/a", "g/b"});
  put_in({"g/a", "g/x", "g/y"}, {"acme", "alice"});
  const auto answers = on.submit({take("g", 2, "1", 1h, "acme"), take("g", 1, "2"),
                                  take("g", 1, "3", 1h, "acme"), take("g", 1, "4", 1h, "nobody")});
  EXPECT_THAT(names_taken(answers[0]), ElementsAre("g/a", "g/x"));
  EXPECT_THAT(names_taken(answers[1]), ElementsAre("g/a"));
  EXPECT_THAT(names_taken(answers[2]), ElementsAre("g/y"));
  EXPECT_THAT(names_taken(answers[3]), IsEmpty());
  EXPECT_EQ(thing_in(on.store(), "g/x", "acme")->ready, on.now() + 1h);
  EXPECT_FALSE(thing_in(on.store(), "g/x"));
  EXPECT_EQ(thing_in(on.store(), "g/b")->ready, std::nullopt);
}

TEST_P(Lists, have_names_of_any_bytes) {
  const std::string group = "\u00e9 \"'\\%_";
  put_in({group + "/'b", group + "/\u00e9"});
  const Answer answer = harness().submit(take(group, 5, "t"));
  EXPECT_THAT(names_taken(answer), ElementsAre(group + "/'b", group + "/\u00e9"));
}

/// More rows than a batch is given of one list.
TEST_P(Lists, are_cut_where_a_batch_has_enough) {
  if (!is_embedded(GetParam())) GTEST_SKIP() << "merging is one function, and this takes long";
  std::vector<std::string> names;
  for (int i = 0; i < 5000; ++i) names.push_back(fmt::format("g/{:04}", i));
  put_in(names);
  const auto answers = harness().submit({take("g", 3000, "1"), take("g", 3000, "2")});
  EXPECT_EQ(names_taken(answers[0]).size(), 3000U);
  EXPECT_EQ(names_taken(answers[1]).size(), 1096U);
  EXPECT_EQ(taken(5000).size(), 904U);
}

class Removal : public Lists {};
HOLDFAST_ON_EVERY_STORE(Removal);

TEST_P(Removal, leaves_nothing_to_find) {
  Harness& on = harness();
  on.submit({put("g/a", "1", 1h), put("g/b", "2", 2h), put("g/c", "3", 3h)});
  EXPECT_THAT(on.submit(remove("g/a", "4")), done());
  for (const bool again : {false, true}) {
    if (again) on.reopen();
    EXPECT_FALSE(thing_in(on.store(), "g/a"));
    EXPECT_THAT(names_in_pool(on.store(), "g"), ElementsAre("g/b", "g/c"));
    EXPECT_EQ(on.store().counts().next_expiry, start + 2h);
  }
  EXPECT_THAT(taken(1), ElementsAre("g/b"));
  on.advance(2h);
  EXPECT_EQ(on.sweep(), 1U);
}

TEST_P(Removal, of_what_is_not_there_is_refused) {
  Harness& on = harness();
  EXPECT_THAT(on.submit(remove("a", "1")), refused(Rejection::not_known));
  const auto answers = on.submit(
      {put("a", "2"), remove("a", "3"), remove("a", "4"), remove("a", "5", {"acme", "alice"})});
  EXPECT_THAT(answers[1], done());
  EXPECT_THAT(answers[2], refused(Rejection::not_known));
  EXPECT_THAT(answers[3], refused(Rejection::not_known));
  EXPECT_THAT(on.submit(remove("a", "3")), replay_of(answers[1]));
}

TEST_P(Removal, and_making_it_again_across_batches) {
  Harness& on = harness();
  for (int i = 1; i <= 3; ++i) {
    EXPECT_THAT(on.submit(put("g/a", on.next_token())), done());
    EXPECT_EQ(times_of(on.store(), "g/a"), 1);
    EXPECT_THAT(on.submit(remove("g/a", on.next_token())), done());
    if (i == 2) on.reopen();
    EXPECT_FALSE(thing_in(on.store(), "g/a"));
  }
}

TEST_P(Removal, and_making_it_again_in_one_batch) {
  Harness& on = harness();
  on.submit({put("g/a", "1"), put("g/b", "2"), put("g/c", "3")});
  const auto answers =
      on.submit({remove("g/a", "4"), put("g/a", "5"),                       // another
                 put("g/b", "6"), remove("g/b", "7"),                       // none
                 remove("g/c", "8"), put("g/c", "9"), remove("g/c", "10"),  // none
                 put("g/d", "11"), remove("g/d", "12"),                     // never any
                 put("g/e", "13"), remove("g/e", "14"), put("g/e", "15"), take("g", 9, "16")});
  for (const Answer& each : answers) EXPECT_THAT(each, done());
  EXPECT_THAT(names_taken(answers.back()), ElementsAre("g/a"));  // g/e was not there before
  for (const bool again : {false, true}) {
    if (again) on.reopen();
    EXPECT_THAT(names_in_pool(on.store(), "g"), testing::UnorderedElementsAre("g/a", "g/e"));
    EXPECT_EQ(times_of(on.store(), "g/a"), 1);
    EXPECT_EQ(times_of(on.store(), "g/e"), 1);
  }
}

/// The sweeper comes last in a batch.
TEST_P(Removal, of_what_is_due_in_the_same_batch) {
  Harness& on = harness();
  on.submit({put("a", "1", 1h), put("b", "2", 1h)});
  on.advance(1h);
  const auto random = seeded_random(5);
  Engine engine(on.store(), *random, {});
  Request request{.call = remove("a", "3")};
  ASSERT_FALSE(admit(request, on.rules()));
  Batch batch;
  batch.sweep_max = 10;
  batch.work.push_back({.request = std::move(request), .done = {}});
  ASSERT_TRUE(engine.execute(batch));
  EXPECT_THAT(batch.work.front().answer, done());
  EXPECT_EQ(batch.swept, 2U);
  ASSERT_TRUE(on.store().sync(batch.seq));
  EXPECT_FALSE(thing_in(on.store(), "a"));
  EXPECT_FALSE(thing_in(on.store(), "b"));
}

/// Random puttings, takings and removals, many in one batch, against a plain map.
TEST_P(Lists, follow_random_histories) {
  Harness& on = harness();
  Dice dice(11);
  using Things = std::map<std::string, Instant>;  // when they are ready
  Things model;
  const auto ready_now = [&](std::size_t most) {
    std::set<std::pair<Instant, std::string>> ready;
    for (const auto& [name, at] : model) {
      if (at <= on.now()) ready.emplace(at, name);
    }
    std::vector<std::string> names;
    for (const auto& [at, name] : ready) {
      if (names.size() < most) names.push_back(name);
    }
    return names;
  };
  const int rounds = is_embedded(GetParam()) ? 400 : 80;
  for (int i = 0; i < rounds; ++i) {
    std::vector<Call> calls;
    std::size_t wanted = 0;
    for (std::int64_t n = dice.between(1, 6); n > 0; --n) {
      const std::string name = fmt::format("g/n{}", dice.below(8));
      if (dice.chance(40)) {
        calls.push_back(put(name, on.next_token()));
      } else if (dice.chance(40)) {
        calls.push_back(remove(name, on.next_token()));
      } else {
        const std::int64_t some = dice.between(1, 3);
        wanted += static_cast<std::size_t>(some);
        calls.push_back(take("g", some, on.next_token(), std::chrono::seconds(dice.between(1, 9))));
      }
    }
    const std::vector<std::string> listed = ready_now(wanted);
    const std::vector<Call> asked = calls;
    const auto answers = on.submit(std::move(calls));
    for (std::size_t n = 0; n < asked.size(); ++n) {
      if (const auto* adding = asked[n].command.as<pool::Putting>()) {
        model[adding->name] = Instant{};
      } else if (const auto* removing = asked[n].command.as<pool::Removing>()) {
        EXPECT_EQ(answers[n].ok(), model.erase(removing->name) == 1);
      } else {
        const auto& taking = *asked[n].command.as<pool::Taking>();
        std::vector<std::string> names;
        for (const std::string& name : listed) {
          const auto found = model.find(name);
          if (names.size() == static_cast<std::size_t>(taking.count)) break;
          if (found == model.end() || found->second > on.now()) continue;
          found->second = on.now() + taking.pause;
          names.push_back(name);
        }
        EXPECT_EQ(names_taken(answers[n]), names) << "round " << i;
      }
    }
    on.advance(std::chrono::milliseconds(dice.between(0, 3000)));
    if (dice.chance(5)) on.reopen();
    if (dice.chance(10)) on.sweep();
  }
  std::set<std::string> names;
  for (const auto& [name, ready] : model) names.insert(name);
  EXPECT_THAT(names_in_pool(on.store(), "g"), testing::UnorderedElementsAreArray(names));
}

class ListsOfNodes : public testing::TestWithParam<std::string> {
 protected:
  void open(int nodes) {
    for (int i = 0; i < nodes; ++i)
      services_.push_back(
          std::make_unique<Service>(place_.open(), system_random(), ServiceOptions{}));
  }
  template <typename Work>
  void at_every_node(Work work) {
    std::vector<std::thread> threads;
    for (std::size_t node = 0; node < services_.size(); ++node)
      threads.emplace_back([&, node] { work(*services_[node], node); });
    for (std::thread& each : threads) each.join();
  }
  void TearDown() override {
    for (const auto& each : services_) expect_rows_follow(each->store());
    EXPECT_THAT(violations(services_.front()->store()), IsEmpty());
  }

  StoreUnderTest place_{GetParam(), {}};
  std::vector<std::unique_ptr<Service>> services_;
};
INSTANTIATE_TEST_SUITE_P(on, ListsOfNodes, testing::Values("postgres", "mariadb"),
                         [](const auto& engine) { return engine.param; });

TEST_P(ListsOfNodes, give_every_row_to_one_of_them) {
  constexpr int things = 100;
  open(3);
  for (int i = 0; i < things; ++i)
    EXPECT_THAT(submit(*services_[0], put(fmt::format("g/{}", i), fmt::format("a{}", i))), done());
  std::mutex mutex;
  std::vector<std::string> all;  // guarded by mutex
  at_every_node([&](Service& service, std::size_t node) {
    for (int i = 0;; ++i) {
      const auto names =
          names_taken(submit(service, take("g", 1 + i % 3, fmt::format("t{}-{}", node, i))));
      const std::lock_guard lock(mutex);
      all.insert(all.end(), names.begin(), names.end());
      if (names.empty()) return;
    }
  });
  EXPECT_EQ(all.size(), static_cast<std::size_t>(things));
  EXPECT_EQ(std::set(all.begin(), all.end()).size(), static_cast<std::size_t>(things));
}

TEST_P(ListsOfNodes, have_each_row_removed_once) {
  open(2);
  std::atomic<int> made{0};
  std::atomic<int> gone{0};
  at_every_node([&](Service& service, std::size_t node) {
    for (int i = 0; i < 60; ++i) {
      const std::string name = fmt::format("g/{}", i % 3);
      const std::string token = fmt::format("{}-{}", node, i);
      const Answer added = submit(service, put(name, "a" + token));
      EXPECT_THAT(added, done());
      if (object_in<pool::Thing>(added.document)->times == 1) ++made;
      EXPECT_THAT(submit(service, take("g", 1, "t" + token, 1ms)), done());
      if (submit(service, remove(name, "r" + token)).ok()) ++gone;
    }
  });
  const auto left = static_cast<int>(names_in_pool(services_[0]->store(), "g").size());
  EXPECT_EQ(made - gone, left);
}

/// Somebody who does not ask for the lock takes the row away in between: the batch is decided anew.
TEST(RemovalByHand, of_the_same_row_is_noticed) {
  Harness on("postgres");
  on.submit({put("a", "1"), put("b", "2")});
  SqlConnection sql(on.name());
  const auto random = seeded_random(5);
  bool interfered = false;
  Engine engine(on.store(), *random, [&](Stage stage) {
    if (stage != Stage::write || std::exchange(interfered, true)) return;
    (void)sql.execute("DELETE FROM module_rows WHERE key = 'a'");
  });
  Batch batch;
  for (const char* name : {"a", "b"}) {
    Request request{.call = remove(name, fmt::format("r{}", name))};
    ASSERT_FALSE(admit(request, on.rules()));
    batch.work.push_back({.request = std::move(request), .done = {}});
  }
  ASSERT_TRUE(engine.execute(batch));
  EXPECT_THAT(batch.work[0].answer, refused(Rejection::not_known));
  EXPECT_THAT(batch.work[1].answer, done());
  EXPECT_FALSE(thing_in(on.store(), "b"));
}

}  // namespace
}  // namespace holdfast::test

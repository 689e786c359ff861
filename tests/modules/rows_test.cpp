// What stores promise of the rows of a module that they do not know: they are what its records made
// them, whichever store it is.

#include <fmt/format.h>

#include <future>
#include <map>
#include <thread>

#include "domain/module.hpp"
#include "engine/copying.hpp"
#include "engine/service.hpp"
#include "modules/module_calls.hpp"
#include "support/dice.hpp"
#include "support/journals/audit.hpp"
#include "support/stores/store_test.hpp"

namespace holdfast::test {
namespace {

using testing::ElementsAre;

class Rows : public StoreTest {
 protected:
  std::int64_t value(const std::string& name, std::string_view tenant = "default") {
    return value_of(harness().store(), name, tenant);
  }
};
HOLDFAST_ON_EVERY_STORE(Rows);

TEST_P(Rows, are_changed_by_records_and_found_by_key) {
  Harness& on = harness();
  const Answer one = on.submit(add("doors", 3, "a"));
  EXPECT_THAT(one, done());
  EXPECT_EQ(one.document,
            R"({"amount":3,"expires_at":"2026-01-01T01:00:00.000000Z","name":"doors","value":3})");
  on.advance(1min);
  EXPECT_THAT(on.submit(add("doors", 4, "b")), done());
  for (const bool again : {false, true}) {
    if (again) on.reopen();
    const auto found =
        on.store().rows("default", {.space = counter::Counter::space, .key = "doors"});
    ASSERT_TRUE(found && found->items.size() == 1);
    EXPECT_EQ(found->items.front().row.version, 2U);
    EXPECT_EQ(row_of<counter::Counter>(&found->items.front().row)->value, 7);
    EXPECT_EQ(counter_in(on.store(), "doors")->expires, start + 61min);
    EXPECT_FALSE(counter_in(on.store(), "door"));
    EXPECT_FALSE(counter_in(on.store(), "doors", "acme"));
  }
}

TEST_P(Rows, of_tenants_are_apart) {
  Harness& on = harness();
  on.submit({add("doors", 3, "a"), add("doors", 5, "a", 1h, {"acme", "alice"})});
  EXPECT_EQ(value("doors"), 3);
  EXPECT_EQ(value("doors", "acme"), 5);
}

TEST_P(Rows, later_calls_of_a_batch_see_earlier_ones) {
  Harness& on = harness();
  const auto answers =
      on.submit({add("a", 1, "1"), add("b", 10, "2"), add("a", 2, "3"), add("a", 4, "4")});
  EXPECT_THAT(answers.back().document, testing::HasSubstr(R"("value":7)"));
  EXPECT_EQ(value("a"), 7);
  EXPECT_EQ(value("b"), 10);
}

TEST_P(Rows, replays_repeat_the_answer_that_was_given) {
  Harness& on = harness();
  const Answer one = on.submit(add("doors", 3, "a"));
  on.submit(add("doors", 4, "b"));
  EXPECT_THAT(on.submit(add("doors", 3, "a")), replay_of(one));
  on.reopen();
  EXPECT_THAT(on.submit(add("doors", 3, "a")), replay_of(one));
  EXPECT_THAT(on.submit(add("doors", 3, "a")), replay_of(one));
  EXPECT_THAT(on.submit(add("doors", 4, "a")), refused(Rejection::token_collision));
  EXPECT_THAT(on.submit(confirm({1, 1}, "a")), refused(Rejection::token_collision));
  EXPECT_EQ(value("doors"), 7);
}

TEST_P(Rows, of_a_refusal_stay_as_they_are) {
  Harness& on = harness();
  on.submit(add("doors", quantity_max, "a"));
  EXPECT_THAT(on.submit(add("doors", 1, "b")), invalid(Reason::quantity_bounds));
  EXPECT_THAT(on.submit(add("", 1, "c")), invalid(Reason::resource_blank));
  EXPECT_THAT(on.submit(add("doors", 0, "d")), invalid(Reason::quantity_bounds));
  EXPECT_THAT(on.submit(add(std::string(2000, 'x'), 1, "e")), invalid(Reason::resource_size));
  EXPECT_EQ(value("doors"), quantity_max);
}

TEST_P(Rows, are_due_when_their_time_is_over_and_not_before) {
  Harness& on = harness();
  on.submit({add("a", 1, "1", 1h), add("b", 2, "2", 2h), add("c", 3, "3", 1h)});
  EXPECT_EQ(on.store().counts().next_expiry, start + 1h);
  on.at(start + 1h - 1us);
  EXPECT_EQ(on.sweep(), 0U);
  on.reopen();
  on.at(start + 1h);
  EXPECT_EQ(on.sweep(), 2U);
  EXPECT_EQ(value("a"), 0);
  EXPECT_EQ(value("b"), 2);
  EXPECT_EQ(value("c"), 0);
  EXPECT_EQ(on.sweep(), 0U);
  EXPECT_EQ(on.store().counts().next_expiry, start + 2h);
  on.submit(add("a", 5, "4"));
  EXPECT_EQ(value("a"), 5);
}

TEST_P(Rows, that_are_due_are_loaded_earliest_first_and_no_more_than_wanted) {
  Harness& on = harness();
  for (int i = 9; i >= 0; --i)
    on.submit(add(fmt::format("n{}", i), 1, on.next_token(), 1h + i * 1min));
  on.must_place({.resource = "r", .requester = "q", .duration = 30min});
  on.at(start + 3h);
  EXPECT_EQ(on.sweep(4), 5U);  // and the hold
  EXPECT_EQ(value("n3"), 0);
  EXPECT_EQ(value("n4"), 1);
  EXPECT_EQ(on.sweep(4), 4U);
  EXPECT_EQ(on.sweep(4), 2U);
}

TEST_P(Rows, are_listed_by_parent_in_order_page_by_page) {
  Harness& on = harness();
  std::vector<Call> calls;
  for (const char* name : {"g/b", "g/a", "h/a", "plain", "g/c", "g/\u00e9\"1"})
    calls.push_back(add(name, 1, on.next_token()));
  on.submit(std::move(calls));
  on.submit(add("g/b", 1, on.next_token()));
  for (const std::size_t limit : {1U, 2U, 4U, 100U})
    EXPECT_THAT(names_in(on.store(), "g", limit), ElementsAre("g/a", "g/b", "g/c", "g/\u00e9\"1"));
  EXPECT_THAT(names_in(on.store(), "h", 1), ElementsAre("h/a"));
  EXPECT_THAT(names_in(on.store(), "i", 1), ElementsAre());
  const auto bad = on.store().rows(
      "default", {.space = counter::Counter::space, .parent = "g", .cursor = "made up"});
  ASSERT_FALSE(bad);
  EXPECT_TRUE(bad.error().bad_cursor);
}

/// Random additions, pauses and sweeps, against a plain map.
TEST_P(Rows, follow_random_histories) {
  Harness& on = harness();
  Dice dice(7);
  struct Model {
    std::int64_t value = 0;
    Instant expires = Instant::max();
  };
  std::map<std::string, Model> model;
  const int rounds = is_embedded(GetParam()) ? 300 : 60;
  for (int i = 0; i < rounds; ++i) {
    std::vector<Call> calls;
    for (std::uint64_t n = dice.below(6); n > 0; --n) {
      const std::string name = fmt::format("g{}/n{}", dice.below(3), dice.below(4));
      const std::int64_t amount = dice.between(1, 9);
      const Duration lifetime = std::chrono::seconds(dice.between(1, 90));
      calls.push_back(add(name, amount, on.next_token(), lifetime));
      Model& expected = model[name];
      expected.value += amount;
      expected.expires = on.now() + lifetime;
    }
    if (!calls.empty()) on.submit(std::move(calls));
    if (dice.chance(50)) on.advance(std::chrono::seconds(dice.between(0, 60)));
    if (dice.chance(30)) {
      std::size_t due = 0;
      for (auto& [name, each] : model) {
        if (each.expires > on.now()) continue;
        each = {};
        ++due;
      }
      EXPECT_EQ(on.sweep(), due);
    }
    if (dice.chance(5)) on.reopen();
  }
  for (const auto& [name, each] : model) EXPECT_EQ(value(name), each.value) << name;
  expect_rows_follow(on.store());
}

class RowsOfNodes : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(on, RowsOfNodes, testing::Values("postgres", "mariadb"),
                         [](const auto& engine) { return engine.param; });

/// Several services on one database, each adding to the same counters at the same time.
TEST_P(RowsOfNodes, no_addition_is_lost_or_made_twice) {
  constexpr int nodes = 3;
  constexpr int calls = 60;
  StoreUnderTest place(GetParam(), {});
  std::vector<std::unique_ptr<Service>> services;
  for (int i = 0; i < nodes; ++i)
    services.push_back(std::make_unique<Service>(place.open(), system_random(), ServiceOptions{}));
  std::vector<std::thread> threads;
  for (int node = 0; node < nodes; ++node) {
    threads.emplace_back([&, node] {
      for (int i = 0; i < calls; ++i) {
        std::promise<Answer> promise;
        // Each token is used at two nodes.
        const std::string token =
            fmt::format("{}-{}", i % 2 == 0 ? node : (node + 1) % nodes, i / 2);
        services[static_cast<std::size_t>(node)]->submit(
            add(fmt::format("g/n{}", i / 2 % 3), 1, token),
            [&](Answer answer) { promise.set_value(std::move(answer)); });
        EXPECT_THAT(promise.get_future().get(), done());
      }
    });
  }
  for (std::thread& each : threads) each.join();
  const Store& store = services.front()->store();
  EXPECT_EQ(value_of(store, "g/n0") + value_of(store, "g/n1") + value_of(store, "g/n2"),
            nodes * calls / 2);
  EXPECT_THAT(violations(store), testing::IsEmpty());
}

TEST(CopyOfRows, goes_round_every_engine_and_comes_back_the_same) {
  const auto unwatched = [](CopyStage, std::uint64_t, std::uint64_t) {};
  Harness first("sqlite");
  for (int i = 0; i < 40; ++i) {
    first.submit(add(fmt::format("g/n{}", i % 7), i + 1, first.next_token(), 10min));
    first.submit(put(fmt::format("g/n{}", i % 5), first.next_token(), 10min));
    if (i % 5 == 0) first.submit(take("g", 2, first.next_token(), 3min));
    if (i % 11 == 10) first.submit(remove(fmt::format("g/n{}", i % 5), first.next_token()));
    first.advance(1min);
    if (i % 9 == 0) first.sweep();
  }
  const auto records = all_records(first.store());
  first.close();
  StoreUnderTest postgres("postgres", {});
  StoreUnderTest mariadb("mariadb", {});
  StoreUnderTest last("sqlite", {});
  std::string from = first.name();
  for (const StoreUnderTest* to : {&postgres, &mariadb, &last}) {
    const auto copied = copy_store(from, to->name(), unwatched);
    ASSERT_TRUE(copied) << copied.error().message;
    EXPECT_TRUE(copied->clean());
    const auto store = open_store({.store = to->name(), .read_only = true});
    ASSERT_TRUE(store) << store.error().message;
    EXPECT_EQ(all_records(**store), records);
    expect_rows_follow(**store);
    from = to->name();
  }
}

TEST(RowsSwept, by_the_service_until_none_is_due) {
  StoreUnderTest place("sqlite", {});
  Service service(place.open(), system_random(), {.sweep_every = Duration::zero()});
  constexpr std::size_t counters = 3000;  // more than a step of a sweep
  std::vector<std::future<Answer>> answers;
  std::vector<std::promise<Answer>> promises(counters);
  for (std::size_t i = 0; i < counters; ++i) {
    answers.push_back(promises[i].get_future());
    service.submit(add(fmt::format("n{}", i), 1, fmt::format("t{}", i)),
                   [&promises, i](Answer answer) { promises[i].set_value(std::move(answer)); });
  }
  for (auto& each : answers) EXPECT_THAT(each.get(), done());
  place.clock()->advance(1h);
  EXPECT_EQ(service.sweep(), counters);
  EXPECT_EQ(value_of(service.store(), "n2999"), 0);
}

/// The clock alone resets it: nobody has to ask.
TEST(RowsSwept, by_the_services_own_clock) {
  StoreUnderTest place("sqlite", {});
  Service service(place.open(), system_random(), {.sweep_every = 5ms});
  std::promise<Answer> promise;
  service.submit(add("n", 1, "t"), [&](Answer answer) { promise.set_value(std::move(answer)); });
  EXPECT_THAT(promise.get_future().get(), done());
  place.clock()->advance(1h);
  for (int i = 0; i < 1000 && value_of(service.store(), "n") != 0; ++i)
    std::this_thread::sleep_for(5ms);
  EXPECT_EQ(value_of(service.store(), "n"), 0);
}

}  // namespace
}  // namespace holdfast::test

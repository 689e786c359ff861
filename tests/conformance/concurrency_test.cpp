// Many callers at once (IR-8): one effect, equal answers, bounded queues, clean shutdown.

#include <atomic>
#include <map>
#include <set>
#include <thread>

#include "support/stores/service_test.hpp"

namespace holdfast::test {
namespace {

constexpr std::size_t callers = 64;
class Concurrency : public ServiceTest {
 protected:
  std::vector<Answer> all_at_once(const std::function<Call(std::size_t)>& call,
                                  std::size_t count = callers) {
    service();
    std::vector<Answer> answers(count);
    on_threads(count, [&](std::size_t i) { answers[i] = submit(call(i)); });
    return answers;
  }
};
HOLDFAST_ON_EVERY_STORE(Concurrency);

TEST_P(Concurrency, one_token_on_64_threads_has_one_effect_and_64_equal_answers) {
  const auto answers = all_at_once([](std::size_t) { return place(room, "t"); });
  std::size_t firsts = 0;
  for (const Answer& answer : answers) {
    EXPECT_THAT(answer, done());
    EXPECT_EQ(words(answer), words(answers.front()));
    firsts += answer.replayed ? 0U : 1U;
  }
  EXPECT_EQ(firsts, 1U);
  EXPECT_EQ(store().counts().holds, 1U);
}

TEST_P(Concurrency, one_token_with_mixed_parameters_has_one_success_and_else_collisions) {
  const auto guest = [](std::size_t i) { return "guest_" + std::to_string(i % 8); };
  const auto answers = all_at_once([&](std::size_t i) {
    return place({.resource = "room_307", .requester = guest(i), .duration = 1h}, "t");
  });
  std::string winner;
  for (const Answer& answer : answers) {
    if (answer.ok()) winner = answer.hold->requester;
  }
  std::size_t firsts = 0;
  for (std::size_t i = 0; i < answers.size(); ++i) {
    if (guest(i) == winner) {
      EXPECT_THAT(answers[i], done());
      firsts += answers[i].replayed ? 0U : 1U;
    } else {
      EXPECT_THAT(answers[i], refused(Rejection::token_collision));
    }
  }
  EXPECT_EQ(firsts, 1U);
  EXPECT_EQ(store().counts().holds, 1U);
}

TEST_P(Concurrency, 64_tokens_for_one_room_have_one_winner) {
  const auto answers = all_at_once([](std::size_t i) { return place(room, std::to_string(i)); });
  std::size_t winners = 0;
  for (const Answer& answer : answers) {
    winners += answer.ok() ? 1U : 0U;
    if (answer.ok()) continue;
    EXPECT_THAT(answer, refused(Rejection::resource_unavailable));
  }
  EXPECT_EQ(winners, 1U);
}

TEST_P(Concurrency, confirm_and_release_at_once_have_one_winner) {
  const HoldId id = submit(place(room, "p")).hold->id;
  const auto answers = all_at_once([&](std::size_t i) {
    return i % 2 == 0 ? confirm(id, std::to_string(i)) : release(id, std::to_string(i));
  });
  std::size_t winners = 0;
  for (const Answer& answer : answers) winners += answer.ok() ? 1U : 0U;
  EXPECT_EQ(winners, 1U);
}

TEST_P(Concurrency, quantities_never_exceed_the_capacity) {
  EXPECT_THAT(submit(declare("seats", 100, "d")), done());
  const auto answers = all_at_once([](std::size_t i) {
    return place({.resource = "seats",
                  .requester = "g",
                  .duration = 1h,
                  .quantity = static_cast<std::int64_t>(1 + i % 7)},
                 std::to_string(i));
  });
  std::int64_t sum = 0;
  for (const Answer& answer : answers) sum += answer.ok() ? answer.hold->quantity : 0;
  EXPECT_EQ(store().resource("default", "seats")->in_use, sum);
  EXPECT_LE(sum, 100);
  EXPECT_GE(sum, 94) << "nobody was turned away while there was room";
}

TEST_P(Concurrency, flaky_callers_that_retry_everything_get_one_effect_each) {
  constexpr int rounds = 20;
  service();
  std::atomic<std::uint64_t> firsts = 0;
  on_threads(8, [&](std::size_t caller) {
    for (int round = 0; round < rounds; ++round) {
      const std::string name = std::to_string(caller) + "/" + std::to_string(round);
      const Placing what{.resource = name, .requester = "g", .duration = 1h};
      auto lost = ask(place(what, name));  // its answer never arrives
      for (int attempt = 0; attempt < 3; ++attempt) {
        const Answer answer = submit(place(what, name));
        EXPECT_THAT(answer, done());
        firsts += answer.replayed ? 0U : 1U;
      }
      firsts += lost.get().replayed ? 0U : 1U;
    }
  });
  EXPECT_EQ(firsts.load(), 8U * rounds);
  EXPECT_EQ(store().counts().holds, 8U * rounds);
}

TEST_P(Concurrency, reads_go_on_while_the_writer_writes) {
  service();
  std::atomic<bool> stop = false;
  std::thread reader([&] {
    while (!stop) {
      const auto page = store().holds("default", {});
      ASSERT_TRUE(page);
      for (const HoldDetails& each : page->items) {
        EXPECT_TRUE(*store().hold("default", each.hold.id));
        EXPECT_EQ(store().resource("default", each.hold.resource)->in_use, 1);
        EXPECT_TRUE(*store().token("default", each.token)) << "durable means all of it";
      }
      (void)store().counts();
      (void)store().resources("default", {});
      (void)store().records(0, 10);
    }
  });
  all_at_once([](std::size_t i) {
    const std::string name = std::to_string(i);
    return place({.resource = name, .requester = "g", .duration = 1h}, name);
  });
  stop = true;
  reader.join();
}

TEST_P(Concurrency, a_different_body_while_the_first_is_in_flight_is_a_collision) {
  service();
  gate_.close();
  auto first_call = ask(place(room, "t"));
  gate_.wait_until_somebody_waits();
  auto same = ask(place(room, "t"));
  Placing other = room;
  other.requester = "guest_g92";
  auto different = ask(place(other, "t"));
  gate_.open();
  const Answer original = first_call.get();
  EXPECT_THAT(original, first());
  EXPECT_THAT(same.get(), replay_of(original));
  EXPECT_THAT(different.get(), refused(Rejection::token_collision));
}

TEST_P(Concurrency, a_duplicate_that_waited_too_long_is_told_in_progress) {
  Rules rules;
  rules.policies[Operation::hold_place].overlap_wait = 2s;
  service(rules);
  gate_.close();
  auto first_call = ask(place(room, "t"));
  gate_.wait_until_somebody_waits();
  auto same = ask(place(room, "t"));
  Placing other = room;
  other.requester = "guest_g92";
  auto different = ask(place(other, "t"));
  auto unrelated = ask(place({.resource = "b", .requester = "g", .duration = 1h}, "u"));
  clock().advance(2s);
  const Answer waiting = same.get();
  EXPECT_THAT(waiting, refused(Rejection::in_progress));
  EXPECT_THAT(waiting, token_unused());
  // For all that a node on a shared store knows, this is the one that was done, at another node.
  const bool knows = is_embedded(GetParam());
  EXPECT_THAT(different.get(),
              refused(knows ? Rejection::token_collision : Rejection::in_progress));
  EXPECT_EQ(unrelated.wait_for(0s), std::future_status::timeout)
      << "whoever does not overlap just waits";
  gate_.open();
  const Answer original = first_call.get();
  EXPECT_THAT(original, first());
  EXPECT_THAT(unrelated.get(), done());
  EXPECT_THAT(submit(place(room, "t")), replay_of(original));
  EXPECT_THAT(submit(place(other, "t")), refused(Rejection::token_collision));
}

/// However a call ends: with its batch, overdue in the queue, or refused at its door.
TEST_P(Concurrency, a_token_is_under_way_until_the_last_call_with_it_has_ended) {
  Rules rules;
  rules.policies[Operation::hold_place].overlap_wait = 2s;
  ServiceOptions options = quiet();
  options.queue_max = 2;
  service(rules, options);
  const auto under_way = [&](std::string_view token, std::string_view tenant = "default") {
    return service().is_under_way(tenant, token);
  };
  const auto another = [](const char* name) {
    return place({.resource = name, .requester = "g", .duration = 1h}, name);
  };
  EXPECT_FALSE(under_way("t"));
  gate_.close();
  auto first_call = ask(place(room, "t"));
  gate_.wait_until_somebody_waits();
  auto duplicate = ask(place(room, "t"));
  auto waiting = ask(another("u"));
  EXPECT_THAT(submit(another("v")), refused(Rejection::overloaded));
  EXPECT_TRUE(under_way("t") && under_way("u"));
  EXPECT_FALSE(under_way("v")) << "it was turned away";
  EXPECT_FALSE(under_way("t", "acme")) << "another tenant's";
  clock().advance(2s);
  EXPECT_THAT(duplicate.get(), refused(Rejection::in_progress));
  EXPECT_TRUE(under_way("t")) << "the first one is";
  gate_.open();
  EXPECT_THAT(first_call.get(), done());
  EXPECT_THAT(waiting.get(), done());
  EXPECT_FALSE(under_way("t") || under_way("u"));
}

TEST_P(Concurrency, overload_is_answered_at_once_with_the_token_unused) {
  ServiceOptions options = quiet();
  options.queue_max = 2;
  service({}, options);
  const auto numbered = [](int i) {
    const std::string name = "n" + std::to_string(i);
    return place({.resource = name, .requester = "g", .duration = 1h}, name);
  };
  gate_.close();
  auto running = ask(numbered(0));
  gate_.wait_until_somebody_waits();
  auto waiting_1 = ask(numbered(1));
  auto waiting_2 = ask(numbered(2));
  for (int i = 3; i < 6; ++i) {
    auto refused_call = ask(numbered(i));
    ASSERT_EQ(refused_call.wait_for(0s), std::future_status::ready) << "while the writer is stuck";
    const Answer answer = refused_call.get();
    EXPECT_THAT(answer, refused(Rejection::overloaded));
    EXPECT_THAT(answer, token_unused());
    EXPECT_EQ(answer.effect, Effect::none);
  }
  gate_.open();
  EXPECT_THAT(running.get(), done());
  EXPECT_THAT(waiting_1.get(), done());
  EXPECT_THAT(waiting_2.get(), done());
  EXPECT_FALSE(*store().token("default", "n3"));
  EXPECT_THAT(submit(numbered(3)), first()) << "the same token, later";
}

TEST_P(Concurrency, a_replay_is_answered_even_when_the_queue_is_full) {
  ServiceOptions options = quiet();
  options.queue_max = 1;
  service({}, options);
  const Answer original = submit(place(room, "t"));
  gate_.close();
  auto running = ask(confirm(original.hold->id, "c"));
  gate_.wait_until_somebody_waits();
  auto waiting = ask(confirm(original.hold->id, "c2"));
  auto replay = ask(place(room, "t"));
  ASSERT_EQ(replay.wait_for(0s), std::future_status::ready);
  EXPECT_THAT(replay.get(), replay_of(original));
  gate_.open();
  EXPECT_THAT(running.get(), done());
  EXPECT_THAT(waiting.get(), refused(Rejection::not_held));
}

TEST_P(Concurrency, shutdown_finishes_what_was_accepted_and_refuses_what_comes_later) {
  service();
  gate_.close();
  std::vector<std::future<Answer>> accepted;
  for (int i = 0; i < 250; ++i) {  // more than a batch
    const std::string name = std::to_string(i);
    accepted.push_back(ask(place({.resource = name, .requester = "g", .duration = 1h}, name)));
  }
  gate_.wait_until_somebody_waits();
  std::thread stopper([&] { service().stop(); });
  gate_.open();
  stopper.join();
  for (auto& each : accepted) {
    ASSERT_EQ(each.wait_for(0s), std::future_status::ready);
    EXPECT_THAT(each.get(), first());
  }
  const Answer late = submit(place(room, "late"));
  EXPECT_THAT(late, refused(Rejection::store_unavailable));
  EXPECT_THAT(late, token_unused());
  EXPECT_EQ(late.effect, Effect::none);
  EXPECT_EQ(store().counts().holds, 250U);
}

TEST_P(Concurrency, replays_answered_at_once_are_on_record_by_shutdown) {
  const Answer original = submit(place(room, "t"));
  for (int i = 0; i < 10; ++i) EXPECT_THAT(submit(place(room, "t")), replay_of(original));
  service().stop();
  std::int64_t replays = 0;
  for (const Record& record : all_records(store())) {
    if (record.kind != RecordKind::replayed) continue;
    EXPECT_EQ(record.ref, 1U);
    replays += record.count;
  }
  EXPECT_EQ(replays, 10);
}

TEST_P(Concurrency, a_flood_of_replays_is_written_as_a_count) {
  const Answer original = submit(place(room, "t"));
  gate_.close();
  auto stuck = ask(place(room, "other"));
  gate_.wait_until_somebody_waits();
  all_at_once([](std::size_t) { return place(room, "t"); });
  gate_.open();
  (void)stuck.get();
  service().stop();
  std::int64_t replays = 0;
  std::size_t records = 0;
  for (const Record& record : all_records(store())) {
    if (record.kind != RecordKind::replayed) continue;
    replays += record.count;
    ++records;
  }
  EXPECT_EQ(replays, static_cast<std::int64_t>(callers));
  EXPECT_LE(records, 2U);
}

TEST_P(Concurrency, sweeping_by_hand_expires_everything_due_and_forgets_tokens) {
  constexpr int count = 3000;  // more than one step of a sweep
  service();
  std::vector<std::future<Answer>> placed;
  for (int i = 0; i < count; ++i) {
    const std::string name = std::to_string(i);
    placed.push_back(ask(place({.resource = name, .requester = "g", .duration = 1min}, name)));
  }
  for (auto& each : placed) EXPECT_THAT(each.get(), done());
  EXPECT_EQ(service().sweep(), 0U);
  clock().advance(1min);
  EXPECT_EQ(service().sweep(), static_cast<std::size_t>(count));
  EXPECT_EQ(store().counts().live_holds, 0U);
  EXPECT_EQ(store().counts().live_tokens, static_cast<std::uint64_t>(count));
  clock().advance(9min);
  EXPECT_EQ(service().sweep(), 0U);
  EXPECT_EQ(store().counts().live_tokens, 0U);
}

TEST_P(Concurrency, the_sweeper_keeps_its_cadence_by_itself) {
  ServiceOptions options;
  options.sweep_every = 1ms;
  service({}, options);
  const HoldId id = submit(place(room, "t")).hold->id;
  clock().advance(1h);
  for (int i = 0; i < 2000; ++i) {
    if ((*store().hold("default", id))->hold.state == HoldState::expired) break;
    std::this_thread::sleep_for(5ms);
  }
  EXPECT_EQ((*store().hold("default", id))->hold.state, HoldState::expired);
}

/// Somebody else's sweep may be under way, one that began before time moved on.
TEST_P(Concurrency, whoever_asks_for_a_sweep_waits_for_one_that_began_after) {
  ServiceOptions options;
  options.sweep_every = 1ms;
  service({}, options);
  for (int i = 0; i < 100; ++i) {
    const std::string name = std::to_string(i);
    const HoldId id =
        submit(place({.resource = name, .requester = "g", .duration = 1min}, name)).hold->id;
    clock().advance(1min);
    service().sweep();
    ASSERT_EQ((*store().hold("default", id))->hold.state, HoldState::expired) << i;
  }
}

TEST_P(Concurrency, sweeps_and_calls_at_once_agree) {
  service();
  std::atomic<bool> stop = false;
  std::thread sweeper([&] {
    while (!stop) {
      clock().advance(1ms);
      service().sweep();
    }
  });
  on_threads(4, [&](std::size_t caller) {
    for (int i = 0; i < 50; ++i) {
      const std::string token = std::to_string(caller) + "-" + std::to_string(i);
      const Answer answer =
          submit(place({.resource = "shared", .requester = token, .duration = 2ms}, token));
      if (answer.ok()) (void)submit(confirm(answer.hold->id, "c" + token));
      if (answer.ok()) (void)submit(release(answer.hold->id, "r" + token));
    }
  });
  stop = true;
  sweeper.join();
}

}  // namespace
}  // namespace holdfast::test

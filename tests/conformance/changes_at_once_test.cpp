// IR-8 for holds that change while they stand: fifty callers with one token are one change, whoever
// else is at the same hold, and on however many nodes.

#include <set>

#include "support/stores/service_test.hpp"
#include "wire/body.hpp"

namespace holdfast::test {
namespace {

constexpr std::size_t fifty = 50;

/// One effect, and one answer for everybody.
void expect_one_effect(const std::vector<Answer>& answers) {
  std::size_t firsts = 0;
  for (const Answer& each : answers) {
    EXPECT_THAT(each, done());
    EXPECT_EQ(answer_body(each), answer_body(answers.front()));
    firsts += each.replayed ? 0U : 1U;
  }
  EXPECT_EQ(firsts, 1U);
}

class ChangesAtOnce : public ServiceTest {
 protected:
  std::vector<Answer> all_at_once(const std::function<Call(std::size_t)>& call) {
    service();
    std::vector<Answer> answers(fifty);
    on_threads(fifty, [&](std::size_t i) { answers[i] = submit(call(i)); });
    return answers;
  }
  void with_one_token(const Call& call) {
    expect_one_effect(all_at_once([&](std::size_t) { return call; }));
  }
  Hold seats(std::int64_t quantity) {
    EXPECT_THAT(submit(declare("seats", 100, "d")), done());
    return *submit(
                place({.resource = "seats", .requester = "g", .duration = 1h, .quantity = quantity},
                      "p"))
                .hold;
  }
  [[nodiscard]] Hold shown(HoldId id) { return (*store().hold("default", id))->hold; }
  [[nodiscard]] std::int64_t in_use() { return store().resource("default", "seats")->in_use; }
  static std::string numbered(std::size_t i) { return "t" + std::to_string(i); }
};
HOLDFAST_ON_EVERY_STORE(ChangesAtOnce);

TEST_P(ChangesAtOnce, one_extension) {
  const Hold hold = seats(6);
  with_one_token(extend(hold.id, 2h, "t"));
  EXPECT_EQ(shown(hold.id).expires_at, start + 2h);
}

TEST_P(ChangesAtOnce, one_confirm_of_a_part_one_final_and_one_cancel) {
  const Hold hold = seats(60);
  with_one_token(confirm_part(hold.id, 1, "part"));
  EXPECT_EQ(shown(hold.id).quantity_confirmed, 1);
  with_one_token(confirm_finally(hold.id, 2, "final"));
  EXPECT_EQ(shown(hold.id).quantity_confirmed, 3);
  EXPECT_EQ(in_use(), 3);
  with_one_token(cancel_part(hold.id, 1, "cancel"));
  EXPECT_EQ(shown(hold.id).quantity_cancelled, 1);
  with_one_token(cancel(hold.id, "cancel all"));
  EXPECT_EQ(in_use(), 0);
}

TEST_P(ChangesAtOnce, one_group) {
  const Grouping what{.requester = "g", .duration = 1h, .holds = {{"a"}, {"b"}, {"c"}}};
  with_one_token(place_group(what, "g"));
  EXPECT_EQ(store().counts().holds, 3U);
  const Group group = *group_in(submit(place_group(what, "g")));
  with_one_token(extend_group(group.id, 2h, "e"));
  with_one_token(confirm_group(group.id, "c"));
  EXPECT_EQ(store().counts().confirmed_holds, 3U);
  Grouping more = what;
  for (GroupItem& each : more.holds) each.resource += "2";
  const Group other = *group_in(submit(place_group(more, "g2")));
  with_one_token(release_group(other.id, "r"));
  EXPECT_EQ(store().counts().released_holds, 3U);
}

TEST_P(ChangesAtOnce, parts_with_fifty_tokens_never_exceed_the_hold) {
  const Hold hold = seats(30);
  const auto answers =
      all_at_once([&](std::size_t i) { return confirm_part(hold.id, 1, numbered(i)); });
  std::size_t confirmed = 0;
  for (const Answer& each : answers) confirmed += each.ok() ? 1U : 0U;
  EXPECT_EQ(confirmed, 30U);
  EXPECT_EQ(shown(hold.id).state, HoldState::confirmed);
  EXPECT_EQ(in_use(), 30);
}

TEST_P(ChangesAtOnce, cancels_with_fifty_tokens_give_back_what_was_confirmed) {
  const Hold hold = seats(30);
  ASSERT_THAT(submit(confirm(hold.id, "c")), done());
  const auto answers =
      all_at_once([&](std::size_t i) { return cancel_part(hold.id, 1, numbered(i)); });
  std::size_t cancelled = 0;
  for (const Answer& each : answers) cancelled += each.ok() ? 1U : 0U;
  EXPECT_EQ(cancelled, 30U);
  EXPECT_EQ(in_use(), 0);
}

TEST_P(ChangesAtOnce, groups_that_cross_each_other_have_no_halves) {
  const auto answers = all_at_once([](std::size_t i) {
    const std::string a = "r" + std::to_string(i % 5);
    const std::string b = "r" + std::to_string((i + 1) % 5);
    return place_group({.requester = "g", .duration = 1h, .holds = {{a}, {b}}}, numbered(i));
  });
  std::set<std::string> taken;
  for (const Answer& each : answers) {
    if (!each.ok()) {
      EXPECT_THAT(each, refused(Rejection::resource_unavailable));
      continue;
    }
    const Group group = group_in(each).value_or(Group{});
    for (const Hold& hold : group.holds) EXPECT_TRUE(taken.insert(hold.resource).second);
  }
  EXPECT_EQ(taken.size(), 4U) << "two groups of two";
  EXPECT_EQ(store().counts().holds, taken.size());
}

TEST_P(ChangesAtOnce, extensions_parts_releases_and_sweeps_agree) {
  const Hold hold = seats(50);
  service();
  on_threads(8, [&](std::size_t caller) {
    for (std::size_t i = 0; i < 10; ++i) {
      const std::string token = numbered(caller * 100 + i);
      switch (caller % 4) {
        case 0:
          (void)submit(extend(hold.id, std::chrono::minutes(60 + i), token));
          break;
        case 1:
          (void)submit(confirm_part(hold.id, 1, token));
          break;
        case 2:
          (void)submit(cancel_part(hold.id, 1, token));
          break;
        default:
          clock().advance(3min);
          service().sweep();
      }
    }
  });
  const Hold then = shown(hold.id);
  const bool held = then.state == HoldState::held && store().now() < then.expires_at;
  EXPECT_EQ(in_use(), (held ? then.quantity : then.quantity_confirmed) - then.quantity_cancelled);
}

/// Two services on one database.
class ChangesOnTwoNodes : public ::testing::TestWithParam<std::string> {
 protected:
  ChangesOnTwoNodes() : place_(GetParam(), Rules{}) {
    ServiceOptions options;
    options.sweep_every = Duration::zero();
    for (std::uint64_t seed : {1U, 2U})
      nodes_.push_back(std::make_unique<Service>(place_.open(), seeded_random(seed), options));
  }

  void TearDown() override {
    for (const auto& each : nodes_) each->stop();
    EXPECT_THAT(violations(nodes_[0]->store()), ::testing::IsEmpty());
    EXPECT_THAT(violations(nodes_[1]->store()), ::testing::IsEmpty());
  }

  Answer submit(std::size_t node, Call call) {
    std::promise<Answer> answer;
    nodes_[node % 2]->submit(std::move(call), [&](Answer given) { answer.set_value(given); });
    return answer.get_future().get();
  }
  std::vector<Answer> all_at_once(const std::function<Call(std::size_t)>& call) {
    std::vector<Answer> answers(fifty);
    on_threads(fifty, [&](std::size_t i) { answers[i] = submit(i, call(i)); });
    return answers;
  }
  void with_one_token(const Call& call) {
    expect_one_effect(all_at_once([&](std::size_t) { return call; }));
  }
  [[nodiscard]] Hold shown(HoldId id) const {
    return (*nodes_[0]->store().hold("default", id))->hold;
  }
  [[nodiscard]] std::int64_t in_use() const {
    return nodes_[1]->store().resource("default", "seats")->in_use;
  }

  StoreUnderTest place_;
  std::vector<std::unique_ptr<Service>> nodes_;
};
INSTANTIATE_TEST_SUITE_P(on, ChangesOnTwoNodes, ::testing::Values("postgres", "mariadb"),
                         [](const auto& engine) { return engine.param; });

TEST_P(ChangesOnTwoNodes, one_token_is_one_change_of_each_kind) {
  ASSERT_THAT(submit(0, declare("seats", 100, "d")), done());
  const Placing what{.resource = "seats", .requester = "g", .duration = 1h, .quantity = 60};
  const Hold hold = *submit(1, place(what, "p")).hold;
  with_one_token(extend(hold.id, 2h, "e"));
  with_one_token(confirm_part(hold.id, 1, "part"));
  with_one_token(confirm_finally(hold.id, 2, "final"));
  with_one_token(cancel_part(hold.id, 1, "x"));
  EXPECT_EQ(in_use(), 2);
  const Grouping pair{.requester = "g", .duration = 1h, .holds = {{"a"}, {"b"}}};
  with_one_token(place_group(pair, "g"));
  const Group group = *group_in(submit(0, place_group(pair, "g")));
  with_one_token(extend_group(group.id, 2h, "ge"));
  with_one_token(confirm_group(group.id, "gc"));
}

TEST_P(ChangesOnTwoNodes, each_replays_what_the_other_said_whatever_came_after) {
  ASSERT_THAT(submit(0, declare("seats", 100, "d")), done());
  const Placing what{.resource = "seats", .requester = "g", .duration = 1h, .quantity = 6};
  std::vector<Call> calls{place(what, "p")};
  std::vector<Answer> answers{submit(0, calls[0])};
  const HoldId id = answers[0].hold->id;
  for (const Call& call :
       {extend(id, 2h, "e"), confirm_part(id, 7, "over"), confirm_part(id, 2, "c"),
        cancel_part(id, 1, "x"), confirm_finally(id, 1, "f"), cancel(id, "y"), cancel(id, "z")}) {
    answers.push_back(submit(calls.size(), call));
    calls.push_back(call);
    for (std::size_t i = 0; i < calls.size(); ++i) {
      for (const std::size_t node : {0U, 1U}) {
        const Answer again = submit(node, calls[i]);
        EXPECT_THAT(again, replay_of(answers[i]));
        EXPECT_EQ(answer_body(again), answer_body(answers[i]));
      }
    }
  }
}

TEST_P(ChangesOnTwoNodes, parts_and_cancels_from_both_stay_within_the_hold) {
  ASSERT_THAT(submit(0, declare("seats", 100, "d")), done());
  const Placing what{.resource = "seats", .requester = "g", .duration = 1h, .quantity = 20};
  const HoldId id = submit(1, place(what, "p")).hold->id;
  const auto answers = all_at_once([&](std::size_t i) {
    const std::string token = "t" + std::to_string(i);
    return i % 3 == 0 ? cancel_part(id, 1, token) : confirm_part(id, 1, token);
  });
  std::int64_t confirmed = 0;
  std::int64_t cancelled = 0;
  for (const Answer& each : answers) {
    if (!each.ok()) continue;
    (each.operation == Operation::hold_cancel ? cancelled : confirmed) += 1;
  }
  EXPECT_EQ(confirmed, 20);
  EXPECT_EQ(shown(id).quantity_confirmed, confirmed);
  EXPECT_EQ(shown(id).quantity_cancelled, cancelled);
  EXPECT_EQ(in_use(), confirmed - cancelled);
}

TEST_P(ChangesOnTwoNodes, groups_that_cross_each_other_have_no_halves) {
  const auto answers = all_at_once([](std::size_t i) {
    const std::string a = "r" + std::to_string(i % 7);
    const std::string b = "r" + std::to_string((i + 3) % 7);
    return place_group({.requester = "g", .duration = 1h, .holds = {{a}, {b}}},
                       "t" + std::to_string(i));
  });
  std::set<std::string> taken;
  for (const Answer& each : answers) {
    if (!each.ok()) continue;
    const Group group = group_in(each).value_or(Group{});
    for (const Hold& hold : group.holds) EXPECT_TRUE(taken.insert(hold.resource).second);
  }
  EXPECT_GE(taken.size(), 4U);
  EXPECT_EQ(nodes_[0]->store().counts().holds, taken.size());
}

}  // namespace
}  // namespace holdfast::test

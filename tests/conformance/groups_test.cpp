// Several holds under one token: all or none (IR-3). What a group's holds can do alone, they still
// can.

#include "support/json.hpp"
#include "support/stores/store_test.hpp"
#include "wire/body.hpp"

namespace holdfast::test {
namespace {

class Groups : public StoreTest {
 protected:
  static Grouping together(std::vector<GroupItem> holds, Duration duration = 1h) {
    return {.requester = "guest_g91", .duration = duration, .holds = std::move(holds)};
  }
  Group must_place(std::vector<GroupItem> holds, Duration duration = 1h) {
    const Answer answer =
        harness().submit(place_group(together(std::move(holds), duration), harness().next_token()));
    EXPECT_THAT(answer, done());
    return group_in(answer).value_or(Group{});
  }
  /// What the answer says is what there is.
  void expect_as_it_stands(const Answer& answer, std::size_t size) {
    const auto group = group_in(answer);
    ASSERT_TRUE(group) << answer.document;
    ASSERT_EQ(group->holds.size(), size);
    for (const Hold& each : group->holds) EXPECT_EQ(harness().hold(each.id), each);
  }
  [[nodiscard]] std::int64_t in_use(const std::string& resource) {
    return harness().store().resource("default", resource)->in_use;
  }
};
HOLDFAST_ON_EVERY_STORE(Groups);

TEST_P(Groups, are_placed_together_in_the_order_they_were_asked_for) {
  Harness& on = harness();
  ASSERT_THAT(on.submit(declare("breakfast", 5, "d")), done());
  const Answer answer =
      on.submit(place_group(together({{"room_307"}, {"breakfast", 2}, {"car"}}), "g"));
  ASSERT_THAT(answer, done());
  EXPECT_THAT(answer, first());
  EXPECT_FALSE(answer.hold);
  expect_as_it_stands(answer, 3);
  const Group group = *group_in(answer);
  EXPECT_EQ(group.id.first, group.holds[0].id);
  const std::vector<GroupItem> asked{{"room_307"}, {"breakfast", 2}, {"car"}};
  for (std::size_t i = 0; i < asked.size(); ++i) {
    const Hold& hold = group.holds[i];
    EXPECT_EQ(hold.resource, asked[i].resource);
    EXPECT_EQ(hold.quantity, asked[i].quantity);
    EXPECT_EQ(hold.requester, "guest_g91");
    EXPECT_EQ(hold.state, HoldState::held);
    EXPECT_EQ(hold.placed_at, start);
    EXPECT_EQ(hold.expires_at, start + 1h);
    EXPECT_EQ(hold.group, group.id);
    EXPECT_EQ(hold.id.ordinal, group.id.first.ordinal + i);
    EXPECT_EQ((*on.store().hold("default", hold.id))->token, "g");
  }
  EXPECT_EQ(in_use("breakfast"), 2);
  EXPECT_EQ(on.store().counts().live_holds, 3U);
  EXPECT_EQ(on.store().counts().live_tokens, 2U) << "one for all of them";
}

TEST_P(Groups, are_placed_wholly_or_not_at_all) {
  Harness& on = harness();
  on.must_place({.resource = "b", .requester = "g", .duration = 1h});
  const std::uint64_t before = on.records();
  const Answer answer = on.submit(place_group(together({{"a"}, {"b"}, {"c"}}), "g"));
  EXPECT_THAT(answer, refused(Rejection::resource_unavailable));
  EXPECT_FALSE(group_in(answer));
  EXPECT_EQ(on.records(), before + 1) << "the refusal";
  EXPECT_EQ(on.store().counts().holds, 1U);
  for (const char* each : {"a", "c"}) EXPECT_EQ(in_use(each), 0) << each;
  EXPECT_EQ(on.must_place({.resource = "a", .requester = "g", .duration = 1h}).id.ordinal, 2U)
      << "no id was used";
}

TEST_P(Groups, a_refusal_names_everything_that_was_short) {
  Harness& on = harness();
  ASSERT_THAT(on.submit(declare("beds", 5, "d")), done());
  on.must_place({.resource = "beds", .requester = "g", .duration = 1h, .quantity = 2});
  on.must_place({.resource = "room", .requester = "g", .duration = 1h});
  const Answer answer =
      on.submit(place_group(together({{"room"}, {"beds", 2}, {"car"}, {"beds", 2}}), "g"));
  EXPECT_THAT(answer, refused(Rejection::resource_unavailable));
  EXPECT_EQ(answer.document, R"({"short":[{"asked":4,"free":3,"resource":"beds"},)"
                             R"({"asked":1,"free":0,"resource":"room"}]})");
  const Json problem(answer_body(answer));
  EXPECT_EQ(problem.size("/short"), 2U);
  EXPECT_EQ(problem.text("/short/0/resource"), "beds");
  on.reopen();
  EXPECT_THAT(on.submit(place_group(together({{"room"}, {"beds", 2}, {"car"}, {"beds", 2}}), "g")),
              replay_of(answer));
}

TEST_P(Groups, one_resource_named_twice_must_have_room_for_both) {
  Harness& on = harness();
  ASSERT_THAT(on.submit(declare("beds", 5, "d")), done());
  EXPECT_THAT(on.submit(place_group(together({{"beds", 3}, {"beds", 3}}), "six")),
              invalid(Reason::quantity_above_capacity));
  const Group group = must_place({{"beds", 3}, {"beds", 2}});
  EXPECT_NE(group.holds[0].id, group.holds[1].id);
  EXPECT_EQ(in_use("beds"), 5);
  EXPECT_THAT(on.submit(release(group.holds[0].id, "r")), done());
  EXPECT_THAT(on.submit(place_group(together({{"beds", 2}, {"beds", 2}}), "four")),
              refused(Rejection::resource_unavailable));
  EXPECT_EQ(must_place({{"beds", 2}, {"beds", 1}}).holds.size(), 2U);
  EXPECT_EQ(in_use("beds"), 5);
}

TEST_P(Groups, quantities_that_sum_up_beyond_every_number_fit_nowhere) {
  Harness& on = harness();
  const std::vector<GroupItem> most(group_size_max, {"beds", quantity_max});
  EXPECT_THAT(on.submit(place_group(together(most), "g")),
              invalid(Reason::quantity_above_capacity));
  ASSERT_THAT(on.submit(declare("beds", quantity_max, "d")), done());
  EXPECT_THAT(on.submit(place_group(together(most), "nothing else is there")),
              invalid(Reason::quantity_above_capacity));
  on.must_place({.resource = "beds", .requester = "g", .duration = 1h});
  EXPECT_THAT(on.submit(place_group(together({{"beds", quantity_max - 1}, {"beds"}}), "all")),
              refused(Rejection::resource_unavailable));
  EXPECT_EQ(in_use("beds"), 1);
}

TEST_P(Groups, lapsed_holds_make_room_on_every_resource_or_on_none) {
  Harness& on = harness();
  const Hold a = on.must_place({.resource = "a", .requester = "g", .duration = 1min});
  const Hold b = on.must_place({.resource = "b", .requester = "g", .duration = 1min});
  const Hold c = on.must_place({.resource = "c", .requester = "g", .duration = 1h});
  on.at(a.expires_at - 1us);
  EXPECT_THAT(on.submit(place_group(together({{"a"}, {"b"}}), "early")),
              refused(Rejection::resource_unavailable));
  on.at(a.expires_at);
  const Answer vain = on.submit(place_group(together({{"a"}, {"b"}, {"c"}}), "vain"));
  EXPECT_EQ(vain.document, R"({"short":[{"asked":1,"free":0,"resource":"c"}]})");
  EXPECT_EQ(on.state(a.id), HoldState::held) << "nothing was expired in vain";
  must_place({{"a"}, {"b"}});
  EXPECT_EQ(on.state(a.id), HoldState::expired);
  EXPECT_EQ(on.state(b.id), HoldState::expired);
  EXPECT_EQ(on.state(c.id), HoldState::held);
}

TEST_P(Groups, what_is_no_group_is_invalid) {
  Harness& on = harness();
  const auto asked = [&](const Grouping& what) {
    return on.submit(place_group(what, on.next_token()));
  };
  EXPECT_THAT(asked(together({})), invalid(Reason::group_size));
  EXPECT_THAT(asked(together(std::vector<GroupItem>(group_size_max + 1, {"a"}))),
              invalid(Reason::group_size));
  EXPECT_THAT(asked(together({{"a"}, {" "}})), invalid(Reason::resource_blank));
  EXPECT_THAT(asked(together({{"a"}, {std::string(name_bytes_max + 1, 'r')}})),
              invalid(Reason::resource_size));
  EXPECT_THAT(asked(together({{"a"}, {"\xff"}})), invalid(Reason::resource_text));
  EXPECT_THAT(asked(together({{"a"}, {"b", 0}})), invalid(Reason::quantity_bounds));
  EXPECT_THAT(asked(together({{"a"}, {"b", 2}})), invalid(Reason::quantity_above_capacity));
  EXPECT_THAT(asked(together({{"a"}}, 0us)), invalid(Reason::duration_bounds));
  Grouping nobody = together({{"a"}});
  nobody.requester = "";
  EXPECT_THAT(asked(nobody), invalid(Reason::requester_blank));
  EXPECT_EQ(on.store().counts().holds, 0U);
  EXPECT_EQ(must_place({{"a"}}).holds.size(), 1U) << "one is enough";
}

TEST_P(Groups, of_the_largest_size_are_placed_and_resolved_together) {
  Harness& on = harness();
  std::vector<GroupItem> items;
  for (std::size_t i = 0; i < group_size_max; ++i) items.push_back({"r" + std::to_string(i)});
  const Group group = must_place(items);
  ASSERT_EQ(group.holds.size(), group_size_max);
  on.reopen();
  const Answer answer = on.submit(confirm_group(group.id, "c"));
  ASSERT_THAT(answer, done());
  expect_as_it_stands(answer, group_size_max);
  EXPECT_EQ(on.store().counts().confirmed_holds, group_size_max);
}

TEST_P(Groups, are_confirmed_together) {
  Harness& on = harness();
  const Group group = must_place({{"a"}, {"b"}});
  on.advance(1min);
  const Answer answer = on.submit(confirm_group(group.id, "c"));
  ASSERT_THAT(answer, done());
  expect_as_it_stands(answer, 2);
  const Group then = group_in(answer).value_or(Group{});
  for (const Hold& each : then.holds) {
    EXPECT_EQ(each.state, HoldState::confirmed);
    EXPECT_EQ(each.quantity_confirmed, 1);
    EXPECT_EQ(each.resolved_at, start + 1min);
  }
  EXPECT_THAT(on.submit(confirm_group(group.id, "c2")), refused(Rejection::not_held));
  EXPECT_THAT(on.submit(release_group(group.id, "r")), refused(Rejection::not_held));
  on.advance(1000h);
  EXPECT_EQ(on.sweep(), 0U);
  EXPECT_EQ(in_use("a"), 1);
}

TEST_P(Groups, are_released_together) {
  Harness& on = harness();
  const Group group = must_place({{"a"}, {"b"}});
  const Answer answer = on.submit(release_group(group.id, "r"));
  ASSERT_THAT(answer, done());
  expect_as_it_stands(answer, 2);
  for (const char* each : {"a", "b"}) EXPECT_EQ(in_use(each), 0);
  EXPECT_THAT(on.submit(confirm_group(group.id, "c")), refused(Rejection::not_held));
  must_place({{"a"}, {"b"}});
}

TEST_P(Groups, are_extended_together) {
  Harness& on = harness();
  const Group group = must_place({{"a"}, {"b"}});
  ASSERT_THAT(on.submit(extend(group.holds[0].id, 3h, "one")), done());
  const Answer answer = on.submit(extend_group(group.id, 2h, "e"));
  ASSERT_THAT(answer, done());
  expect_as_it_stands(answer, 2);
  EXPECT_EQ(on.hold(group.holds[0].id).expires_at, start + 3h) << "never earlier";
  EXPECT_EQ(on.hold(group.holds[1].id).expires_at, start + 2h);
  on.at(start + 2h - 1us);
  EXPECT_EQ(in_use("b"), 1);
  EXPECT_EQ(on.sweep(), 0U);
  on.at(start + 2h);
  EXPECT_EQ(in_use("b"), 0);
  EXPECT_EQ(in_use("a"), 1);
  EXPECT_EQ(on.sweep(), 1U);
  EXPECT_EQ(on.state(group.holds[1].id), HoldState::expired);
}

TEST_P(Groups, live_for_lifetime_max_at_most) {
  Rules rules;
  rules.lifetime_max = 2h;
  Harness& on = harness(rules);
  const Group group = must_place({{"a"}, {"b"}});
  on.advance(1min);
  const Answer over = on.submit(extend_group(group.id, 2h - 1min + 1us, "over"));
  EXPECT_THAT(over, refused(Rejection::lifetime_exceeded));
  for (const Hold& each : group.holds) EXPECT_EQ(on.hold(each.id), each);
  EXPECT_THAT(on.submit(extend_group(group.id, 2h - 1min, "most")), done());
  EXPECT_THAT(on.submit(extend_group(group.id, 2h - 1min + 1us, "over")), replay_of(over));
}

TEST_P(Groups, members_one_by_one_and_then_the_rest_together) {
  Harness& on = harness();
  ASSERT_THAT(on.submit(declare("beds", 10, "d")), done());
  const Group group = must_place({{"beds", 3}, {"beds", 2}, {"beds", 4}, {"beds"}});
  EXPECT_THAT(on.submit(release(group.holds[1].id, "r")), done());
  EXPECT_THAT(on.submit(confirm_part(group.holds[2].id, 1, "part")), done());
  EXPECT_EQ(in_use("beds"), 8);
  const Answer answer = on.submit(confirm_group(group.id, "c"));
  ASSERT_THAT(answer, done());
  expect_as_it_stands(answer, 4);
  const Group then = *group_in(answer);
  EXPECT_EQ(then.holds[0].quantity_confirmed, 3);
  EXPECT_EQ(then.holds[1].state, HoldState::released) << "as it was";
  EXPECT_EQ(then.holds[2].quantity_confirmed, 4);
  EXPECT_EQ(in_use("beds"), 8);
  EXPECT_THAT(on.submit(cancel_part(group.holds[2].id, 3, "x")), done());
  EXPECT_EQ(in_use("beds"), 5);
  EXPECT_THAT(on.submit(confirm_group(group.id, "c")), replay_of(answer)) << "as it stood then";
}

TEST_P(Groups, a_rest_that_is_partly_confirmed_is_released_and_lapses_with_the_others) {
  Harness& on = harness();
  ASSERT_THAT(on.submit(declare("beds", 9, "d")), done());
  const Group group = must_place({{"beds", 3}, {"beds", 4}});
  ASSERT_THAT(on.submit(confirm_part(group.holds[0].id, 1, "part")), done());
  const Answer answer = on.submit(release_group(group.id, "r"));
  expect_as_it_stands(answer, 2);
  EXPECT_EQ(in_use("beds"), 1);
}

TEST_P(Groups, nothing_happens_to_them_together_once_a_held_member_has_lapsed) {
  Harness& on = harness();
  const Group group = must_place({{"a"}, {"b"}});
  ASSERT_THAT(on.submit(extend(group.holds[0].id, 2h, "one")), done());
  on.at(start + 1h - 1us);
  ASSERT_THAT(on.submit(extend(group.holds[0].id, 2h, "two")), done());
  on.at(start + 1h);
  const Hold first_member = on.hold(group.holds[0].id);
  const std::vector<Call> calls{confirm_group(group.id, "c"), release_group(group.id, "r"),
                                extend_group(group.id, 1h, "e")};
  std::vector<Answer> answers;
  for (const Call& call : calls) {
    answers.push_back(on.submit(call));
    EXPECT_THAT(answers.back(), refused(Rejection::window_elapsed));
  }
  EXPECT_EQ(on.hold(first_member.id), first_member);
  EXPECT_EQ(on.state(group.holds[1].id), HoldState::held);
  EXPECT_EQ(on.sweep(), 1U) << "the second";
  for (std::size_t i = 0; i < calls.size(); ++i)
    EXPECT_THAT(on.submit(calls[i]), replay_of(answers[i]));
  EXPECT_THAT(on.submit(confirm_group(group.id, "again")), done()) << "what is left of it";
  EXPECT_EQ(on.state(first_member.id), HoldState::confirmed);
}

TEST_P(Groups, that_have_lapsed_are_replaced_at_that_very_instant) {
  Harness& on = harness();
  const Group group = must_place({{"a"}, {"b"}});
  on.at(start + 1h);
  const Group next = must_place({{"b"}, {"a"}});
  EXPECT_EQ(next.holds[0].placed_at, start + 1h);
  for (const Hold& each : group.holds) EXPECT_EQ(on.state(each.id), HoldState::expired);
  EXPECT_THAT(on.submit(confirm_group(group.id, "c")), refused(Rejection::not_held));
}

TEST_P(Groups, of_strangers_are_not_known) {
  Harness& on = harness();
  const Group group = must_place({{"a"}, {"b"}});
  const Hold alone = on.must_place(room);
  const HoldId id = group.id.first;
  const Caller acme{.tenant = "acme", .principal = "p"};
  EXPECT_THAT(on.submit(confirm_group({{id.ordinal, id.salt ^ 1U}}, "salt")),
              refused(Rejection::not_known));
  EXPECT_THAT(on.submit(release_group(group.id, "tenant", acme)), refused(Rejection::not_known));
  EXPECT_THAT(on.submit(extend_group(group.id, 2h, "tenant e", acme)),
              refused(Rejection::not_known));
  EXPECT_THAT(on.submit(confirm_group({alone.id}, "alone")), refused(Rejection::not_known))
      << "a hold that is in no group";
  EXPECT_THAT(on.submit(confirm_group({group.holds[1].id}, "second")),
              refused(Rejection::not_known))
      << "named by its first hold alone";
  EXPECT_THAT(on.submit(confirm_group({}, "none")), refused(Rejection::not_known));
  EXPECT_THAT(on.submit(confirm_group({{99, 1}}, "no such")), refused(Rejection::not_known));
  for (const Hold& each : group.holds) EXPECT_EQ(on.hold(each.id), each);
}

TEST_P(Groups, in_one_batch_each_call_sees_those_before_it) {
  Harness& on = harness();
  const Group group = must_place({{"a"}, {"b"}});
  const auto answers =
      on.submit({place_group(together({{"b"}, {"c"}}), "p"), release(group.holds[1].id, "r"),
                 place_group(together({{"b"}, {"c"}}), "q"), confirm_group(group.id, "c"),
                 place_group(together({{"b"}, {"c"}}), "p"), confirm_group(group.id, "c"),
                 place_group(together({{"b"}, {"c"}}), "q"), release_group(group.id, "r2")});
  EXPECT_THAT(answers[0], refused(Rejection::resource_unavailable));
  EXPECT_THAT(answers[1], done());
  EXPECT_THAT(answers[2], done());
  EXPECT_THAT(answers[3], done());
  EXPECT_THAT(answers[4], replay_of(answers[0]));
  EXPECT_THAT(answers[5], replay_of(answers[3]));
  EXPECT_THAT(answers[6], replay_of(answers[2]));
  EXPECT_THAT(answers[7], refused(Rejection::not_held));
}

TEST_P(Groups, one_placed_in_a_batch_can_be_resolved_in_it) {
  Harness& on = harness();
  ASSERT_THAT(on.submit(declare("beds", 9, "d")), done());
  // Nobody can know the id before; a repeated batch can.
  const Call placing = place_group(together({{"beds", 2}, {"room"}}), "p");
  const Group group = *group_in(on.submit(placing));
  const auto answers =
      on.submit({placing, extend_group(group.id, 2h, "e"), confirm_part(group.holds[0].id, 1, "a"),
                 confirm_group(group.id, "c"), placing, extend_group(group.id, 2h, "e")});
  for (const Answer& each : answers) EXPECT_THAT(each, done());
  EXPECT_EQ(words(answers[4]), words(answers[0]));
  EXPECT_EQ(words(answers[5]), words(answers[1]));
  EXPECT_EQ(in_use("beds"), 2);
}

TEST_P(Groups, fences_grow_with_every_hold_of_a_resource) {
  Harness& on = harness();
  std::uint64_t last = 0;
  for (int i = 0; i < 5; ++i) {
    const Group group = must_place({{"a"}, {"b"}});
    EXPECT_GT(group.holds[0].fence(), last);
    EXPECT_GT(group.holds[1].fence(), last);
    last = group.holds[0].fence();
    if (i == 2) on.reopen();
    on.advance(1s);
    EXPECT_THAT(on.submit(release_group(group.id, on.next_token())), done());
    const Hold alone = on.must_place({.resource = "a", .requester = "g", .duration = 1h});
    EXPECT_GT(alone.fence(), last);
    last = alone.fence();
    EXPECT_THAT(on.submit(extend(alone.id, 2h, on.next_token())), done());
    EXPECT_EQ(on.hold(alone.id).fence(), last) << "a hold keeps its fence";
    EXPECT_THAT(on.submit(release(alone.id, on.next_token())), done());
  }
}

TEST_P(Groups, survive_opening_the_store_again) {
  Harness& on = harness();
  const Group group = must_place({{"a"}, {"b"}});
  on.reopen();
  for (const Hold& each : group.holds) EXPECT_EQ(on.hold(each.id), each);
  ASSERT_THAT(on.submit(extend_group(group.id, 2h, "e")), done());
  ASSERT_THAT(on.submit(confirm(group.holds[0].id, "c")), done());
  on.reopen();
  const Answer answer = on.submit(confirm_group(group.id, "rest"));
  ASSERT_THAT(answer, done());
  expect_as_it_stands(answer, 2);
  EXPECT_EQ(on.state(group.holds[1].id), HoldState::confirmed);
}

}  // namespace
}  // namespace holdfast::test

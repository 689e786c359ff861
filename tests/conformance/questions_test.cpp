// What can be asked of a store: how much of a resource there is to be had, what a place would be
// answered, the holds of a group, and lists by the beginning of a name.

#include "engine/questions.hpp"

#include "support/stores/store_test.hpp"

namespace holdfast::test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class Questions : public StoreTest {
 protected:
  void SetUp() override { EXPECT_THAT(harness().submit(declare("seats", 10, "declare")), done()); }
  Hold seats(std::int64_t quantity, Duration duration = 1h) {
    return harness().must_place({.resource = "seats",
                                 .requester = "guest_g91",
                                 .duration = duration,
                                 .quantity = quantity});
  }
  [[nodiscard]] Availability seats_there_are() {
    return harness().store().availability("default", "seats").value();
  }
  /// Tried, then done: both must be answered alike.
  void expect_tried_as_done(const Placing& what) {
    Harness& on = harness();
    const std::uint64_t records = on.records();
    const Answer tried = try_to_place(on.store(), "default", what).value();
    EXPECT_EQ(on.records(), records) << "nothing is written";
    EXPECT_FALSE(tried.recorded);
    const Answer placed = on.submit(place(what, on.next_token()));
    EXPECT_EQ(tried.rejection, placed.rejection);
    EXPECT_EQ(tried.reason, placed.reason);
    ASSERT_EQ(tried.hold.has_value(), placed.ok());
    if (!tried.hold) return;
    Hold expected = *placed.hold;
    expected.id = {};
    EXPECT_EQ(tried.hold, expected);
  }
};
HOLDFAST_ON_EVERY_STORE(Questions);

TEST_P(Questions, a_resource_nobody_named_is_free) {
  const Availability unknown = harness().store().availability("default", "never").value();
  EXPECT_EQ(unknown, (Availability{.resource = "never", .capacity = 1}));
  EXPECT_EQ(unknown.free(), 1);
}

TEST_P(Questions, availability_tells_held_from_confirmed) {
  Harness& on = harness();
  const Hold one = seats(4, 30min);
  const Hold other = seats(3);
  EXPECT_EQ(
      seats_there_are(),
      (Availability{.resource = "seats", .capacity = 10, .held = 7, .next_expiry = start + 30min}));
  EXPECT_THAT(on.submit(confirm_part(one.id, 1, "part")), done());
  EXPECT_THAT(on.submit(confirm(other.id, "whole")), done());
  EXPECT_EQ(seats_there_are(), (Availability{.resource = "seats",
                                             .capacity = 10,
                                             .held = 3,
                                             .confirmed = 4,
                                             .next_expiry = start + 30min}));
  EXPECT_THAT(on.submit(cancel_part(other.id, 2, "cancel")), done());
  EXPECT_EQ(seats_there_are().confirmed, 2);
  EXPECT_EQ(seats_there_are().free(), 5);
}

TEST_P(Questions, what_has_lapsed_is_free_before_it_is_swept) {
  Harness& on = harness();
  const Hold early = seats(4, 30min);
  EXPECT_THAT(on.submit(confirm_part(early.id, 1, "part")), done());
  seats(3, 1h);
  on.at(early.expires_at - 1us);
  EXPECT_EQ(seats_there_are().free(), 3);
  on.at(early.expires_at);
  const Availability lapsed{
      .resource = "seats", .capacity = 10, .held = 3, .confirmed = 1, .next_expiry = start + 1h};
  EXPECT_EQ(seats_there_are(), lapsed);
  EXPECT_EQ(harness().store().resource("default", "seats")->in_use, 4);
  on.sweep();
  EXPECT_EQ(seats_there_are(), lapsed);
}

TEST_P(Questions, an_extension_moves_the_next_expiry) {
  Harness& on = harness();
  const Hold hold = seats(1, 30min);
  EXPECT_THAT(on.submit(extend(hold.id, 2h, "more")), done());
  EXPECT_EQ(seats_there_are().next_expiry, start + 2h);
  EXPECT_THAT(on.submit(release(hold.id, "enough")), done());
  EXPECT_EQ(seats_there_are().next_expiry, std::nullopt);
}

TEST_P(Questions, availability_is_a_tenant_s_own_and_lives_on) {
  seats(4);
  EXPECT_EQ(harness().store().availability("other", "seats")->free(), 1);
  if (!harness().persistent()) return;
  harness().reopen();
  EXPECT_EQ(seats_there_are().held, 4);
}

TEST_P(Questions, a_dry_run_is_answered_as_the_place_would_be) {
  seats(4);
  Placing what{.resource = "seats", .requester = "g", .duration = 1h, .quantity = 6};
  expect_tried_as_done({.resource = "seats", .requester = "g", .duration = 1h, .quantity = 11});
  expect_tried_as_done({.resource = "seats", .requester = "g", .duration = 1h, .quantity = 7});
  expect_tried_as_done({.resource = "seats", .requester = "g", .duration = 0h, .quantity = 1});
  expect_tried_as_done({.resource = "seats", .requester = " ", .duration = 1h, .quantity = 1});
  expect_tried_as_done({.resource = "", .requester = "g", .duration = 1h, .quantity = 1});
  expect_tried_as_done(what);
  expect_tried_as_done(what);
  harness().at(start + 1h);  // all has lapsed
  what.quantity = 10;
  expect_tried_as_done(what);
}

TEST_P(Questions, a_group_is_shown_as_it_stands) {
  Harness& on = harness();
  const Answer placed = on.submit(place_group(
      {.requester = "g", .duration = 1h, .holds = {{"b", 1}, {"seats", 2}, {"seats", 3}, {"a", 1}}},
      "group"));
  const Group group = group_in(placed).value();
  const auto shown = [&](std::string_view tenant, GroupId id) {
    return read_group(on.store(), tenant, id).value();
  };
  EXPECT_EQ(shown("default", group.id)->holds, group.holds);
  EXPECT_THAT(on.submit(release(group.holds[1].id, "one")), done());
  const auto after = shown("default", group.id);
  EXPECT_EQ(after->holds[1].state, HoldState::released);
  EXPECT_EQ(after->holds[0], group.holds[0]);
  EXPECT_EQ(after->holds.size(), 4U);
  EXPECT_FALSE(shown("other", group.id));
  EXPECT_FALSE(shown("default", {{group.id.first.ordinal, group.id.first.salt ^ 1U}}));
  EXPECT_FALSE(shown("default", {group.holds[1].id})) << "no group begins there";
  EXPECT_FALSE(shown("default", {{INT64_MAX, 1}}));
  EXPECT_FALSE(shown("default", {}));
  EXPECT_FALSE(shown("default", {seats(1).id})) << "a hold by itself";
}

TEST_P(Questions, lists_by_the_beginning_of_a_name) {
  Harness& on = harness();
  for (const char* const name : {"room_1", "room_2", "Room_3", "roof", "zimmer\xc3\xbc", "room_"})
    (void)on.must_place({.resource = name, .requester = "g", .duration = 1h});
  const auto holds = [&](const std::string& prefix, std::size_t limit = 100) {
    std::vector<std::string> names;
    HoldQuery query{.resource_prefix = prefix, .limit = limit};
    do {
      const auto page = on.store().holds("default", query).value();
      for (const HoldDetails& each : page.items) names.push_back(each.hold.resource);
      query.cursor = page.next;
    } while (!query.cursor.empty());
    return names;
  };
  const auto resources = [&](const std::string& prefix, std::size_t limit = 100) {
    std::vector<std::string> names;
    ResourceQuery query{.prefix = prefix, .limit = limit};
    do {
      const auto page = on.store().resources("default", query).value();
      for (const Resource& each : page.items) names.push_back(each.name);
      query.cursor = page.next;
    } while (!query.cursor.empty());
    return names;
  };
  for (const std::size_t limit : {1U, 2U, 100U}) {
    EXPECT_THAT(holds("room_", limit), ElementsAre("room_", "room_2", "room_1")) << limit;
    EXPECT_THAT(resources("room_", limit), ElementsAre("room_", "room_2", "room_1")) << limit;
  }
  EXPECT_THAT(resources("zimmer\xc3"), ElementsAre("zimmer\xc3\xbc"));
  EXPECT_THAT(resources("%"), IsEmpty());
  EXPECT_THAT(holds("room_1x"), IsEmpty());
  EXPECT_EQ(resources("").size(), 7U);
}

}  // namespace
}  // namespace holdfast::test

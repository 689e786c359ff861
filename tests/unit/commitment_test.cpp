#include "modules/holds/commitment.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "domain/decide.hpp"
#include "domain/duplicate_prevention.hpp"
#include "support/fixed_random.hpp"

namespace holdfast {
namespace {

using namespace std::chrono_literals;

constexpr Instant noon{std::chrono::sys_days(std::chrono::January / 1 / 2026) + 12h};

HoldRow hold_until(Instant expires_at, HoldState state = HoldState::held) {
  HoldRow row;
  row.id = {1, 1};
  row.quantity = 1;
  row.state = state;
  row.placed_at = noon;
  row.expires_at = expires_at;
  return row;
}

std::optional<Rejection> rejection(const Refused& refused) {
  return refused ? std::optional(refused->rejection) : std::nullopt;
}

TEST(Commitment, compares_now_with_the_expiry_to_the_microsecond) {
  const HoldRow hold = hold_until(noon + 1h);
  const Instant before = noon + 1h - 1us;
  EXPECT_FALSE(commitment::may_confirm(&hold, std::nullopt, before));
  EXPECT_FALSE(commitment::may_release(&hold, before));
  EXPECT_EQ(rejection(commitment::may_expire(&hold, before)), Rejection::window_not_elapsed);
  for (const Instant late : {noon + 1h, noon + 1h + 1us, never}) {
    EXPECT_EQ(rejection(commitment::may_confirm(&hold, std::nullopt, late)),
              Rejection::window_elapsed);
    EXPECT_EQ(rejection(commitment::may_release(&hold, late)), Rejection::window_elapsed);
    EXPECT_FALSE(commitment::may_expire(&hold, late));
  }
}

TEST(Commitment, terminal_states_absorb_whatever_the_time) {
  for (const HoldState state : {HoldState::confirmed, HoldState::released, HoldState::expired}) {
    const HoldRow hold = hold_until(noon + 1h, state);
    for (const Instant now : {noon, noon + 1h, noon + 2h}) {
      EXPECT_EQ(rejection(commitment::may_confirm(&hold, std::nullopt, now)), Rejection::not_held);
      EXPECT_EQ(rejection(commitment::may_release(&hold, now)), Rejection::not_held);
      EXPECT_EQ(rejection(commitment::may_expire(&hold, now)), Rejection::not_held);
    }
  }
}

TEST(Commitment, what_does_not_exist_is_not_known) {
  EXPECT_EQ(rejection(commitment::may_confirm(nullptr, std::nullopt, noon)), Rejection::not_known);
  EXPECT_EQ(rejection(commitment::may_release(nullptr, noon)), Rejection::not_known);
  EXPECT_EQ(rejection(commitment::may_expire(nullptr, noon)), Rejection::not_known);
}

TEST(Commitment, extends_until_the_expiry_and_within_a_lifetime) {
  const HoldRow hold = hold_until(noon + 1h);
  const auto to = [&](Instant until, Instant now, Duration lifetime = 24h) {
    return rejection(commitment::may_extend(&hold, until, lifetime, now));
  };
  EXPECT_EQ(to(noon + 2h, noon + 1h - 1us), std::nullopt);
  EXPECT_EQ(to(noon + 2h, noon + 1h), Rejection::window_elapsed);
  EXPECT_EQ(to(noon + 24h, noon), std::nullopt);
  EXPECT_EQ(to(noon + 24h + 1us, noon), Rejection::lifetime_exceeded);
  EXPECT_EQ(to(never - 1us, noon, Duration::max()), std::nullopt) << "and does not wrap";
  EXPECT_EQ(rejection(commitment::may_extend(nullptr, noon, 1h, noon)), Rejection::not_known);
  const HoldRow released = hold_until(noon + 1h, HoldState::released);
  EXPECT_EQ(rejection(commitment::may_extend(&released, noon + 2h, 24h, noon)),
            Rejection::not_held);
}

TEST(Commitment, confirms_no_more_than_is_held) {
  HoldRow hold = hold_until(noon + 1h);
  hold.quantity = 5;
  hold.confirmed = 2;
  EXPECT_FALSE(commitment::may_confirm(&hold, 3, noon));
  EXPECT_FALSE(commitment::may_confirm(&hold, std::nullopt, noon));
  EXPECT_EQ(rejection(commitment::may_confirm(&hold, 4, noon)), Rejection::quantity_exceeded);
  EXPECT_EQ(rejection(commitment::may_confirm(&hold, 4, noon + 1h)), Rejection::window_elapsed)
      << "in that order";
}

TEST(Commitment, cancels_what_is_confirmed_and_was_not_cancelled_whatever_the_state) {
  for (const HoldState state :
       {HoldState::held, HoldState::confirmed, HoldState::released, HoldState::expired}) {
    HoldRow hold = hold_until(noon + 1h, state);
    hold.quantity = 5;
    EXPECT_EQ(rejection(commitment::may_cancel(&hold, std::nullopt)), Rejection::not_confirmed);
    hold.confirmed = 3;
    hold.cancelled = 1;
    EXPECT_FALSE(commitment::may_cancel(&hold, std::nullopt));
    EXPECT_FALSE(commitment::may_cancel(&hold, 2));
    EXPECT_EQ(rejection(commitment::may_cancel(&hold, 3)), Rejection::quantity_exceeded);
    hold.cancelled = 3;
    EXPECT_EQ(rejection(commitment::may_cancel(&hold, 1)), Rejection::not_confirmed);
  }
  EXPECT_EQ(rejection(commitment::may_cancel(nullptr, 1)), Rejection::not_known);
}

TEST(Placing, is_judged_in_the_order_of_its_parameters) {
  const Rules rules;
  const auto reason = [&](Placing what, std::int64_t capacity = 1, Instant now = noon) {
    WorkingSet rows;
    rows.load_resource({"default", what.resource}, {.capacity = capacity, .lapsed = {}});
    const Request request = make_request({.command = Command::place(what), .token = Token("t")});
    Records records;
    test::FixedSalt salt(1);
    FreshIds ids(salt, 1);
    (void)decide(rows, request, now, ids, 1, rules, records);
    return records.back().reason;
  };
  EXPECT_EQ(reason({.resource = "r", .requester = "q", .duration = 1h}), Reason::none);
  EXPECT_EQ(reason({.resource = "", .requester = "", .duration = 0s, .quantity = 0}),
            Reason::resource_blank);
  EXPECT_EQ(reason({.resource = "r", .requester = "", .duration = 0s, .quantity = 0}),
            Reason::requester_blank);
  EXPECT_EQ(reason({.resource = "r", .requester = "q", .duration = 0s, .quantity = 0}),
            Reason::duration_bounds);
  EXPECT_EQ(reason({.resource = "r", .requester = "q", .duration = 1h, .quantity = 0}),
            Reason::quantity_bounds);
  EXPECT_EQ(reason({.resource = "r", .requester = "q", .duration = 1h, .quantity = 6}, 5),
            Reason::quantity_above_capacity);
  EXPECT_EQ(reason({.resource = "r", .requester = "q", .duration = 24h}, 1, never - 1h),
            Reason::duration_bounds)
      << "the expiry would be past the end of time";
  const Instant before_1970 = Instant{} - 1h;
  EXPECT_EQ(reason({.resource = "r", .requester = "q", .duration = 24h}, 1, before_1970),
            Reason::none);
  EXPECT_EQ(after(before_1970, 2h), Instant{} + 1h);
  EXPECT_EQ(after(before_1970, Duration::max()), never);
  EXPECT_EQ(after(never - 1h, 1h), never);
}

/// A working set with holds 1, 2, … of one resource, expiring in that order from noon on.
struct Room {
  explicit Room(std::vector<std::int64_t> quantities) {
    for (std::size_t i = 0; i < quantities.size(); ++i) {
      HoldRow row = hold_until(noon + std::chrono::minutes(i));
      row.id = {i + 1, 0};
      row.quantity = quantities[i];
      rows.load_hold(row);
      resource.occupied += row.quantity;
      resource.lapsed.push_back(i + 1);
    }
  }
  std::optional<std::vector<std::uint64_t>> make(std::int64_t capacity, std::int64_t quantity,
                                                 Instant now = noon + 1h) {
    return commitment::make_room(rows, resource, capacity, quantity, now);
  }
  WorkingSet rows;
  ResourceRow resource;
};

using Ordinals = std::vector<std::uint64_t>;

TEST(Commitment, makes_room_with_as_few_lapsed_holds_as_needed_earliest_first) {
  Room room({2, 3, 4});
  EXPECT_EQ(room.make(10, 1), Ordinals{});
  EXPECT_EQ(room.make(10, 2), Ordinals{1});
  EXPECT_EQ(room.make(10, 3), Ordinals{1});
  EXPECT_EQ(room.make(10, 4), (Ordinals{1, 2}));
  EXPECT_EQ(room.make(10, 7), (Ordinals{1, 2, 3}));
  EXPECT_EQ(room.make(10, 10), (Ordinals{1, 2, 3}));
  EXPECT_EQ(room.make(10, 11), std::nullopt);
  EXPECT_EQ(room.make(1, 0), (Ordinals{1, 2, 3})) << "a capacity lowered";
}

TEST(Commitment, makes_no_more_room_than_is_still_held) {
  Room room({2, 3, 4});
  HoldRow first = hold_until(noon);
  first.id = {1, 0};
  first.quantity = 2;
  first.confirmed = 1;
  WorkingSet rows;
  rows.load_hold(first);
  for (const std::uint64_t each : {2U, 3U}) rows.load_hold(*room.rows.hold(each));
  room.rows = std::move(rows);
  EXPECT_EQ(room.make(10, 2), Ordinals{1});
  EXPECT_EQ(room.make(10, 3), (Ordinals{1, 2}));
  EXPECT_EQ(room.make(10, 9), (Ordinals{1, 2, 3}));
  EXPECT_EQ(room.make(10, 10), std::nullopt);
}

TEST(Commitment, makes_no_room_with_what_has_not_lapsed) {
  Room room({2, 3, 4});
  EXPECT_EQ(room.make(9, 2, noon), Ordinals{1});
  EXPECT_EQ(room.make(9, 3, noon), std::nullopt);
}

TEST(Commitment, sums_of_the_largest_quantities_do_not_wrap) {
  Room room({quantity_max - 1});
  EXPECT_EQ(room.make(quantity_max, quantity_max, noon - 1us), std::nullopt);
  EXPECT_EQ(room.make(quantity_max, quantity_max, noon), Ordinals{1});
}

TEST(DuplicatePrevention, a_token_is_seen_for_less_than_its_window) {
  using duplicate_prevention::seen;
  EXPECT_TRUE(seen(noon, 10min, noon));
  EXPECT_TRUE(seen(noon, 10min, noon + 10min - 1us));
  EXPECT_FALSE(seen(noon, 10min, noon + 10min));
  EXPECT_FALSE(seen(noon, 10min, noon + 10min + 1us));
  EXPECT_TRUE(seen(noon, std::nullopt, never));
  EXPECT_TRUE(seen(noon, Duration::max(), never - 1us));
}

TEST(DuplicatePrevention, says_when_a_token_is_forgotten_without_wrapping) {
  Rules rules;
  EXPECT_EQ(rules.forgotten_at(Operation::hold_place, noon), noon + 24h);
  EXPECT_EQ(rules.forgotten_at(Operation::resource_declare, noon), never);
  rules.policies[Operation::hold_confirm].window = 1s;
  EXPECT_EQ(rules.forgotten_at(Operation::hold_confirm, noon), noon + 1s);
  rules.window = Duration::max();
  EXPECT_EQ(rules.forgotten_at(Operation::hold_place, noon), never);
}

}  // namespace
}  // namespace holdfast

// What can be wrong with extensions, confirms of parts, cancels and groups.

#include "support/journals/plants.hpp"

namespace holdfast::test {
namespace {

const Placing twin_room{.resource = "room_308", .requester = "guest_g92", .duration = 1h};
const Placing pair{.resource = "room_307", .requester = "guest_g91", .duration = 1h, .quantity = 2};

/// There is room for two.
HoldId place_pair(History& h) {
  h.declare("d", "room_307", 2);
  return h.place("p", pair);
}

void plant_extensions(Plants& plants) {
  plants.add("extended_to_an_earlier_instant", {"PC-5", "IR-5"},
             [](History& h) { h.extend("e", h.place("p", room), 1h - 1us); });
  plants.add("extended_at_its_expiry", {"PC-7", "IR-5"}, [](History& h) {
    const HoldId id = h.place("p", room);
    h.wait(1h);
    h.extend("e", id, 1h);
  });
  plants.add("extended_after_its_new_expiry", {"PC-7", "IR-5"}, [](History& h) {
    const HoldId id = h.place("p", room);
    h.extend("e", id, 2h);
    h.wait(2h);
    h.extend("f", id, 1h);
  });
  plants.add("swept_before_its_new_expiry", {"PC-7", "IR-5"}, [](History& h) {
    const HoldId id = h.place("p", room);
    h.extend("e", id, 2h);
    h.wait(2h - 1us);
    h.sweep(id);
  });
  plants.add("extended_after_it_was_released", {"PC-3", "IR-5"}, [](History& h) {
    const HoldId id = h.place("p", room);
    h.release("r", id);
    h.extend("e", id, 2h);
  });
  plants.add("extended_out_of_nowhere", {"PC-2", "IR-5"}, [](History& h) {
    h.extend("e", {7, 7}, 1h);
  });
  plants.add("extended_under_another_salt", {"PC-4", "IR-5"}, [](History& h) {
    const HoldId id = h.place("p", room);
    h.extend("e", {id.ordinal, id.salt + 1}, 2h);
  });
  plants.add("extended_after_it_was_replaced", {"CAP-1", "PC-7", "IR-5"}, [](History& h) {
    const HoldId id = h.place("p", room);
    h.wait(1h);
    h.place("p2", room);
    h.extend("e", id, 1h);
  });
  plants.add("placed_over_an_extended_hold", {"CAP-1"}, [](History& h) {
    h.extend("e", h.place("p", room), 2h);
    h.wait(2h - 1us);
    h.place("p2", room);
  });
}

void plant_parts(Plants& plants) {
  plants.add("partly_confirmed_at_its_expiry", {"PC-7", "IR-5"}, [](History& h) {
    const HoldId id = place_pair(h);
    h.wait(1h);
    h.confirm_part("c", id, 1);
  });
  plants.add("partly_confirmed_after_it_was_released", {"PC-3", "CAP-2", "IR-5"}, [](History& h) {
    const HoldId id = place_pair(h);
    h.release("r", id);
    h.confirm_part("c", id, 1);
  });
  plants.add("partly_confirmed_out_of_nowhere", {"PC-2", "IR-5"}, [](History& h) {
    h.confirm_part("c", {7, 7}, 1);
  });
  plants.add("more_confirmed_than_held", {"CAP-2"}, [](History& h) {
    const HoldId id = place_pair(h);
    h.confirm_part("c", id, 1);
    h.confirm_part("c2", id, 2);
  });
  plants.add("confirmed_as_a_part_what_was_all_of_it", {"CAP-2"},
             [](History& h) { h.confirm_part("c", place_pair(h), 2); });
  plants.add("finally_confirmed_more_than_held", {"CAP-2"},
             [](History& h) { h.confirm_finally("c", place_pair(h), 3); });
  plants.add("confirmed_less_than_nothing", {"CAP-2"},
             [](History& h) { h.confirm_part("c", place_pair(h), -1); });
  plants.add("placed_over_a_part", {"CAP-1"}, [](History& h) {
    h.confirm_part("c", place_pair(h), 1);
    h.wait(1h);
    h.place("p2", pair);
  });
  plants.add("placed_over_what_was_confirmed_finally", {"CAP-1"}, [](History& h) {
    h.confirm_finally("c", place_pair(h), 1);
    h.place("p2", pair);
  });
}

void plant_cancels(Plants& plants) {
  plants.add("more_cancelled_than_confirmed", {"CAP-2"}, [](History& h) {
    const HoldId id = place_pair(h);
    h.confirm_part("c", id, 1);
    h.cancel("x", id, 2);
  });
  plants.add("cancelled_twice", {"CAP-2"}, [](History& h) {
    const HoldId id = place_pair(h);
    h.confirm("c", id);
    h.cancel("x", id, 2);
    h.cancel("y", id, 1);
  });
  plants.add("cancelled_what_was_never_confirmed", {"CAP-2"},
             [](History& h) { h.cancel("x", place_pair(h), 1); });
  plants.add("cancelled_nothing", {"CAP-2"}, [](History& h) {
    const HoldId id = place_pair(h);
    h.confirm("c", id);
    h.cancel("x", id, 0);
  });
  plants.add("cancelled_out_of_nowhere", {"PC-2", "IR-5"}, [](History& h) {
    h.cancel("x", {7, 7}, 1);
  });
  plants.add("placed_over_what_was_not_cancelled", {"CAP-1"}, [](History& h) {
    const HoldId id = place_pair(h);
    h.confirm("c", id);
    h.cancel("x", id, 1);
    h.place("p2", pair);
  });
}

void plant_groups(Plants& plants) {
  const Grouping both{
      .requester = "guest_g91", .duration = 1h, .holds = {{room.resource}, {twin_room.resource}}};
  plants.add("a_group_under_another_token_than_its_holds", {"IR-3"}, [&](History& h) {
    (void)h.place_group("g", both);
    h.last().token = "h";
  });
  plants.add("a_hold_of_a_group_under_another_token", {"IR-3"}, [&](History& h) {
    (void)h.place_group("g", both);
    h.records[1].token = "h";
  });
  plants.add("holds_of_a_group_that_never_was", {"IR-3"}, [&](History& h) {
    (void)h.place_group("g", both);
    h.records.pop_back();
  });
  plants.add("a_part_of_what_is_no_group", {"IR-3"}, [](History& h) {
    h.place("p", room);
    h.last().ref = 2;
    h.place("p", twin_room);
  });
  plants.add("group_confirmed_after_its_expiry", {"PC-7", "IR-5"}, [&](History& h) {
    const GroupId group = h.place_group("g", both);
    h.wait(1h);
    h.confirm_group("c", group, {group.first});
  });
  plants.add("group_placed_twice", {"IR-8", "DP-1", "DP-3", "IR-1", "IR-3", "IR-6"},
             [&](History& h) {
               h.declare("d", room.resource, 2);
               h.declare("d2", twin_room.resource, 2);
               (void)h.place_group("g", both);
               (void)h.place_group("g", both);
             });
}

void plant_untrue_refusals_of_changes(Plants& plants) {
  const auto untrue = [&](std::string name, auto write) {
    plants.add(std::move(name), {"IR-5"}, write);
  };
  const auto confirming = [](HoldId id, std::int64_t quantity) {
    return Command(Confirming{.hold = id, .quantity = quantity});
  };
  const auto cancelling = [](HoldId id, std::optional<std::int64_t> quantity = {}) {
    return Command(Cancelling{.hold = id, .quantity = quantity});
  };
  const auto extending = [](HoldId id) { return Command(Extending{.hold = id, .duration = 24h}); };
  untrue("not_confirmed_though_confirmed", [=](History& h) {
    const HoldId id = h.place("p", room);
    h.confirm("c", id);
    h.refuse("x", cancelling(id), Rejection::not_confirmed);
  });
  untrue("not_confirmed_though_a_part_was", [=](History& h) {
    const HoldId id = place_pair(h);
    h.confirm_part("c", id, 1);
    h.refuse("x", cancelling(id), Rejection::not_confirmed);
  });
  untrue("not_confirmed_of_an_unknown_hold", [=](History& h) {
    h.refuse("x", cancelling({7, 7}), Rejection::not_confirmed);
  });
  untrue("exceeded_though_as_much_was_held", [=](History& h) {
    h.refuse("c", confirming(place_pair(h), 2), Rejection::quantity_exceeded);
  });
  untrue("exceeded_though_as_much_was_confirmed", [=](History& h) {
    const HoldId id = place_pair(h);
    h.confirm_part("c", id, 1);
    h.refuse("x", cancelling(id, 1), Rejection::quantity_exceeded);
  });
  untrue("exceeded_of_an_unknown_hold", [=](History& h) {
    h.refuse("c", confirming({7, 7}, 2), Rejection::quantity_exceeded);
  });
  untrue("too_long_a_life_though_lapsed", [=](History& h) {
    const HoldId id = h.place("p", room);
    h.wait(1h);
    h.refuse("e", extending(id), Rejection::lifetime_exceeded);
  });
  untrue("too_long_a_life_though_resolved", [=](History& h) {
    const HoldId id = h.place("p", room);
    h.release("r", id);
    h.refuse("e", extending(id), Rejection::lifetime_exceeded);
  });
  untrue("elapsed_before_the_new_expiry", [=](History& h) {
    const HoldId id = h.place("p", room);
    h.extend("e", id, 2h);
    h.wait(2h - 1us);
    h.refuse("c", Command::confirm(id), Rejection::window_elapsed);
  });
  untrue("not_elapsed_at_the_new_expiry", [=](History& h) {
    const HoldId id = h.place("p", room);
    h.extend("e", id, 2h);
    h.wait(2h);
    h.refuse("x", Command::expire(id), Rejection::window_not_elapsed);
  });
  untrue("unavailable_though_cancelled", [=](History& h) {
    const HoldId id = h.place("p", room);
    h.confirm("c", id);
    h.cancel("x", id, 1);
    h.refuse("p2", Command::place(room), Rejection::resource_unavailable);
  });
  untrue("unavailable_though_the_rest_was_released", [=](History& h) {
    h.confirm_finally("c", place_pair(h), 1);
    h.refuse("p2", Command::place(room), Rejection::resource_unavailable);
  });
}

}  // namespace

void plant_changes(Plants& plants) {
  plant_extensions(plants);
  plant_parts(plants);
  plant_cancels(plants);
  plant_groups(plants);
  plant_untrue_refusals_of_changes(plants);
}

}  // namespace holdfast::test

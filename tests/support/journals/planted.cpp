#include "support/journals/planted.hpp"

#include "support/journals/plants.hpp"

namespace holdfast::test {
namespace {

const Placing other_room{.resource = "room_308", .requester = "guest_g92", .duration = 1h};
constexpr Duration window = 10min;  // as short_rules() has it

/// A refusal that came before anything was looked at says nothing of what was asked.
Record without_names(Record record) {
  record.resource.clear();
  record.requester.clear();
  record.quantity = 0;
  return record;
}

void plant_states(Plants& plants) {
  plants.add("released_and_confirmed", {"PC-1", "PC-3", "IR-5"}, [](History& h) {
    const HoldId id = h.place("p", room);
    h.release("r", id);
    h.confirm("c", id);
  });
  plants.add("confirmed_out_of_nowhere", {"PC-2", "IR-5"}, [](History& h) {
    h.confirm("c", {7, 7});
  });
  plants.add("resolved_before_the_record_that_places_it", {"PC-2", "CAP-2", "IR-5"},
             [](History& h) {
               h.release("r", {1, 0xabc001});
               h.place("p", room);
             });
  plants.add("confirmed_twice", {"PC-3", "IR-5"}, [](History& h) {
    const HoldId id = h.place("p", room);
    h.confirm("c", id);
    h.confirm("c2", id);
  });
}

void plant_identities(Plants& plants) {
  plants.add("confirmed_under_another_salt", {"PC-4", "IR-5"}, [](History& h) {
    const HoldId id = h.place("p", room);
    h.confirm("c", {id.ordinal, id.salt + 1});
  });
  plants.add("placed_with_too_large_a_salt", {"PC-4", "IR-5"}, [](History& h) {
    h.place("p", room);
    h.last().hold.salt = std::uint64_t{1} << 60U;
  });
  const auto changed = [&](std::string name, void (*change)(Record&)) {
    plants.add(std::move(name), {"PC-5", "IR-5"}, [change](History& h) {
      const HoldId id = h.place("p", room);
      h.confirm("c", id);
      change(h.last());
    });
  };
  changed("changed_tenant", [](Record& record) { record.tenant = "other"; });
  changed("changed_resource", [](Record& record) { record.resource = "room_308"; });
  changed("changed_requester", [](Record& record) { record.requester = "guest_g92"; });
  changed("changed_expiry", [](Record& record) { record.expires_at = start + 2h; });
  plants.add("id_used_again", {"PC-9", "PC-5", "IR-5"}, [](History& h) {
    const HoldId id = h.place("p", room);
    h.place("p2", other_room);
    h.last().hold = id;
  });
}

void plant_instants(Plants& plants) {
  plants.add("expires_when_placed", {"PC-6", "IR-5"}, [](History& h) {
    h.place("p", {.resource = "room_307", .requester = "guest_g91", .duration = 0us});
  });
  plants.add("confirmed_at_its_expiry", {"PC-7", "IR-5"}, [](History& h) {
    const HoldId id = h.place("p", room);
    h.wait(1h);
    h.confirm("c", id);
  });
  plants.add("released_at_its_expiry", {"PC-7", "IR-5"}, [](History& h) {
    const HoldId id = h.place("p", room);
    h.wait(1h);
    h.release("r", id);
  });
  plants.add("expired_a_microsecond_early", {"PC-7", "IR-5"}, [](History& h) {
    const HoldId id = h.place("p", room);
    h.wait(1h - 1us);
    h.expire("x", id);
  });
  plants.add("swept_a_microsecond_early", {"PC-7", "IR-5"}, [](History& h) {
    const HoldId id = h.place("p", room);
    h.wait(1h - 1us);
    h.sweep(id);
  });
  plants.add("confirmed_before_it_was_placed", {"PC-8", "IR-5"}, [](History& h) {
    const HoldId id = h.place("p", room);
    h.wait(-1us);
    h.confirm("c", id);
  });
  plants.add("time_runs_backward", {"PC-8", "IR-5"}, [](History& h) {
    h.declare("d", "ward", 3);
    h.wait(-1us);
    h.declare("d2", "ward", 4);
  });
  plants.add("replayed_last_before_first", {"PC-8", "IR-5"}, [](History& h) {
    h.place("p", room);
    h.replay(1);
    h.last().first_at = h.now + 1us;
  });
}

void plant_gaps(Plants& plants) {
  plants.add("first_record_vanished", {"PC-10", "IR-5"}, [](History& h) {
    h.declare("d", "ward", 3);
    h.place("p", room);
    h.records.erase(h.records.begin());
  });
  plants.add("record_in_the_middle_vanished", {"PC-10", "IR-5"}, [](History& h) {
    const HoldId id = h.place("p", room);
    h.replay(1);
    h.confirm("c", id);
    h.records.erase(h.records.begin() + 1);
  });
  plants.add("unknown_kind_of_record", {"PC-10", "IR-5"}, [](History& h) {
    h.place("p", room);
    h.last().kind = static_cast<RecordKind>(999);
  });
}

void plant_sightings(Plants& plants) {
  plants.add("replayed_without_a_recording", {"DP-1", "IR-1", "IR-6"}, [](History& h) {
    h.place("p", room);
    h.replay(1);
    h.last().token = "never recorded";
  });
  plants.add("replayed_for_another_tenant", {"DP-1", "IR-1", "IR-6"}, [](History& h) {
    h.place("p", room);
    h.replay(1);
    h.last().tenant = "other";
  });
  plants.add("collided_with_nothing", {"DP-1", "IR-6"}, [](History& h) {
    h.place("p", room);
    h.collide(1);
    h.last().ref = 0;
  });
  plants.add("replayed_zero_times", {"DP-1", "IR-6"}, [](History& h) {
    h.place("p", room);
    h.replay(1);
    h.last().count = 0;
  });
  plants.add("collided_at_the_end_of_the_window", {"DP-2", "IR-6", "IR-7"}, [](History& h) {
    h.place("p", room);
    h.wait(window);
    h.collide(1);
  });
  plants.add("same_refusal_recorded_twice", {"DP-3", "DP-1", "IR-6"}, [](History& h) {
    h.refuse("c", Command::confirm({7, 7}), Rejection::not_known);
    h.wait(window - 1us);
    h.refuse("c", Command::confirm({7, 7}), Rejection::not_known);
  });
  plants.add("replay_that_placed_something", {"DP-4", "IR-6"}, [](History& h) {
    const HoldId id = h.place("p", room);
    h.replay(1);
    h.last().hold = id;
    h.last().quantity = 1;
  });
  plants.add("replay_with_an_answer_of_its_own", {"DP-4", "IR-6"}, [](History& h) {
    h.place("p", room);
    h.replay(1);
    h.last().rejection = Rejection::resource_unavailable;
  });
  plants.add("collision_with_another_answer", {"DP-4", "IR-6"}, [](History& h) {
    h.place("p", room);
    h.collide(1);
    h.last().rejection = Rejection::not_held;
  });
}

void plant_answers(Plants& plants) {
  plants.add("place_replayed_from_a_replay", {"IR-1", "DP-1", "IR-6"}, [](History& h) {
    h.place("p", room);
    h.replay(1);
    h.replay(2);
  });
  plants.add("place_replayed_from_the_future", {"IR-1", "DP-1", "IR-6"}, [](History& h) {
    h.place("p", room);
    h.replay(1);
    h.last().ref = 9;
  });
  plants.add("failure_not_cached", {"IR-1", "DP-1", "DP-3", "IR-6"}, [](History& h) {
    const HoldId id = h.place("p", room);
    h.refuse("q", Command::place(room), Rejection::resource_unavailable);
    h.release("r", id);
    h.place("q", room);
  });
  plants.add("confirm_answered_twice", {"IR-2", "DP-1", "DP-3", "IR-6"}, [](History& h) {
    const HoldId id = h.place("p", room);
    h.confirm("c", id);
    h.refuse("c", Command::confirm(id), Rejection::not_held);
  });
  plants.add("confirm_replayed_from_another_token", {"IR-2", "DP-1", "IR-6"}, [](History& h) {
    const HoldId id = h.place("p", room);
    h.confirm("c", id);
    h.replay(2);
    h.last().ref = 1;
  });
}

void plant_bindings(Plants& plants) {
  plants.add("token_with_two_holds", {"IR-3", "DP-1", "DP-3", "IR-4", "IR-6", "IR-8"},
             [](History& h) {
               h.place("p", room);
               h.place("p", other_room);
             });
  plants.add("token_for_place_and_confirm", {"IR-4", "DP-1", "DP-3", "IR-6", "IR-8"},
             [](History& h) { h.confirm("p", h.place("p", room)); });
  plants.add("replayed_for_another_principal", {"IR-4"}, [](History& h) {
    h.place("p", room);
    h.replay(1);
    h.last().principal = "somebody else";
  });
  plants.add("replayed_for_other_parameters", {"IR-4"}, [](History& h) {
    h.place("p", room);
    h.replay(1);
    h.last().digest.bytes[31] ^= 1U;
  });
  plants.add("collided_with_itself", {"IR-4"}, [](History& h) {
    h.place("p", room);
    h.collide(1);
    h.last().digest = h.records.front().digest;
  });
  plants.add("placed_by_a_confirm", {"IR-4"}, [](History& h) {
    h.place("p", room);
    h.last().operation = Operation::hold_confirm;
  });
  plants.add("placed_by_no_operation", {"IR-4"}, [](History& h) {
    h.place("p", room);
    h.last().operation = Operation::none;
  });
  plants.add("bound_to_no_parameters", {"IR-4"}, [](History& h) {
    h.place("p", room);
    h.last().digest = {};
  });
}

void plant_refusals(Plants& plants) {
  const auto untrue = [&](std::string name, auto write) {
    plants.add(std::move(name), {"IR-5"}, write);
  };
  untrue("unavailable_though_free",
         [](History& h) { h.refuse("p", Command::place(room), Rejection::resource_unavailable); });
  untrue("unavailable_though_lapsed", [](History& h) {
    h.place("p", room);
    h.wait(1h);
    h.refuse("p2", Command::place(room), Rejection::resource_unavailable);
  });
  untrue("capacity_not_in_use", [](History& h) {
    h.declare("d", "ward", 3);
    h.refuse("d2", Command::declare("ward", 1), Rejection::capacity_in_use);
  });
  untrue("known_but_not_known", [](History& h) {
    h.refuse("c", Command::confirm(h.place("p", room)), Rejection::not_known);
  });
  untrue("not_held_though_held", [](History& h) {
    h.refuse("c", Command::confirm(h.place("p", room)), Rejection::not_held);
  });
  untrue("not_held_of_an_unknown_hold", [](History& h) {
    h.refuse("c", Command::confirm({7, 7}), Rejection::not_held);
  });
  untrue("elapsed_a_microsecond_early", [](History& h) {
    const HoldId id = h.place("p", room);
    h.wait(1h - 1us);
    h.refuse("c", Command::confirm(id), Rejection::window_elapsed);
  });
  untrue("not_elapsed_at_the_expiry", [](History& h) {
    const HoldId id = h.place("p", room);
    h.wait(1h);
    h.refuse("x", Command::expire(id), Rejection::window_not_elapsed);
  });
  untrue("elapsed_though_resolved", [](History& h) {
    const HoldId id = h.place("p", room);
    h.wait(1h);
    h.sweep(id);
    h.refuse("c", Command::confirm(id), Rejection::window_elapsed);
  });
  untrue("refused_for_what_concerns_another_operation", [](History& h) {
    h.refuse("c", Command::confirm(h.place("p", room)), Rejection::capacity_in_use);
  });
  untrue("recorded_what_is_never_recorded",
         [](History& h) { h.refuse("p", Command::place(room), Rejection::overloaded); });
  untrue("placed_nothing", [](History& h) {
    h.place("p", room);
    h.last().quantity = 0;
  });
  untrue("placed_for_nobody", [](History& h) {
    h.place("p", room);
    h.last().requester = " \t";
  });
  untrue("declared_too_much", [](History& h) { h.declare("d", "ward", quantity_max + 1); });
}

void plant_effects(Plants& plants) {
  plants.add("token_recorded_again", {"IR-6", "DP-1", "DP-3", "IR-8"}, [](History& h) {
    h.declare("d", "ward", 3);
    h.wait(std::chrono::hours(24 * 365));  // tokens of declare are kept for ever
    h.declare("d", "ward", 3);
  });
  plants.add("replayed_at_the_end_of_the_window", {"IR-7", "DP-2", "IR-6"}, [](History& h) {
    h.place("p", room);
    h.wait(window);
    h.replay(1);
  });
  plants.add("token_without_an_outcome", {"IR-7"}, [](History& h) {
    h.refuse("p", Command::place(room), Rejection::invalid_request);
    h.last().rejection.reset();
  });
  plants.add("outcome_without_a_token", {"IR-7"},
             [](History& h) { h.refuse("", Command::place(room), Rejection::invalid_request); });
  plants.add("placed_without_a_token", {"IR-8"}, [](History& h) { h.place("", room); });
  plants.add("expired_by_a_caller_without_a_token", {"IR-8"}, [](History& h) {
    const HoldId id = h.place("p", room);
    h.wait(1h);
    h.expire("", id);
  });
  plants.add("one_place_took_effect_twice", {"IR-8", "DP-1", "DP-3", "IR-1", "IR-3", "IR-6"},
             [](History& h) {
               h.declare("d", "room_307", 2);
               h.place("p", room);
               h.place("p", room);
             });
}

void plant_capacities(Plants& plants) {
  plants.add("two_holds_of_one_room", {"CAP-1"}, [](History& h) {
    h.place("p", room);
    h.wait(1h - 1us);
    h.place("p2", room);
  });
  plants.add("placed_over_a_confirmed_hold", {"CAP-1"}, [](History& h) {
    h.confirm("c", h.place("p", room));
    h.wait(1000h);
    h.place("p2", room);
  });
  plants.add("capacity_below_what_is_in_use", {"CAP-1"}, [](History& h) {
    h.declare("d", "room_307", 2);
    h.place("p", room);
    h.place("p2", room);
    h.declare("d2", "room_307", 1);
  });
  plants.add("confirmed_after_it_was_replaced", {"CAP-1", "PC-7", "IR-5"}, [](History& h) {
    const HoldId id = h.place("p", room);
    h.wait(1h);
    h.place("p2", room);
    h.confirm("c", id);
  });
  plants.add("released_twice", {"CAP-2", "PC-3", "IR-5"}, [](History& h) {
    const HoldId id = h.place("p", room);
    h.release("r", id);
    h.release("r2", id);
  });
  plants.add("expired_after_it_was_released", {"CAP-2", "PC-1", "PC-3", "IR-5"}, [](History& h) {
    const HoldId id = h.place("p", room);
    h.release("r", id);
    h.wait(1h);
    h.sweep(id);
  });
  plants.add("expired_after_it_was_confirmed", {"CAP-2", "PC-1", "PC-3", "IR-5"}, [](History& h) {
    const HoldId id = h.place("p", room);
    h.confirm("c", id);
    h.wait(1h);
    h.sweep(id);
  });
}

void plant_nonces(Plants& plants) {
  plants.add("nonce_spent_twice", {"NG-1"}, [](History& h) {
    h.place("p", room);
    h.last().nonce = "n";
    h.wait(window - 1us);
    h.place("p2", other_room);
    h.last().nonce = "n";
  });
  plants.add("refused_for_a_nonce_nobody_spent", {"NG-1"}, [](History& h) {
    h.place("p", room);
    h.refuse("p2", Command::place(other_room), Rejection::nonce_replay);
    h.last() = without_names(h.last());
    h.last().ref = 1;
  });
  plants.add("refused_for_a_nonce_that_was_forgotten", {"NG-1"}, [](History& h) {
    h.place("p", room);
    h.last().nonce = "n";
    h.wait(window);
    h.refuse("p2", Command::place(other_room), Rejection::nonce_replay);
    h.last() = without_names(h.last());
    h.last().ref = 1;
  });
}

}  // namespace

std::vector<Planted> planted_violations() {
  Plants plants;
  plant_states(plants);
  plant_identities(plants);
  plant_instants(plants);
  plant_gaps(plants);
  plant_sightings(plants);
  plant_answers(plants);
  plant_bindings(plants);
  plant_refusals(plants);
  plant_effects(plants);
  plant_changes(plants);
  plant_capacities(plants);
  plant_nonces(plants);
  plant_windows(plants);
  plant_commands(plants);
  plant_subscriptions(plants);
  return plants.take();
}

}  // namespace holdfast::test

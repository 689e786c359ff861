// What can be wrong with a store whose window is changed. It ends with the window of `short_rules`,
// unless that is what is wrong.

#include "support/journals/plants.hpp"

namespace holdfast::test {
namespace {

const Placing third_room{.resource = "room_309", .requester = "guest_g93", .duration = 1h};
constexpr Duration usual = 10min;  // as short_rules() has it

void plant_sightings_of_another_window(Plants& plants) {
  plants.add("used_afresh_within_the_longer_window",
             {"DP-3", "DP-1", "IR-3", "IR-4", "IR-6", "IR-8"}, [](History& h) {
               h.place("p", room);
               h.wait(usual - 1us);
               h.change_window(usual, 1h);
               h.wait(50min);
               h.place("p", third_room);
               h.change_window(1h, usual);
             });
  plants.add("used_afresh_within_the_shorter_window", {"DP-3", "DP-1", "IR-6"}, [](History& h) {
    h.change_window(usual, 2min);
    h.refuse("c", Command::confirm({7, 7}), Rejection::not_known);
    h.wait(2min - 1us);
    h.refuse("c", Command::confirm({7, 7}), Rejection::not_known);
    h.change_window(2min, usual);
  });
  plants.add("replayed_when_a_shorter_window_was_over", {"DP-2", "IR-6", "IR-7"}, [](History& h) {
    h.place("p", room);
    h.wait(2min);
    h.change_window(usual, 2min);
    h.replay(1);
    h.change_window(2min, usual);
  });
  plants.add("replayed_at_the_end_of_the_longer_window", {"DP-2", "IR-6", "IR-7"}, [](History& h) {
    h.place("p", room);
    h.change_window(usual, 1h);
    h.wait(1h);
    h.replay(1);
    h.change_window(1h, usual);
  });
}

void plant_returns(Plants& plants) {
  plants.add("remembered_again_by_a_longer_window", {"DP-2", "IR-6", "IR-7"}, [](History& h) {
    h.place("p", room);
    h.wait(usual);
    h.change_window(usual, 1h);
    h.replay(1);
    h.change_window(1h, usual);
  });
  plants.add("remembered_again_after_a_shorter_one", {"DP-2", "IR-6", "IR-7"}, [](History& h) {
    h.place("p", room);
    h.wait(2min);
    h.change_window(usual, 2min);
    h.change_window(2min, usual);
    h.replay(1);
  });
  plants.add("a_nonce_refused_that_was_forgotten", {"NG-1"}, [](History& h) {
    h.place("p", room);
    h.last().nonce = "n";
    h.wait(usual);
    h.change_window(usual, 1h);
    h.refuse("q", Command::place(room), Rejection::nonce_replay);
    h.last().ref = 1;
    h.change_window(1h, usual);
  });
}

void plant_missing_changes(Plants& plants) {
  plants.add("a_change_of_the_window_is_missing", {"PC-10", "IR-5"}, [](History& h) {
    h.change_window(usual, 1h);
    h.change_window(2h, usual);
  });
  plants.add("the_last_change_of_the_window_is_missing", {"PC-10", "IR-5"},
             [](History& h) { h.change_window(usual, 1h); });
  plants.add("a_change_to_no_window", {"PC-10", "IR-5"}, [](History& h) {
    h.change_window(usual, 1h);
    h.last().detail = R"({"before_us":600000000})";
  });
}

}  // namespace

void plant_windows(Plants& plants) {
  plant_sightings_of_another_window(plants);
  plant_returns(plants);
  plant_missing_changes(plants);
}

}  // namespace holdfast::test

// The audit in SQL: the views of a store's file agree with `domain/invariants`, on histories that
// are good, on histories written wrong, and on a good file damaged afterwards.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <fstream>
#include <set>

#include "base/time_text.hpp"
#include "domain/invariants.hpp"
#include "holdfast/holdfast.hpp"
#include "store/journal_row.hpp"
#include "store/open.hpp"
#include "support/journals/journal_file.hpp"
#include "support/journals/planted.hpp"
#include "support/paths.hpp"
#include "support/temp_dir.hpp"

namespace holdfast::test {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAreArray;

using Row = JournalFile::Row;

TEST(AuditViews, are_all_empty_over_a_good_history) {
  JournalFile file;
  file.write(good_history().records);
  EXPECT_THAT(file.broken_by_views(), IsEmpty());
  EXPECT_THAT(file.broken_by_audit(), IsEmpty());
}

TEST(AuditViews, are_all_empty_over_holds_that_change) {
  JournalFile file;
  file.write(changing_history().records);
  EXPECT_THAT(file.broken_by_views(), IsEmpty());
  EXPECT_THAT(file.broken_by_audit(), IsEmpty());
}

TEST(AuditViews, are_all_empty_over_commands) {
  JournalFile file;
  file.write(history_of_commands().records);
  EXPECT_THAT(file.broken_by_views(), IsEmpty());
  EXPECT_THAT(file.broken_by_audit(), IsEmpty());
}

TEST(AuditViews, are_all_empty_over_subscriptions) {
  JournalFile file;
  file.write(history_of_subscriptions().records);
  EXPECT_THAT(file.broken_by_views(), IsEmpty());
  EXPECT_THAT(file.broken_by_audit(), IsEmpty());
}

TEST(AuditViews, are_all_empty_over_windows_that_change) {
  JournalFile file;
  file.write(history_of_windows().records);
  EXPECT_THAT(file.broken_by_views(), IsEmpty());
  EXPECT_THAT(file.broken_by_audit(), IsEmpty());
}

TEST(AuditViews, are_all_empty_over_no_history) {
  JournalFile file;
  EXPECT_THAT(file.broken_by_views(), IsEmpty());
}

/// One of a few of everything, so that calls get in each other's way.
Call random_call(Random& random, const std::vector<HoldId>& holds,
                 const std::vector<GroupId>& groups) {
  std::array<std::uint8_t, 5> dice{};
  random.fill(dice);
  const std::string token = "t" + std::to_string(dice[0] + 256 * (dice[4] % 4));
  const std::string resource = "r" + std::to_string(dice[1] % 4);
  const Caller caller{.tenant = dice[2] % 8 == 0 ? "other" : "default", .principal = "local"};
  const auto recent = [&](std::size_t size) { return size - 1 - dice[1] % std::min(size, 40UL); };
  const HoldId id = holds.empty() ? HoldId{9, 9} : holds[recent(holds.size())];
  const GroupId group = groups.empty() ? GroupId{id} : groups[recent(groups.size())];
  const Duration duration = std::chrono::seconds(dice[4] % 20);
  switch (dice[3] % 20) {
    case 8:
    case 9:
      return extend(id, duration, token, caller);
    case 10:
      return confirm_part(id, 1, token, caller);
    case 11:
      return confirm_finally(id, 1, token, caller);
    case 12:
      return cancel(id, token, caller);
    case 13:
      return cancel_part(id, 1, token, caller);
    case 14:
    case 15:
      return place_group({.requester = "g",
                          .duration = duration,
                          .holds = {{resource, 1}, {"r" + std::to_string(dice[2] % 4), 1}}},
                         token, caller);
    case 16:
      return confirm_group(group, token, caller);
    case 17:
      return release_group(group, token, caller);
    case 18:
      return extend_group(group, duration, token, caller);
    case 0:
      return confirm(id, token, caller);
    case 1:
      return release(id, token, caller);
    case 2:
      return expire(id, token, caller);
    case 3:
      return declare(resource, 1 + dice[4] % 5, token, caller);
    default:
      break;
  }
  const Placing what{.resource = resource,
                     .requester = "g",
                     .duration = std::chrono::seconds(dice[4] % 20),
                     .quantity = 1 + dice[4] % 2};
  return place(what, token, caller);
}

TEST(AuditViews, are_all_empty_over_what_the_engine_writes) {
  const TempDir folder;
  const std::string path = folder.file("store.db");
  Rules rules;
  rules.window = 30s;
  {
    auto clock = std::make_shared<SettableClock>(start);
    const auto random = seeded_random(7);
    auto store = open({.store = path, .window = 30s, .sweep_every = {}, .clock = clock}).value();
    std::vector<HoldId> holds;
    std::vector<GroupId> groups;
    for (int i = 0; i < 200; ++i) {
      std::vector<Call> calls;
      for (int j = 0; j < 10; ++j) calls.push_back(random_call(*random, holds, groups));
      for (const Answer& answer : store.submit(std::move(calls))) {
        if (answer.ok() && answer.hold) holds.push_back(answer.hold->id);
        if (const auto group = group_in(answer)) groups.push_back(group->id);
      }
      if (i % 10 == 9) store.sweep();
      clock->advance(std::chrono::milliseconds(700));
    }
  }
  JournalFile file(path);
  EXPECT_THAT(file.rows("SELECT name FROM kind_names WHERE kind < 1000 AND kind NOT IN "
                        "(SELECT kind FROM journal)"),
              ElementsAre(Row{"window-changed"}));
  EXPECT_THAT(file.broken_by_views(), IsEmpty());
  EXPECT_THAT(file.broken_by_audit(rules), IsEmpty());
}

TEST(AuditViews, are_all_empty_over_what_the_engine_writes_while_its_window_changes) {
  const TempDir folder;
  const std::string path = folder.file("store.db");
  auto clock = std::make_shared<SettableClock>(start);
  const auto random = seeded_random(11);
  ASSERT_TRUE(open({.store = path, .window = 30s, .clock = clock}));
  std::vector<HoldId> holds;
  std::vector<GroupId> groups;
  for (const Duration window : {Duration(2min), Duration(5s), Duration(7s), Duration(1h),
                                Duration(1s), Duration(40s), Duration(30s)}) {
    {
      auto store = open({.store = path, .sweep_every = {}, .clock = clock}).value();
      for (int i = 0; i < 40; ++i) {
        std::vector<Call> calls;
        for (int j = 0; j < 10; ++j) calls.push_back(random_call(*random, holds, groups));
        for (const Answer& answer : store.submit(std::move(calls))) {
          if (answer.ok() && answer.hold) holds.push_back(answer.hold->id);
          if (const auto group = group_in(answer)) groups.push_back(group->id);
        }
        if (i % 10 == 9) store.sweep();
        clock->advance(std::chrono::milliseconds(700));
      }
    }
    const auto changed =
        change_store_window({.store = path, .window = window, .agreed = true, .clock = clock});
    ASSERT_TRUE(changed) << changed.error().message;
    EXPECT_NE(changed->seq, 0U);
  }
  JournalFile file(path);
  EXPECT_EQ(file.rows("SELECT count(*) FROM window_changes").at(0).at(0), "7");
  EXPECT_THAT(file.broken_by_views(), IsEmpty());
  EXPECT_THAT(file.broken_by_audit(window_in_force(path)->rules), IsEmpty());
}

class AuditViewsPlanted : public ::testing::TestWithParam<Planted> {};

TEST_P(AuditViewsPlanted, is_shown_by_the_views_of_what_it_breaks_and_no_others) {
  JournalFile file;
  file.write(GetParam().history.records);
  EXPECT_THAT(file.broken_by_views(), UnorderedElementsAreArray(GetParam().broken));
  EXPECT_THAT(file.broken_by_audit(), UnorderedElementsAreArray(GetParam().broken));
}

INSTANTIATE_TEST_SUITE_P(Each, AuditViewsPlanted, ::testing::ValuesIn(planted_violations()),
                         [](const auto& planted) { return planted.param.name; });

/// Damage done with SQL to the good history; its comments number the records.
struct Damage {
  std::string invariant;
  std::string what;
  std::string sql;
};

void PrintTo(const Damage& damage, std::ostream* out) { *out << damage.invariant; }

/// Repeats a record of the journal as the newest one.
std::string append_copy(int seq) {
  std::string values;
  for (const layout::Column& each : layout::columns) {
    if (!values.empty()) values += ", ";
    const bool first = each.name == "seq";
    values += first                     ? "(SELECT max(seq) FROM journal) + 1"
              : each.name == "checksum" ? "0"
                                        : std::string(each.name);
  }
  return fmt::format("INSERT INTO journal({}) SELECT {} FROM journal WHERE seq = {};",
                     journal::columns(), values, seq);
}

std::string set_last(const std::string& assignments) {
  return "UPDATE journal SET " + assignments + " WHERE seq = (SELECT max(seq) FROM journal);";
}

std::string set(int seq, const std::string& assignments) {
  return "UPDATE journal SET " + assignments + " WHERE seq = " + std::to_string(seq) + ";";
}

std::vector<Damage> damages() {
  const std::string new_token = "token = x'6e6577'";
  return {
      {"PC-1", "confirmed_and_released", append_copy(6) + set_last("kind = 3, operation = 3")},
      {"PC-2", "the_placing_is_gone", "DELETE FROM journal WHERE seq = 10"},
      {"PC-3", "confirmed_again", append_copy(6) + set_last(new_token)},
      {"PC-4", "confirmed_under_another_salt", set(6, "hold_salt = hold_salt + 1")},
      {"PC-5", "released_from_another_resource", set(13, "resource = 'room_307'")},
      {"PC-6", "expiry_moved_before_the_placing", set(22, "expires_us = at_us")},
      {"PC-7", "expiry_moved_before_the_confirm", set(2, "expires_us = at_us + 1")},
      {"PC-8", "confirmed_in_the_past", set(6, "at_us = at_us - 3600000000")},
      {"PC-9", "placed_under_an_old_id",
       append_copy(22) + set_last("hold_ordinal = 1, hold_salt = 11255809, " + new_token)},
      {"PC-10", "a_record_deleted", "DELETE FROM journal WHERE seq = 3"},
      {"DP-1", "the_recording_is_gone", "DELETE FROM journal WHERE seq = 2"},
      {"DP-2", "collided_too_late", set(4, "at_us = at_us + 600000000")},
      {"DP-3", "recorded_twice", append_copy(19)},
      {"DP-4", "a_replay_with_a_quantity", set(3, "quantity = 1")},
      {"IR-1", "a_replay_of_a_refusal_to_somebody_else", set(3, "ref = 1")},
      {"IR-2", "a_confirm_replayed_from_a_place", set(7, "ref = 2")},
      {"IR-3", "one_token_for_two_holds", set(10, "token = CAST('p3' AS BLOB)")},
      {"IR-4", "the_digest_was_changed", set(2, "digest = randomblob(32)")},
      {"IR-5", "a_refusal_that_was_not_due", set(8, "rejection = 12")},
      {"IR-6", "a_token_was_changed", set(3, "token = x'ff'")},
      {"IR-7", "the_outcome_was_erased", set(5, "rejection = NULL")},
      {"IR-8", "the_token_was_erased", set(10, "token = NULL, digest = NULL")},
      {"CAP-1", "the_capacity_was_lowered", set(1, "capacity = 2")},
      {"CAP-2", "returned_again", append_copy(18)},
      {"NG-1", "a_nonce_was_put_in_twice", set(2, "nonce = x'61'") + set(10, "nonce = x'61'")},
  };
}

class AuditViewsDamage : public ::testing::TestWithParam<Damage> {};

TEST_P(AuditViewsDamage, is_shown_by_its_view_and_by_the_audit) {
  JournalFile file;
  file.write(good_history().records);
  file.run(GetParam().sql);
  const std::set<std::string> shown = file.broken_by_views();
  EXPECT_THAT(shown, Contains(GetParam().invariant));
  EXPECT_EQ(shown, file.broken_by_audit());
}

INSTANTIATE_TEST_SUITE_P(Each, AuditViewsDamage, ::testing::ValuesIn(damages()),
                         [](const auto& damage) { return damage.param.what; });

TEST(AuditViews, each_invariant_has_a_damage) {
  std::set<std::string> shown;
  for (const Damage& damage : damages()) shown.insert(damage.invariant);
  EXPECT_EQ(shown.size(), invariant_count);
}

std::string at(Duration after) { return to_rfc3339(start + after); }

TEST(Views, holds_are_shown_in_words) {
  JournalFile file;
  file.write(good_history().records);
  EXPECT_THAT(
      file.rows("SELECT id, tenant, resource, requester, quantity, state, placed_at, expires_at, "
                "confirmed_at, released_at, expired_at, token FROM holds ORDER BY ordinal"),
      ElementsAre(Row{"h1-000000000abc001", "default", "room_307", "guest_g91", "1", "confirmed",
                      at(0us), at(1h), at(1min), "-", "-", "p1"},
                  Row{"h2-000000000abc002", "default", "ward", "p41", "2", "expired", at(1min),
                      at(6min), "-", "-", at(6min), "p3"},
                  Row{"h3-000000000abc003", "default", "ward", "p41", "1", "released", at(1min),
                      at(6min), "-", at(1min), "-", "p4"},
                  Row{"h4-000000000abc004", "default", "ward", "p41", "3", "expired", at(6min),
                      at(7min), "-", "-", at(7min), "p7"},
                  Row{"h5-000000000abc005", "default", "room_308", "guest_g91", "1", "held",
                      at(11min), at(71min), "-", "-", "-", "p1"}));
  const std::string confirmed_us = std::to_string((start + 1min).time_since_epoch().count());
  EXPECT_THAT(file.rows("SELECT confirmed_us, released_us, expires_us - placed_us, token_hex "
                        "FROM holds WHERE id = 'h1-000000000abc001'"),
              ElementsAre(Row{confirmed_us, "-", "3600000000", "7031"}));
}

TEST(Views, holds_have_the_id_the_engine_gives_them) {
  JournalFile file;
  const History history = good_history();
  file.write(history.records);
  const HoldId id = history.records.at(1).hold;
  EXPECT_THAT(file.rows("SELECT id FROM holds WHERE ordinal = 1"), ElementsAre(Row{id.text()}));
}

TEST(Views, token_results_give_the_outcome_and_its_window) {
  JournalFile file;
  file.write(good_history().records);
  const std::string columns =
      "SELECT principal, operation, outcome, hold, recorded_at, expires_at FROM token_results ";
  EXPECT_THAT(
      file.rows(columns + "WHERE token = 'p1' ORDER BY seq"),
      ElementsAre(Row{"local", "hold.place", "ok", "h1-000000000abc001", at(0us), at(10min)},
                  Row{"local", "hold.place", "ok", "h5-000000000abc005", at(11min), at(21min)}));
  EXPECT_THAT(file.rows(columns + "WHERE token = 'd1'"),
              ElementsAre(Row{"local", "resource.declare", "ok", "-", at(0us), "-"}));
  EXPECT_THAT(file.rows(columns + "WHERE token = 'r1'"),
              ElementsAre(Row{"local", "hold.release", "not-held", "h1-000000000abc001", at(1min),
                              at(11min)}));
  EXPECT_THAT(file.rows(columns + "WHERE token = 'c2'"),
              ElementsAre(Row{"local", "hold.confirm", "not-known", "-", at(1min), at(11min)}));
  EXPECT_THAT(file.rows("SELECT outcome, reason FROM token_results WHERE token = 'p6'"),
              ElementsAre(Row{"invalid-request", "The resource name is blank."}));
  EXPECT_THAT(file.rows("SELECT token_hex, digest FROM token_results WHERE seq = 2"),
              ElementsAre(Row{"7031", good_history().records.at(1).digest.hex()}));
}

TEST(Views, token_results_end_when_the_token_was_forgotten) {
  JournalFile file;
  file.write(history_of_windows().records);
  EXPECT_THAT(file.rows("SELECT seq, expires_at FROM token_results WHERE token IN ('a', 'b') "
                        "ORDER BY seq"),
              ElementsAre(Row{"2", at(1h)}, Row{"3", at(61min)}, Row{"8", at(62min)},
                          Row{"10", at(63min)}, Row{"12", at(72min)}, Row{"14", at(73min)}));
}

TEST(Views, token_periods_tell_the_windows_that_were) {
  JournalFile file;
  file.write(history_of_windows().records);
  EXPECT_THAT(file.rows("SELECT from_seq, to_seq, window_us / 60000000 FROM token_periods "
                        "JOIN operation_names USING (operation) WHERE name = 'hold.place' "
                        "ORDER BY from_seq"),
              ElementsAre(Row{"0", "5", "10"}, Row{"5", "9", "60"}, Row{"9", "13", "2"},
                          Row{"13", "-", "10"}));
  EXPECT_THAT(file.rows("SELECT from_seq, to_seq, window_us FROM token_periods "
                        "JOIN operation_names USING (operation) WHERE name = 'resource.declare'"),
              ElementsAre(Row{"0", "-", "-"}));
}

TEST(Views, resources_count_what_is_in_use) {
  JournalFile file;
  file.write(good_history().records);
  const std::string sql =
      "SELECT tenant, name, capacity, in_use, declared FROM resources ORDER BY name";
  EXPECT_THAT(file.rows(sql), ElementsAre(Row{"default", "room_307", "1", "1", "0"},
                                          Row{"default", "room_308", "1", "1", "0"},
                                          Row{"default", "ward", "3", "0", "1"}));
}

TEST(Views, resources_let_go_of_what_had_lapsed_by_the_last_record) {
  JournalFile file;
  History history;
  history.place("p", {.resource = "room_307", .requester = "g91", .duration = 1h});
  history.wait(1h);
  history.declare("d", "ward", 3);
  file.write(history.records);
  EXPECT_THAT(file.rows("SELECT name, in_use FROM resources ORDER BY name"),
              ElementsAre(Row{"room_307", "0"}, Row{"ward", "0"}));
}

TEST(Views, records_are_the_journal_in_words) {
  JournalFile file;
  file.write(good_history().records);
  EXPECT_THAT(
      file.rows("SELECT kind, at, operation, token, rejection, hold, ref, times, first_at "
                "FROM records WHERE seq IN (4, 18, 23) ORDER BY seq"),
      ElementsAre(
          Row{"collided", at(0us), "hold.place", "p1", "token-collision", "-", "2", "-", "-"},
          Row{"expired", at(6min), "sweep", "-", "-", "h2-000000000abc002", "-", "-", "-"},
          Row{"replayed", at(11min), "hold.place", "p3", "-", "-", "9", "2", at(11min - 1us)}));
}

TEST(Views, instants_before_1970_are_told_right) {
  JournalFile file;
  History history;
  history.now = Instant(Duration(-1));
  history.declare("d", "ward", 3);
  file.write(history.records);
  EXPECT_THAT(file.rows("SELECT at FROM records"), ElementsAre(Row{"1969-12-31T23:59:59.999999Z"}));
}

TEST(Views, tokens_and_names_are_told_apart_byte_for_byte) {
  JournalFile file;
  History history;
  history.place("t", {.resource = "room", .requester = "g", .duration = 1h});
  history.place("T", {.resource = "Room", .requester = "g", .duration = 1h});
  history.place({"t\0", 2}, {.resource = "room ", .requester = "g", .duration = 1h});
  file.write(history.records);
  EXPECT_THAT(file.broken_by_views(), IsEmpty());
  EXPECT_THAT(file.rows("SELECT count(*) FROM resources"), ElementsAre(Row{"3"}));
}

TEST(Views, serve_every_query_in_the_documentation) {
  JournalFile file;
  file.write(documented_history().records);
  std::vector<std::size_t> counts;
  for (const std::string& query : sql_in(HOLDFAST_SOURCE_DIR "/docs/audit.md")) {
    counts.push_back(file.rows(query).size());
  }
  // Nothing is wrong; the life of h1; its token; the two holds of p41; the refusal that was asked
  // for again; none that changed; all that was said to callers.
  EXPECT_THAT(counts, ElementsAre(0, 3, 4, 1, 1, 0, 23));
}

}  // namespace
}  // namespace holdfast::test

// A store whose window is changed, to the microsecond: what a shorter one forgets, what a longer
// one keeps, and that nothing that was forgotten comes back (DP-2, DP-3). On every store that is
// kept.

#include <fmt/format.h>

#include "domain/invariants.hpp"
#include "engine/admit.hpp"
#include "engine/copying.hpp"
#include "support/journals/audit.hpp"
#include "support/journals/journal_file.hpp"
#include "support/servers/sql_connection.hpp"
#include "support/stores/store_test.hpp"

namespace holdfast::test {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

const Placing ward{.resource = "ward", .requester = "p41", .duration = 24h};

class StoreWindow : public StoreTest {
 protected:
  void SetUp() override {
    if (GetParam() == "memory") GTEST_SKIP() << "it ends with its process, and its window with it";
  }
  /// A ward with room for all of them.
  Harness& hospital(const Rules& rules = {}) {
    Harness& on = harness(rules);
    on.submit(declare("ward", 1'000, "d"));
    return on;
  }
  static StoreResult<WindowChanged> ask(Harness& on, Duration window, bool agreed = false) {
    return change_store_window(
        {.store = on.name(), .window = window, .agreed = agreed, .clock = on.clock()});
  }
  /// The answer as it is repeated when its token has another end.
  static Answer until(Answer answer, Instant end) {
    answer.token_expires = end;
    return answer;
  }
  static OperationTokens of(const WindowChanged& changed, Operation operation) {
    for (const OperationTokens& each : changed.operations) {
      if (each.operation == operation) return each;
    }
    return {};
  }
};
HOLDFAST_ON_EVERY_STORE(StoreWindow);

TEST_P(StoreWindow, shorter_forgets_what_is_as_old_as_it_at_once) {
  Harness& on = hospital();
  const Answer old = on.submit(place(ward, "old"));
  on.at(start + 1us);
  const Answer young = on.submit(place(ward, "young"));
  on.at(start + 2min);
  const WindowChanged changed = on.change_window(2min);
  EXPECT_EQ(changed.before, 10min);
  EXPECT_EQ(changed.at, start + 2min);
  EXPECT_EQ(changed.seq, 4U);
  EXPECT_EQ(changed.forgotten(), 1U);
  EXPECT_EQ(of(changed, Operation::hold_place).live, 2U);
  EXPECT_FALSE(of(changed, Operation::resource_declare).follows);

  EXPECT_FALSE(*on.store().token("default", "old"));
  EXPECT_THAT(on.submit(place(ward, "young")), replay_of(until(young, start + 2min + 1us)))
      << "a microsecond is left";
  const Answer afresh = on.submit(place(ward, "old"));
  EXPECT_THAT(afresh, first());
  EXPECT_NE(afresh.hold->id, old.hold->id);
  EXPECT_EQ(afresh.token_expires, start + 4min);
  on.at(start + 2min + 1us);
  EXPECT_THAT(on.submit(place(ward, "young")), first());
  on.at(start + 4min - 1us);
  EXPECT_THAT(on.submit(place(ward, "old")), replay_of(afresh));
  on.at(start + 4min);
  EXPECT_THAT(on.submit(place(ward, "old")), first());
}

TEST_P(StoreWindow, longer_keeps_what_is_seen_until_its_new_end) {
  Harness& on = hospital();
  const Answer gone = on.submit(place(ward, "gone"));
  on.at(start + 1us);
  const Answer seen = on.submit(place(ward, "seen"));
  on.at(start + 10min);
  const WindowChanged changed = on.change_window(1h);
  EXPECT_EQ(changed.forgotten(), 0U);
  EXPECT_EQ(of(changed, Operation::hold_place).live, 1U) << "the other one was forgotten before";

  EXPECT_FALSE(*on.store().token("default", "gone"));
  EXPECT_THAT(on.submit(place(ward, "gone")), first()) << "it stays forgotten";
  on.at(start + 1h);
  EXPECT_THAT(on.submit(place(ward, "seen")), replay_of(until(seen, start + 1h + 1us)));
  on.at(start + 1h + 1us);
  EXPECT_THAT(on.submit(place(ward, "seen")), first());
}

TEST_P(StoreWindow, what_a_shorter_one_has_forgotten_no_longer_one_brings_back) {
  Harness& on = hospital();
  on.submit(place(ward, "t"));
  on.at(start + 2min);
  on.change_window(2min);
  on.change_window(24h);
  EXPECT_FALSE(*on.store().token("default", "t"));
  on.reopen();
  const Answer afresh = on.submit(place(ward, "t"));
  EXPECT_THAT(afresh, first());
  on.at(start + 2min + 24h - 1us);
  on.reopen();
  EXPECT_THAT(on.submit(place(ward, "t")), replay_of(afresh));
}

TEST_P(StoreWindow, nor_does_one_bring_back_what_time_has_forgotten_unswept) {
  Harness& on = hospital();
  const Call once = place(ward, "t");
  on.submit(once);
  on.at(start + 10min);
  on.change_window(10min + 1us);
  EXPECT_THAT(on.submit(once), first());
  EXPECT_EQ(on.store().counts().live_tokens, 2U) << "with that of the declaration";
}

TEST_P(StoreWindow, nonces_go_the_same_way) {
  Harness& on = hospital();
  const auto with_nonce = [](const char* token) {
    Call call = place(ward, token);
    call.nonce = "nonce-of-the-caller";
    return call;
  };
  on.submit(with_nonce("a"));
  on.at(start + 5min);
  EXPECT_THAT(on.submit(with_nonce("b")), refused(Rejection::nonce_replay));
  on.change_window(5min);
  on.change_window(1h);
  EXPECT_THAT(on.submit(with_nonce("c")), done()) << "it was forgotten with its token";
  on.at(start + 1h);
  EXPECT_THAT(on.submit(with_nonce("e")), refused(Rejection::nonce_replay));
}

TEST_P(StoreWindow, operations_with_a_window_of_their_own_keep_it) {
  Rules rules;
  rules.policies[Operation::hold_confirm].window = 5min;
  Harness& on = hospital(rules);
  const HoldId id = on.must_place(ward).id;
  const Answer confirmed = on.submit(confirm(id, "c"));
  on.at(start + 1min);
  WindowChanged changed = on.change_window(5min);  // as long as theirs by now
  EXPECT_FALSE(of(changed, Operation::hold_confirm).follows);
  changed = on.change_window(1min);
  EXPECT_EQ(changed.forgotten(), 1U) << "the place";
  EXPECT_EQ(of(changed, Operation::hold_confirm).live, 1U);
  EXPECT_FALSE(of(changed, Operation::hold_confirm).follows) << "it never did";
  EXPECT_THAT(on.submit(confirm(id, "c")), replay_of(confirmed));
  on.at(start + 5min - 1us);
  EXPECT_THAT(on.submit(confirm(id, "c")), replay_of(confirmed));
  on.at(start + 5min);
  EXPECT_THAT(on.submit(confirm(id, "c")), refused(Rejection::not_held));
}

TEST_P(StoreWindow, shorter_is_not_given_without_a_word) {
  Harness& on = hospital();
  const Answer placed = on.submit(place(ward, "t"));
  on.at(start + 2min);
  on.close();
  const auto counted = ask(on, 2min);
  ASSERT_TRUE(counted) << counted.error().message;
  EXPECT_EQ(counted->seq, 0U);
  EXPECT_EQ(counted->forgotten(), 1U);
  on.reopen();
  EXPECT_EQ(on.records(), 2U);
  EXPECT_EQ(on.store().rules().window, 10min);
  EXPECT_THAT(on.submit(place(ward, "t")), replay_of(placed));
}

TEST_P(StoreWindow, the_same_is_no_change) {
  Harness& on = hospital();
  EXPECT_EQ(on.change_window(10min).seq, 0U);
  EXPECT_EQ(on.records(), 1U);
  on.close();
  EXPECT_FALSE(ask(on, 0us, true));
  on.reopen();
}

TEST_P(StoreWindow, is_not_changed_while_the_store_is_in_use) {
  Harness& on = hospital();
  const auto refused = ask(on, 1h, true);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message,
              HasSubstr(is_embedded(GetParam()) ? "in use" : "somebody is at work"));
  EXPECT_EQ(on.records(), 1U);
  EXPECT_THAT(on.submit(place(ward, "t")), done());
}

/// A node that nobody saw goes on with nothing: neither by the old window, nor from memory.
TEST_P(StoreWindow, a_node_that_has_another_one_does_nothing_any_more) {
  if (is_embedded(GetParam())) GTEST_SKIP() << "its file has one owner";
  Harness& on = hospital();
  const Call call = place(ward, "t");
  on.submit(call);
  (void)SqlConnection(on.name()).execute(
      "INSERT INTO meta(name, number) VALUES ('window_changed_seq', 2)");
  const auto unit = on.store().begin({});
  ASSERT_FALSE(unit);
  EXPECT_THAT(unit.error().message, HasSubstr("the window of the store was changed"));
  EXPECT_THAT(unit.error().message, HasSubstr("start it again"));
  EXPECT_FALSE(unit.error().again);
  std::uint64_t seq = 0;
  Request request{.call = call};
  ASSERT_FALSE(admit(request, on.store().rules()));
  EXPECT_FALSE(on.store().replay(request, &seq)) << "from memory";
  EXPECT_FALSE(on.store().token("default", "t"));
  const auto ready = on.store().ready();
  ASSERT_FALSE(ready);
  EXPECT_THAT(ready.error().message, HasSubstr("start it again"));
  (void)SqlConnection(on.name()).execute("DELETE FROM meta WHERE name = 'window_changed_seq'");
  on.reopen();
}

TEST_P(StoreWindow, goes_with_a_copy) {
  Harness& on = hospital();
  on.submit(place(ward, "old"));
  on.at(start + 5min);
  const Answer young = on.submit(place(ward, "young"));
  on.change_window(5min);
  on.change_window(24h);
  const std::string from = on.name();
  on.close();
  for (const std::string& engine : engines()) {
    if (engine == "memory") continue;
    StoreUnderTest there(engine, short_rules());
    const auto copied =
        copy_store(from, there.name(), [](CopyStage, std::uint64_t, std::uint64_t) {});
    ASSERT_TRUE(copied) << copied.error().message;
    EXPECT_TRUE(copied->clean()) << engine;
    const auto found = window_in_force(there.name());
    ASSERT_TRUE(found) << found.error().message;
    EXPECT_EQ(found->rules.window, 24h);
    ASSERT_TRUE(found->change);
    EXPECT_EQ(found->change->seq, 5U);
    const auto opened = open_store({.store = there.name(), .clock = on.clock()});
    ASSERT_TRUE(opened) << opened.error().message;
    EXPECT_FALSE(*(*opened)->token("default", "old")) << engine;
    EXPECT_TRUE(*(*opened)->token("default", "young")) << engine;
    EXPECT_THAT(violations(**opened), IsEmpty()) << engine;
  }
  on.reopen();
}

TEST_P(StoreWindow, shows_in_the_views_and_nothing_is_wrong_there) {
  Harness& on = hospital();
  on.submit(place(ward, "t"));
  on.at(start + 2min);
  on.change_window(2min);
  on.submit(place(ward, "t"));
  on.change_window(1h);
  on.at(start + 1h);
  on.submit(place(ward, "t"));
  on.close();
  const auto rows = [&](const std::string& sql) {
    if (GetParam() == "sqlite") return JournalFile(on.name()).rows(sql);
    return SqlConnection(on.name()).execute(sql);
  };
  for (const InvariantRow& each : invariants()) {
    EXPECT_THAT(rows("SELECT seq, problem FROM " + view_of(each.id)), IsEmpty()) << each.id;
  }
  EXPECT_EQ(rows("SELECT count(*) FROM window_changes").at(0).at(0), "2");
  on.reopen();
}

}  // namespace
}  // namespace holdfast::test

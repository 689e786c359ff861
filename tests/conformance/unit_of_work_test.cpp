// The port itself: what `begin` loads, what `commit` promises, what reads and counts say. No id is
// used twice (PC-9).

#include <fmt/format.h>

#include <set>

#include "domain/apply.hpp"
#include "domain/decide.hpp"
#include "domain/kind.hpp"
#include "engine/admit.hpp"
#include "support/fixed_random.hpp"
#include "support/stores/store_test.hpp"

namespace holdfast::test {
namespace {

class UnitOfWork : public StoreTest {
 protected:
  FixedSalt salt_{7};

  static Request request_of(Call call) {
    Request request{.call = std::move(call)};
    EXPECT_FALSE(admit(request, Rules{}));
    return request;
  }

  /// The requests must outlive the unit: its rows keep views of them.
  std::unique_ptr<Unit> begin(std::vector<const Request*> requests, std::size_t due_max = 0) {
    const Keys keys{.requests = std::move(requests), .due_max = due_max};
    auto unit = harness().store().begin(keys);
    EXPECT_TRUE(unit) << unit.error().message;
    return std::move(*unit);
  }
};
HOLDFAST_ON_EVERY_STORE(UnitOfWork);

TEST_P(UnitOfWork, numbers_start_at_one_and_go_on_without_a_gap) {
  Harness& on = harness();
  auto unit = begin({});
  EXPECT_EQ(unit->next_seq, 1U);
  EXPECT_EQ(unit->next_ordinal, 1U);
  EXPECT_EQ(unit->now, start);
  unit.reset();
  on.must_place(room);
  on.submit(place(room, "refused"));
  for (const bool again : {false, true}) {
    if (again) on.reopen();
    unit = begin({});
    EXPECT_EQ(unit->next_seq, 3U);
    EXPECT_EQ(unit->next_ordinal, 2U);
    unit.reset();
  }
}

TEST_P(UnitOfWork, dropped_without_commit_changes_nothing) {
  Harness& on = harness();
  const Request request = request_of(place(room, "t"));
  {
    auto unit = begin({&request});
    Records records;
    FreshIds ids(salt_, unit->next_ordinal);
    const Decision decision =
        decide(unit->rows, request, unit->now, ids, unit->next_seq, on.store().rules(), records);
    ASSERT_FALSE(decision.outcome.rejection);
    for (const Record& record : records) apply(unit->rows, record);
  }
  EXPECT_EQ(on.store().counts().holds, 0U);
  EXPECT_EQ(on.records(), 0U);
  EXPECT_FALSE(*on.store().token("default", "t"));
  EXPECT_EQ(begin({&request})->rows.token(request.key), nullptr);
}

TEST_P(UnitOfWork, commits_records_in_order_and_every_field_of_them) {
  Harness& on = harness();
  const Request request =
      request_of(place({.resource = "r\u00f6", .requester = "q", .duration = 1h},
                       std::string("\0\xff", 2), {"acme", "alice"}));
  auto unit = begin({&request});
  Records records;
  FreshIds ids(salt_, unit->next_ordinal);
  const Decision decision =
      decide(unit->rows, request, unit->now, ids, unit->next_seq, on.store().rules(), records);
  ASSERT_EQ(decision.claim, Claim::fresh);
  ASSERT_TRUE(unit->commit(records));
  unit.reset();
  for (const bool again : {false, true}) {
    if (again) on.reopen();
    const auto stored = *on.store().records(0, 10);
    ASSERT_EQ(stored.size(), 1U);
    const Record& record = stored.front();
    EXPECT_EQ(record.seq, 1U);
    EXPECT_EQ(record.kind, RecordKind::placed);
    EXPECT_EQ(record.at, start);
    EXPECT_EQ(record.tenant, "acme");
    EXPECT_EQ(record.principal, "alice");
    EXPECT_EQ(record.operation, Operation::hold_place);
    EXPECT_EQ(record.token, std::string("\0\xff", 2));
    EXPECT_EQ(record.digest, request.digest);
    EXPECT_FALSE(record.rejection);
    EXPECT_EQ(record.reason, Reason::none);
    EXPECT_EQ(record.hold, (HoldId{1, 7}));
    EXPECT_EQ(record.resource, "r\u00f6");
    EXPECT_EQ(record.requester, "q");
    EXPECT_EQ(record.quantity, 1);
    EXPECT_EQ(record.expires_at, start + 1h);
  }
}

TEST_P(UnitOfWork, every_kind_of_record_comes_back_as_it_was_written) {
  Harness& on = harness();
  on.submit(declare("room_307", 2, "d"));
  const Hold one = on.must_place({.resource = "room_307", .requester = "a", .duration = 1min});
  const Hold two = on.must_place(room);
  on.submit(confirm(two.id, "c"));
  on.submit(confirm(two.id, "c"));
  on.submit(release(two.id, "c"));
  on.submit(release(two.id, "late"));
  on.submit(place({.resource = "room_307", .requester = "", .duration = 1h}, "invalid"));
  const Hold three = on.must_place({.resource = "x", .requester = "a", .duration = 1h});
  on.submit(release(three.id, "r"));
  on.at(start + 1min);
  on.submit(expire(one.id, "e"));
  const auto before = *on.store().records(0, 100);
  on.reopen();
  const auto after = *on.store().records(0, 100);
  ASSERT_EQ(before.size(), after.size());
  std::set<RecordKind> kinds;
  for (std::size_t i = 0; i < before.size(); ++i) {
    const auto line = [](const Record& r) {
      return fmt::format("{} {} {} {}/{} {} {} {} {} {} {} {} {} {} {} {} {} {} {}", r.seq,
                         name(r.kind), r.at.time_since_epoch().count(), r.tenant, r.principal,
                         name(r.operation), visible(r.token), r.digest.hex(),
                         r.rejection ? name(*r.rejection) : "-", static_cast<int>(r.reason),
                         r.hold.text(), r.resource, r.requester, r.quantity,
                         r.expires_at.time_since_epoch().count(), r.capacity, r.ref, r.count,
                         r.first_at.time_since_epoch().count());
    };
    EXPECT_EQ(line(before[i]), line(after[i]));
    kinds.insert(before[i].kind);
  }
  EXPECT_EQ(kinds.size(), 8U) << "each kind was there";
}

TEST_P(UnitOfWork, loads_the_token_also_past_its_window_for_decide_to_judge) {
  Harness& on = harness();
  on.submit(place(room, "t"));
  on.at(start + 10min - 1us);
  const Request request = request_of(place(room, "t"));
  for (const bool past : {false, true}) {
    if (past) on.at(start + 10min);
    const auto unit = begin({&request});
    const TokenRow* row = unit->rows.token(request.key);
    ASSERT_NE(row, nullptr);
    EXPECT_EQ(claim(row, request, on.store().rules(), unit->now),
              past ? Claim::fresh : Claim::recorded);
  }
}

TEST_P(UnitOfWork, loads_the_hold_named_and_the_hold_an_outcome_speaks_of) {
  Harness& on = harness();
  const Answer placed = on.submit(place(room, "t"));
  const std::uint64_t ordinal = placed.hold->id.ordinal;
  const Request by_token = request_of(place(room, "t"));
  const auto for_token = begin({&by_token});
  ASSERT_NE(for_token->rows.hold(ordinal), nullptr);
  EXPECT_EQ(for_token->rows.hold(ordinal)->id, placed.hold->id);
  const Request by_id = request_of(release(placed.hold->id, "r"));
  const auto for_id = begin({&by_id});
  ASSERT_NE(for_id->rows.hold("default", placed.hold->id), nullptr);
  EXPECT_EQ(for_id->rows.hold("acme", placed.hold->id), nullptr);
}

TEST_P(UnitOfWork, loads_a_resource_with_its_lapsed_holds_in_order_of_expiry) {
  Harness& on = harness();
  on.submit(declare("room_307", 10, "d"));
  for (const Duration duration : {3min, 1min, 2min, 1min, 9min}) {
    on.must_place({.resource = "room_307", .requester = "g", .duration = duration});
  }
  on.must_place({.resource = "another", .requester = "g", .duration = 1min});
  on.at(start + 3min);
  Placing all = room;
  all.quantity = 10;
  const Request request = request_of(place(all, "t"));
  const auto unit = begin({&request});
  const ResourceRow& row = unit->rows.resource({"default", "room_307"});
  EXPECT_EQ(row.capacity, 10);
  EXPECT_EQ(row.occupied, 5) << "lapsed ones included";
  EXPECT_EQ(row.lapsed, (std::vector<std::uint64_t>{2, 4, 3, 1}));
  for (const std::uint64_t ordinal : row.lapsed) {
    ASSERT_NE(unit->rows.hold(ordinal), nullptr);
    EXPECT_TRUE(unit->rows.hold(ordinal)->lapsed(unit->now));
  }
}

TEST_P(UnitOfWork, loads_due_holds_earliest_first_up_to_the_number_asked_for) {
  Harness& on = harness();
  for (const Duration duration : std::vector<Duration>{3min, 1min, 2min, 1h}) {
    on.must_place({.resource = on.next_token(), .requester = "g", .duration = duration});
  }
  on.at(start + 1min - 1us);
  EXPECT_TRUE(begin({}, 10)->due.empty());
  on.at(start + 3min);
  EXPECT_TRUE(begin({}, 0)->due.empty());
  EXPECT_EQ(begin({}, 2)->due, (std::vector<std::uint64_t>{2, 3}));
  const auto unit = begin({}, 10);
  EXPECT_EQ(unit->due, (std::vector<std::uint64_t>{2, 3, 1}));
  for (const std::uint64_t ordinal : unit->due) EXPECT_TRUE(unit->rows.has_hold(ordinal));
}

TEST_P(UnitOfWork, a_sweep_goes_in_bounded_steps_and_touches_only_what_is_due) {
  Harness& on = harness();
  for (int i = 0; i < 10; ++i) {
    on.must_place({.resource = on.next_token(), .requester = "g", .duration = 1min});
  }
  const Hold confirmed = on.must_place({.resource = "c", .requester = "g", .duration = 1min});
  const Hold released = on.must_place({.resource = "r", .requester = "g", .duration = 1min});
  const Hold longer = on.must_place(room);
  on.submit(confirm(confirmed.id, "c"));
  on.submit(release(released.id, "r"));
  on.at(start + 1min);
  EXPECT_EQ(on.sweep(4), 4U);
  EXPECT_EQ(on.store().counts().live_holds, 7U);
  EXPECT_EQ(on.sweep(4), 4U);
  EXPECT_EQ(on.sweep(4), 2U);
  EXPECT_EQ(on.sweep(4), 0U);
  EXPECT_EQ(on.store().counts().live_holds, 1U);
  EXPECT_EQ(on.state(confirmed.id), HoldState::confirmed);
  EXPECT_EQ(on.state(released.id), HoldState::released);
  EXPECT_EQ(on.state(longer.id), HoldState::held);
}

TEST_P(UnitOfWork, a_hold_expired_by_a_sweep_names_no_token) {
  Harness& on = harness();
  on.must_place(room);
  on.at(start + 1h);
  on.sweep();
  const auto records = *on.store().records(1, 10);
  ASSERT_EQ(records.size(), 1U);
  EXPECT_EQ(records[0].kind, RecordKind::expired);
  EXPECT_EQ(records[0].operation, Operation::none);
  EXPECT_TRUE(records[0].token.empty());
}

TEST_P(UnitOfWork, counts_are_what_there_is) {
  Harness& on = harness();
  const Hold one = on.must_place(room);
  on.must_place({.resource = "b", .requester = "g", .duration = 1min});
  on.submit(declare("c", 3, "d"));
  on.submit(confirm(one.id, "c"));
  on.submit(confirm(one.id, "c"));
  on.submit(confirm({}, "unknown"));
  const Counts counts = on.store().counts();
  EXPECT_EQ(counts.records, 6U);
  EXPECT_EQ(counts.holds, 2U);
  EXPECT_EQ(counts.live_holds, 1U);
  EXPECT_EQ(counts.live_tokens, 5U);
  EXPECT_EQ(counts.resources, 3U);
  on.at(start + 1min);
  EXPECT_EQ(on.store().counts().live_holds, 1U) << "held, if lapsed";
}

TEST_P(UnitOfWork, the_footprint_grows_with_what_is_kept) {
  Harness& on = harness();
  const Footprint before = on.store().footprint();
  std::vector<Call> calls;
  for (int i = 0; i < 3000; ++i) {
    const std::string token = on.next_token();
    calls.push_back(place({.resource = token, .requester = token, .duration = 1h}, token));
  }
  on.submit(std::move(calls));
  const Footprint after = on.store().footprint();
  EXPECT_GT(after.token_bytes, before.token_bytes);
  if (!is_embedded(GetParam())) return;  // a shared store keeps outcomes here, and nothing else
  EXPECT_GT(after.hold_bytes, before.hold_bytes);
  EXPECT_GT(after.name_bytes, before.name_bytes);
}

}  // namespace
}  // namespace holdfast::test

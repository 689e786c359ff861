// The rules of leased work, whatever the work: what is decided, what records say of it, and what
// its books find.

#include <gmock/gmock.h>

#include "leased_work/books.hpp"
#include "leased_work/rows.hpp"
#include "support/calls.hpp"
#include "support/fixed_random.hpp"
#include "support/rules.hpp"

namespace holdfast::test::errands {  // its names are nobody else's
namespace {

using namespace leased_work;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr Refusals refusals{.not_known = Rejection::command_not_known,
                            .not_open = Rejection::effect_not_open};

LeaseState leased(std::uint64_t fence, Instant until) {
  LeaseState lease;
  lease.until = until;
  lease.holder = "worker";
  lease.fence = fence;
  return lease;
}

std::optional<Rejection> rejection(const Refused& refused) {
  return refused ? std::optional(refused->rejection) : std::nullopt;
}

TEST(LeasedWork, is_leased_from_when_it_is_ready_and_by_one) {
  LeaseState lease;
  lease.ready_at = start;
  EXPECT_FALSE(may_be_leased(lease, start - 1us));
  EXPECT_TRUE(may_be_leased(lease, start));
  lease.until = start - 1h;  // it ended, and nobody has said so yet
  EXPECT_FALSE(may_be_leased(lease, start));
}

TEST(LeasedWork, a_lease_is_neither_too_short_nor_too_long) {
  EXPECT_FALSE(not_a_lease(1ms));
  EXPECT_FALSE(not_a_lease(24h));
  for (const Duration lease :
       {Duration(1ms) - 1us, Duration(24h) + 1us, Duration(0), Duration(-1s)}) {
    const Refused refused = not_a_lease(lease);
    ASSERT_TRUE(refused);
    EXPECT_EQ(refused->rejection, Rejection::invalid_request);
    EXPECT_EQ(refused->reason, Reason::lease_bounds);
  }
}

TEST(LeasedWork, each_lease_has_the_next_fence) {
  Leased said;
  give(said, "a", leased(4, start), 2);
  give(said, "b", {}, 1);
  ASSERT_EQ(said.items.size(), 2U);
  EXPECT_EQ(said.items[0].fence, 5U);
  EXPECT_EQ(said.items[0].attempt, 2U);
  EXPECT_EQ(said.items[1].fence, 1U);
}

TEST(LeasedWork, only_the_holder_of_the_last_lease_may_speak_of_it) {
  const LeaseState held = leased(3, start);
  EXPECT_FALSE(not_the_holder(true, &held, {"worker", 3}, refusals));
  for (const std::int64_t fence : {2, 4, 0, -3})
    EXPECT_EQ(rejection(not_the_holder(true, &held, {"worker", fence}, refusals)),
              Rejection::stale_fence);
  EXPECT_EQ(rejection(not_the_holder(true, &held, {"another", 3}, refusals)),
            Rejection::stale_fence);
  LeaseState free = held;
  free.until.reset();
  EXPECT_EQ(rejection(not_the_holder(true, &free, {"worker", 3}, refusals)),
            Rejection::stale_fence);
  EXPECT_EQ(rejection(not_the_holder(true, nullptr, {"worker", 3}, refusals)),
            Rejection::effect_not_open);
  EXPECT_EQ(rejection(not_the_holder(false, nullptr, {"worker", 3}, refusals)),
            Rejection::command_not_known);
}

TEST(LeasedWork, an_operator_waits_for_whoever_is_at_work) {
  const LeaseState held = leased(3, start);
  const LeaseState free;
  EXPECT_EQ(rejection(not_at_rest(true, &held, refusals)), Rejection::effect_not_open);
  EXPECT_EQ(rejection(not_at_rest(false, nullptr, refusals)), Rejection::command_not_known);
  EXPECT_FALSE(not_at_rest(true, &free, refusals));
  EXPECT_FALSE(not_at_rest(true, nullptr, refusals)) << "it may have failed for good";
}

TEST(LeasedWork, what_it_is_refused_with_stands_in_the_tables) {
  EXPECT_THAT(refusals.of_holders(),
              ElementsAre(Rejection::invalid_request, Rejection::command_not_known,
                          Rejection::effect_not_open, Rejection::stale_fence));
  EXPECT_THAT(refusals.of_operators(),
              ElementsAre(Rejection::invalid_request, Rejection::command_not_known,
                          Rejection::effect_not_open));
}

TEST(LeasedWork, a_renewal_never_makes_a_lease_shorter) {
  LeaseState lease = leased(1, start + 30s);
  renew(lease, 10s, start);
  EXPECT_EQ(lease.until, start + 30s);
  renew(lease, 10s, start + 25s);
  EXPECT_EQ(lease.until, start + 35s);
}

TEST(LeasedWork, is_lost_at_the_instant_its_lease_ends) {
  const LeaseState lease = leased(1, start);
  EXPECT_FALSE(is_lost(lease, start - 1us));
  EXPECT_TRUE(is_lost(lease, start));
  EXPECT_FALSE(is_lost({}, start));
}

TEST(LeasedWork, is_tried_again_as_often_as_declared_after_longer_and_longer) {
  LeaseState lease = leased(1, start);
  lease.attempts_max = 3;
  lease.backoff = {.first_us = 1'000'000, .most_us = 300'000'000};
  for (const Duration most : {Duration(1s), Duration(2s)}) {
    ++lease.attempts;
    lease.until = start;
    ASSERT_TRUE(try_again(lease, "an id", start));
    EXPECT_FALSE(lease.leased());
    EXPECT_GE(lease.ready_at, start + most / 2);
    EXPECT_LE(lease.ready_at, start + most);
    EXPECT_EQ(lease.ready_at, start + lease.backoff.after("an id", lease.attempts));
  }
  ++lease.attempts;
  const Instant before = lease.ready_at;
  lease.until = start;
  EXPECT_FALSE(try_again(lease, "an id", start));
  EXPECT_FALSE(lease.leased());
  EXPECT_EQ(lease.ready_at, before);
}

TEST(LeasedWork, a_lease_is_written_and_read_back) {
  const Leased said{.items = {{.id = "a", .fence = 7, .attempt = 2}, {.id = "b", .fence = 1}},
                    .until = start,
                    .holder = "worker"};
  const std::string detail = text_of(said, "errands", [&](JsonWriter& json, std::size_t place) {
    write_item(json, said, place, place == 0 ? "milk" : "bread");
  });
  EXPECT_EQ(detail,
            R"({"errands":[{"attempt":2,"fence":7,"id":"a","kind":"milk",)"
            R"("lease_until":"2026-01-01T00:00:00.000000Z"},{"attempt":0,"fence":1,"id":"b",)"
            R"("kind":"bread","lease_until":"2026-01-01T00:00:00.000000Z"}],"holder":"worker"})");
  std::vector<std::string> kinds;
  const auto read = read_leased(detail, "errands", [&](ObjectReader& reader, const Leased::Item&) {
    reader.text("kind", kinds.emplace_back());
  });
  ASSERT_TRUE(read);
  EXPECT_THAT(kinds, ElementsAre("milk", "bread"));
  EXPECT_EQ(read->until, start);
  EXPECT_EQ(read->holder, "worker");
  ASSERT_EQ(read->items.size(), 2U);
  EXPECT_EQ(read->items[0].fence, 7U);
  EXPECT_EQ(read->items[0].attempt, 2U);
  EXPECT_FALSE(read_leased(detail, "parcels"));
  EXPECT_FALSE(read_leased(R"({"errands":[{"fence":7,"id":"a"}],"holder":"w"})", "errands"));
  EXPECT_FALSE(read_leased("", "errands"));
  LeaseState lease;
  take_lease(lease, *read, read->items[0]);
  EXPECT_EQ(lease.fence, 7U);
  EXPECT_EQ(lease.attempts, 2U);
  EXPECT_EQ(lease.until, start);
  EXPECT_EQ(lease.holder, "worker");
}

TEST(LeasedWork, how_it_stands_is_written_and_read_back) {
  LeaseState lease = leased(7, start + 1s);
  lease.ready_at = start;
  lease.attempts = 2;
  lease.error = "no answer";
  std::string text;
  JsonWriter json(text);
  json.begin_object();
  write_standing(json, "a", lease);
  json.end_object();
  EXPECT_EQ(text, R"({"attempts":2,"error":"no answer","fence":7,"id":"a",)"
                  R"("lease_until":"2026-01-01T00:00:01.000000Z",)"
                  R"("ready_at":"2026-01-01T00:00:00.000000Z"})");
  EXPECT_EQ(id_in(text), "a");
  std::string id;
  LeaseState said;
  ObjectReader reader(text);
  read_standing(reader, id, said);
  ASSERT_TRUE(reader.good());
  LeaseState row = leased(6, start);
  row.attempts_max = 4;
  take_standing(row, said);
  EXPECT_EQ(row.until, start + 1s);
  EXPECT_EQ(row.holder, "worker") << "renewed, it is still the same one's";
  EXPECT_EQ(row.fence, 7U);
  EXPECT_EQ(row.attempts, 2U);
  EXPECT_EQ(row.attempts_max, 4U) << "what was declared stays";
  EXPECT_EQ(row.error, "no answer");
  said.until.reset();
  take_standing(row, said);
  EXPECT_FALSE(row.leased());
  EXPECT_EQ(row.holder, "");
}

TEST(LeasedWork, queues_of_workers_are_their_tenants_and_have_room_for_its_name) {
  EXPECT_EQ(queue_of_dispatchers("call", "bank"), "call bank");
  EXPECT_NE(queue_of_workers("acme", "mail"), queue_of_workers("other", "mail"));
  const std::string tenant(name_bytes_max, 't');
  EXPECT_LE(queue_of_workers(tenant, "mail").size(), name_bytes_max);
}

/// Work of nobody's module.
struct Errand {
  static constexpr RowSpace space{9901};
  std::string id;
  std::string queue{};
  LeaseState lease{};
  [[nodiscard]] RowIndex index(std::string_view) const { return {.parent = queue}; }
};

struct Shop {
  static constexpr RowSpace space{9902};
  std::string id;
};

/// Rows of errands, and somebody who asks for them at `start`.
class Errands : public ::testing::Test {
 protected:
  template <typename Row>
  void put(std::string_view tenant, std::string_view key, Row row) {
    rows_.load_row({Row::space, tenant, key}, {std::make_shared<const Row>(std::move(row)), 1});
  }
  void list(const std::string& queue, Errand row) {
    const std::string key = row.id;
    rows_.load_list({Errand::space, tenant_of_queues, queue}, {Errand::space, {}, key},
                    {std::make_shared<const Errand>(std::move(row)), 1});
  }
  std::vector<std::string> taken(const Asked& asked, std::size_t most = 100) {
    std::vector<std::string> ids;
    offer<Errand>(asked, deciding_, [&](const Errand& errand) {
      if (ids.size() == most) return false;
      ids.push_back(errand.id);
      return true;
    });
    return ids;
  }

  Rules rules_ = short_rules();
  WorkingSet rows_;
  Records records_;
  FixedSalt salt_{77};
  FreshIds ids_{salt_, 1};
  Draft draft_{records_, 1, start};
  const Request request_ =
      make_request(place({.resource = "r", .requester = "q", .duration = 1h}, "t"));
  Deciding deciding_{rows_, request_, rules_, start, ids_, draft_};
};

TEST_F(Errands, are_offered_queue_by_queue_as_many_as_are_asked_for) {
  list("here", {.id = "a", .queue = "here"});
  list("here", {.id = "b", .queue = "here"});
  list("there", {.id = "c", .queue = "there"});
  const Asked asked{.queues = {"here", "there", "here"}, .max = 10};
  EXPECT_THAT(taken(asked), ElementsAre("a", "b", "c")) << "a queue named twice counts once";
  EXPECT_THAT(taken({.queues = {"there", "here"}, .max = 2}), ElementsAre("c", "a"));
  EXPECT_THAT(taken({.queues = {"nowhere"}, .max = 2}), IsEmpty());
  EXPECT_THAT(taken(asked, 1), ElementsAre("a")) << "who takes no more is shown no more";
}

TEST_F(Errands, are_not_offered_where_the_batch_has_changed_them) {
  Errand held{.id = "a", .queue = "here"};
  held.lease = leased(1, start + 1s);
  list("here", held);
  Errand later{.id = "b", .queue = "here"};
  later.lease.ready_at = start + 1us;
  list("here", later);
  list("here", {.id = "c", .queue = "elsewhere"});
  list("here", {.id = "d", .queue = "here"});
  EXPECT_THAT(taken({.queues = {"here"}, .max = 10}), ElementsAre("d"));
}

TEST_F(Errands, are_found_by_the_whole_id_of_their_own_tenant) {
  const std::string tenant = deciding_.tenant();
  put(tenant, "open", Shop{.id = "open-1"});
  put(std::string_view(), "open", Errand{.id = "open-1"});
  put(tenant, "used", Shop{.id = "used-2"});
  put(std::string_view(), "used", Errand{.id = "used-1"});
  put(std::string_view("other"), "theirs", Shop{.id = "theirs-1"});
  const auto find_errand = [&](std::string_view id, std::string_view key) {
    return find<Shop, Errand>(id, key, deciding_);
  };
  EXPECT_TRUE(find_errand("open-1", "open").known());
  EXPECT_NE(find_errand("open-1", "open").lease(), nullptr);
  EXPECT_FALSE(find_errand("open-2", "open").known()) << "another use of the key";
  EXPECT_TRUE(find_errand("used-2", "used").known());
  EXPECT_EQ(find_errand("used-2", "used").lease(), nullptr) << "the work of an earlier use";
  EXPECT_FALSE(find_errand("theirs-1", "theirs").known());
  EXPECT_FALSE(find_errand("", "").known());
}

TEST_F(Errands, that_are_lost_are_shown_and_others_are_not) {
  Errand lost{.id = "a"};
  lost.lease = leased(1, start);
  Errand held{.id = "b"};
  held.lease = leased(1, start + 1us);
  put(std::string_view(), "a", lost);
  put(std::string_view(), "b", held);
  put(std::string_view(), "c", Errand{.id = "c"});
  put(std::string_view(), "a", Shop{.id = "a"});
  const std::vector<RowName> names{{Shop::space, {}, "a"},
                                   {Errand::space, {}, "c"},
                                   {Errand::space, {}, "b"},
                                   {Errand::space, {}, "gone"},
                                   {Errand::space, {}, "a"}};
  std::vector<std::string> found;
  each_lost<Errand>(rows_, {.rows = names}, start, [&](const Errand& errand, std::string_view key) {
    EXPECT_EQ(errand.id, key);
    found.push_back(errand.id);
  });
  EXPECT_THAT(found, ElementsAre("a"));
}

TEST_F(Errands, that_nobody_has_leave_the_token_unused) {
  note({}, R"({"errands":[]})", RecordKind{9901}, deciding_);
  EXPECT_THAT(records_, IsEmpty());
  EXPECT_EQ(deciding_.blame.detail, R"({"errands":[]})");
  Leased said = lease_of({.queues = {}, .lease = 30s}, deciding_);
  EXPECT_EQ(said.until, start + 30s);
  EXPECT_EQ(said.holder, request_.call.caller.principal);
  give(said, "a", {}, 1);
  note(said, "{}", RecordKind{9901}, deciding_);
  ASSERT_EQ(records_.size(), 1U);
  EXPECT_EQ(records_[0].detail, "{}");
}

enum class Errandry : std::uint8_t { waits, held, done };

/// Keeps what failed: the place of the invariant, and the words.
struct Noted : ModuleFindings {
  void check(std::size_t invariant, bool good, const Record&,
             const std::function<std::string()>& text) override {
    if (!good) all.push_back(std::to_string(invariant) + " " + text());
  }
  std::vector<std::string> all;
};

class ErrandBooks : public ::testing::Test {
 protected:
  Record of(std::string_view tenant) {
    Record record;
    record.seq = ++seq_;
    record.tenant = tenant;
    return record;
  }
  void begin(const std::string& id, std::string_view key) {
    books_.begin(of("acme"), id, key, Errandry::waits, found_,
                 [](Errandry before) { return before == Errandry::done; });
  }
  void lease(const std::string& id, std::uint64_t fence) {
    books_.lease(of("acme"), Leased{.items = {{.id = id, .fence = fence}}}, Errandry::waits,
                 Errandry::held, found_);
  }

  std::uint64_t seq_ = 0;
  Noted found_;
  WorkBooks<Errandry> books_{{.begun_once = 0, .known = 1, .fences = 2},
                             {.names_none = "none",
                              .names_no_list = "no list",
                              .key_in_use = "in use by {}",
                              .begun_before = "{} again",
                              .not_begun = "no {}",
                              .not_to_be_leased = "{} does not wait"}};
};

TEST_F(ErrandBooks, find_nothing_in_a_good_life) {
  begin("k-1", "k");
  lease("k-1", 1);
  auto* const entry = books_.find(of("acme"), "k-1", found_);
  ASSERT_NE(entry, nullptr);
  EXPECT_EQ(entry->status, Errandry::held);
  books_.stay(of("acme"), *entry, 1, found_);
  entry->status = Errandry::waits;
  lease("k-1", 2);
  entry->status = Errandry::done;
  begin("k-2", "k");
  EXPECT_THAT(found_.all, IsEmpty());
}

TEST_F(ErrandBooks, find_a_key_that_is_used_twice) {
  begin("k-1", "k");
  begin("k-2", "k");
  begin("k-1", "other");
  begin("k-3", "");
  EXPECT_THAT(found_.all, ElementsAre("0 in use by k-1", "0 k-1 again", "1 none"));
}

TEST_F(ErrandBooks, find_what_was_never_begun_and_what_is_another_tenants) {
  begin("k-1", "k");
  EXPECT_EQ(books_.find(of("acme"), "k-2", found_), nullptr);
  EXPECT_EQ(books_.find(of("other"), "k-1", found_), nullptr);
  EXPECT_THAT(found_.all, ElementsAre("1 no k-2", "1 no k-1"));
}

TEST_F(ErrandBooks, find_a_lease_of_what_does_not_wait) {
  begin("k-1", "k");
  lease("k-1", 1);
  lease("k-1", 2);
  lease("k-9", 1);
  books_.lease(of("acme"), std::nullopt, Errandry::waits, Errandry::held, found_);
  EXPECT_THAT(found_.all, ElementsAre("1 k-1 does not wait", "1 k-9 does not wait", "1 no list"));
}

TEST_F(ErrandBooks, find_a_fence_that_is_not_the_next) {
  begin("k-1", "k");
  lease("k-1", 2);
  auto* const entry = books_.find(of("acme"), "k-1", found_);
  ASSERT_NE(entry, nullptr);
  books_.stay(of("acme"), *entry, 1, found_);
  EXPECT_EQ(entry->fence, 2U) << "it never falls";
  EXPECT_THAT(found_.all, ElementsAre("2 the fence is 2, and 1 was to come",
                                      "2 the fence is 1, and 2 was to come"));
}

}  // namespace
}  // namespace holdfast::test::errands

// What the engine promises of webhooks, whichever store it is: each event id is taken in once, and
// what follows is tried until it worked, or an operator says so.

#include <gmock/gmock.h>

#include <map>

#include "holdfast/webhooks.hpp"
#include "modules/webhooks/inbox_rows.hpp"
#include "modules/webhooks/kinds.hpp"
#include "support/stores/store_test.hpp"

namespace holdfast::test {
namespace {

using testing::HasSubstr;
using testing::Not;
using webhooks::EntryRow;
using webhooks::PayloadRow;
using webhooks::Source;
using webhooks::WorkRow;

class Webhooks : public StoreTest {
 protected:
  static std::shared_ptr<const Source> source(std::string name = "payments") {
    auto made = std::make_shared<Source>();
    made->name = std::move(name);
    made->follows = webhooks::Follows::pull;
    made->target = "invoices";
    made->attempts_max = 3;
    made->backoff = 1s;
    made->backoff_max = 10s;
    return made;
  }

  static Call webhook(const std::string& id, std::string body = R"({"n":1})",
                      std::shared_ptr<const Source> from = source()) {
    Call call{.command = Command(Receiving{.source = from->name,
                                           .event_id = id,
                                           .body = std::move(body),
                                           .headers = R"({"Content-Type":"application/json"})",
                                           .declared = from}),
              .token = Token(webhooks::event_token(from->name, id)),
              .caller = {from->tenant, webhooks::principal_of(from->name)}};
    return call;
  }

  Answer take(const std::string& id, std::string body = R"({"n":1})") {
    return harness().submit(webhook(id, std::move(body)));
  }

  template <typename P>
  Answer run(P parameters, Caller caller = {}) {
    return harness().submit(Call{.command = Command(std::move(parameters)),
                                 .token = Token(harness().next_token()),
                                 .caller = std::move(caller)});
  }

  Answer lease(std::int64_t max = 10, Duration time = 30s) {
    return run(InboxLeasing{.kinds = {"invoices"}, .max = max, .lease = time});
  }

  static std::string id_of(const Answer& answer) {
    constexpr std::string_view before = R"({"id":")";
    return answer.document.substr(before.size(), answer.document.size() - before.size() - 2);
  }

  template <typename Row>
  std::optional<Row> row(const std::string& id, std::string_view tenant = "default") {
    const auto page = harness().store().rows(
        tenant, {.space = Row::space, .key = std::string(webhooks::row_key_in(id))});
    if (!page || page->items.empty()) return std::nullopt;
    return *row_of<Row>(&page->items.front().row);
  }
  std::optional<WorkRow> work(const std::string& id) { return row<WorkRow>(id, ""); }

  std::size_t count(RecordKind kind) {
    std::size_t found = 0;
    const auto records = harness().store().records(0, 100000);
    for (const Record& each : *records) found += each.kind == kind ? 1U : 0U;
    return found;
  }
};
HOLDFAST_ON_EVERY_STORE(Webhooks);

TEST_P(Webhooks, are_taken_in_once) {
  const Answer first = take("evt_1");
  EXPECT_THAT(first, done());
  for (int i = 0; i < 3; ++i) {
    EXPECT_THAT(take("evt_1"), replay_of(first));
    harness().reopen();
  }
  EXPECT_EQ(count(webhooks::kinds::received), 1U);
  const auto entry = row<EntryRow>(id_of(first));
  ASSERT_TRUE(entry);
  EXPECT_EQ(entry->event_id, "evt_1");
  EXPECT_EQ(entry->expires_at, start + 24h * 7);
  EXPECT_EQ(row<PayloadRow>(id_of(first))->body, R"({"n":1})");
  EXPECT_EQ(row<PayloadRow>(id_of(first))->headers, R"({"Content-Type":"application/json"})");
  EXPECT_THAT(take("evt_2"), done());
  EXPECT_EQ(count(webhooks::kinds::received), 2U);
}

/// What watches an inbox counts its lists.
TEST_P(Webhooks, are_counted_by_list) {
  const auto sizes = [&] {
    std::map<std::string, std::uint64_t> found;
    const auto lists = harness().store().list_sizes("", WorkRow::space);
    for (const ListSize& each : *lists)
      found[each.parent.substr(0, each.parent.find(' '))] += each.rows;
    return found;
  };
  using Sizes = std::map<std::string, std::uint64_t>;
  EXPECT_EQ(sizes(), Sizes{});
  for (const char* id : {"evt_1", "evt_2", "evt_3"}) EXPECT_THAT(take(id), done());
  EXPECT_EQ(sizes(), (Sizes{{"work", 3}}));
  EXPECT_THAT(lease(2), done());
  EXPECT_EQ(sizes(), (Sizes{{"work", 1}, {"processing", 2}}));
  harness().reopen();
  EXPECT_EQ(sizes(), (Sizes{{"work", 1}, {"processing", 2}}));
  EXPECT_EQ(harness().store().list_sizes("default", WorkRow::space)->size(), 0U);
  EXPECT_EQ(harness().store().list_sizes("default", EntryRow::space)->size(), 1U);
}

TEST_P(Webhooks, are_duplicates_by_their_id_whatever_they_bring) {
  const Answer first = take("evt_1");
  EXPECT_THAT(take("evt_1", R"({"n":1,"attempt":2})"), replay_of(first));
  EXPECT_EQ(row<PayloadRow>(id_of(first))->body, R"({"n":1})");
}

/// Economy: another body under a known id went unnoticed.
TEST_P(Webhooks, that_say_what_their_bodies_are_collide_with_others_of_their_id) {
  const auto with = [&](const std::string& body) {
    Call call = webhook("evt_1", body);
    Receiving what = *call.command.as<Receiving>();
    what.body_sha256 = sha256(body).hex();
    call.command = Command(std::move(what));
    return harness().submit(std::move(call));
  };
  const Answer first = with(R"({"n":1})");
  EXPECT_THAT(first, done());
  EXPECT_THAT(with(R"({"n":1})"), replay_of(first));
  EXPECT_THAT(with(R"({"n":2})"), refused(Rejection::token_collision));
  const auto records = harness().store().records(0, 1000);
  EXPECT_EQ(records->back().kind, RecordKind::collided);
  EXPECT_EQ(records->back().ref, records->front().seq);
  EXPECT_NE(records->back().digest.hex(), records->front().digest.hex()) << "both are known";
  EXPECT_EQ(row<PayloadRow>(id_of(first))->body, R"({"n":1})");
  harness().reopen();
  EXPECT_THAT(with(R"({"n":1})"), replay_of(first));
  EXPECT_EQ(count(webhooks::kinds::received), 1U);
}

TEST_P(Webhooks, of_one_batch_with_one_id_are_taken_in_once) {
  std::vector<Call> calls;
  for (int i = 0; i < 50; ++i) calls.push_back(webhook("evt_1"));
  const auto answers = harness().submit(std::move(calls));
  for (const Answer& each : answers) EXPECT_EQ(each.document, answers.front().document);
  EXPECT_EQ(count(webhooks::kinds::received), 1U);
}

TEST_P(Webhooks, of_two_sources_are_apart) {
  const Answer one = take("evt_1");
  const Answer two = harness().submit(webhook("evt_1", "{}", source("shipping")));
  EXPECT_THAT(two, done());
  EXPECT_NE(id_of(one), id_of(two));
}

/// Economy: an id of an event that was equal to a key of a command was taken for it.
TEST_P(Webhooks, have_ids_that_no_key_can_be_equal_to) {
  const std::string id = "order-4711";
  const Hold hold = harness().must_place({.resource = "r", .requester = "q", .duration = 1h});
  EXPECT_THAT(harness().submit(release(hold.id, id)), done());
  EXPECT_THAT(take(id), done());
  EXPECT_THAT(harness().submit(release(hold.id, id)), done());  // its replay
  // Keys of HTTP are printable ASCII, and those in JSON are UTF-8.
  EXPECT_EQ(webhooks::event_token("payments", id).front(), '\xff');
}

TEST_P(Webhooks, keep_bodies_byte_for_byte) {
  std::string all;
  for (int i = 0; i < 256; ++i) all += static_cast<char>(i);
  const std::vector<std::string> bodies{
      "", all, "\xff\xfe", std::string("a\0b", 3), "\"\\ \xc3\xa9 \r\n", std::string(100'000, '"')};
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    const Answer answer = take("evt_" + std::to_string(i), bodies[i]);
    ASSERT_THAT(answer, done());
    harness().reopen();
    EXPECT_EQ(row<PayloadRow>(id_of(answer))->body, bodies[i]) << i;
  }
}

TEST_P(Webhooks, are_leased_and_completed_once) {
  const std::string id = id_of(take("evt_1"));
  const Answer leased = lease();
  EXPECT_THAT(leased.document, HasSubstr(R"("id":")" + id));
  EXPECT_THAT(lease().document, HasSubstr(R"("entries":[])"));
  EXPECT_THAT(run(InboxCompleting{.id = id, .fence = 2}), refused(Rejection::stale_fence));
  EXPECT_THAT(run(InboxCompleting{.id = id, .fence = 1, .result = R"({"invoice":7})"}), done());
  EXPECT_THAT(run(InboxCompleting{.id = id, .fence = 1}), refused(Rejection::inbox_entry_not_open));
  EXPECT_FALSE(work(id));
  EXPECT_FALSE(row<PayloadRow>(id));
  EXPECT_TRUE(row<EntryRow>(id)->done_at);
  EXPECT_EQ(row<EntryRow>(id)->result, R"({"invoice":7})");
  EXPECT_THAT(take("evt_1"), done());
  EXPECT_THAT(lease().document, HasSubstr(R"("entries":[])"));
}

/// Economy: an id that was claimed before its handler failed was dropped at every redelivery.
TEST_P(Webhooks, whose_handler_failed_once_are_handled_again) {
  const std::string id = id_of(take("evt_1"));
  lease();
  EXPECT_THAT(run(InboxFailing{.id = id, .fence = 1, .error = "no database"}), done());
  EXPECT_THAT(take("evt_1"), done());
  EXPECT_EQ(work(id)->lease.error, "no database");
  EXPECT_THAT(lease().document, HasSubstr(R"("entries":[])"));  // not before its pause is over
  harness().advance(1s);
  EXPECT_THAT(lease().document, HasSubstr(R"("attempt":2)"));
  EXPECT_THAT(run(InboxCompleting{.id = id, .fence = 2}), done());
  EXPECT_EQ(count(webhooks::kinds::completed), 1U);
}

TEST_P(Webhooks, that_fail_too_often_are_dead_and_have_a_way_back) {
  const std::string id = id_of(take("evt_1"));
  for (int i = 1; i <= 3; ++i) {
    EXPECT_THAT(lease().document, HasSubstr(id));
    EXPECT_THAT(run(InboxFailing{.id = id, .fence = i, .error = "no"}), done());
    harness().advance(1min);
  }
  EXPECT_EQ(work(id)->status(), webhooks::Status::dead);
  EXPECT_THAT(lease().document, HasSubstr(R"("entries":[])"));
  EXPECT_EQ(row<PayloadRow>(id)->body, R"({"n":1})");
  harness().reopen();
  EXPECT_THAT(run(InboxRetrying{.id = id}), done());
  EXPECT_THAT(lease().document, HasSubstr(R"("fence":4)"));
  EXPECT_THAT(run(InboxRetrying{.id = id}), refused(Rejection::inbox_entry_not_open));
  EXPECT_THAT(run(InboxCompleting{.id = id, .fence = 4}), done());
  EXPECT_THAT(run(InboxRetrying{.id = id}), refused(Rejection::inbox_entry_not_open));
}

TEST_P(Webhooks, of_lost_leases_are_tried_again_until_they_are_dead) {
  const std::string id = id_of(take("evt_1"));
  for (int i = 1; i <= 3; ++i) {
    EXPECT_THAT(lease().document, HasSubstr(id));
    harness().advance(30s);
    EXPECT_EQ(harness().sweep(), 1U);
    EXPECT_THAT(run(InboxCompleting{.id = id, .fence = i}), refused(Rejection::stale_fence));
    harness().advance(30s);
  }
  EXPECT_EQ(work(id)->status(), webhooks::Status::dead);
  EXPECT_EQ(count(webhooks::kinds::died), 1U);
}

TEST_P(Webhooks, that_have_to_wait_use_up_no_attempt) {
  const std::string id = id_of(take("evt_1"));
  for (int i = 1; i <= 10; ++i) {
    ASSERT_THAT(lease().document, HasSubstr(id));
    ASSERT_THAT(run(InboxFailing{.id = id, .fence = i, .verdict = "later"}), done());
    harness().advance(10s);
  }
  EXPECT_EQ(work(id)->lease.attempts, 0U);
  lease();
  EXPECT_THAT(run(InboxFailing{.id = id, .fence = 11, .verdict = "dead", .error = "no"}), done());
  EXPECT_EQ(work(id)->status(), webhooks::Status::dead);
  EXPECT_THAT(run(InboxFailing{.id = id, .fence = 11, .verdict = "what"}),
              invalid(Reason::verdict_unknown));
}

TEST_P(Webhooks, are_new_after_their_window_if_they_are_done_and_the_same_if_not) {
  const Answer first = take("evt_1");
  harness().at(start + 24h * 7);
  EXPECT_EQ(take("evt_1").document, first.document);
  EXPECT_EQ(count(webhooks::kinds::received), 1U);
  lease();
  EXPECT_THAT(run(InboxCompleting{.id = id_of(first), .fence = 1}), done());
  const Answer next = take("evt_1");
  EXPECT_THAT(next, done());
  EXPECT_NE(next.document, first.document);
  EXPECT_EQ(count(webhooks::kinds::received), 2U);
}

TEST_P(Webhooks, are_recognised_to_the_microsecond) {
  const std::string id = id_of(take("evt_1"));
  lease();
  EXPECT_THAT(run(InboxCompleting{.id = id, .fence = 1}), done());
  harness().at(start + 24h * 7 - 1us);
  EXPECT_EQ(id_of(take("evt_1")), id);
  harness().at(start + 24h * 7);
  EXPECT_NE(id_of(take("evt_1")), id);
}

TEST_P(Webhooks, are_nobody_elses) {
  const std::string id = id_of(take("evt_1"));
  const Caller stranger{"acme", "alice"};
  EXPECT_THAT(run(InboxLeasing{.kinds = {"invoices"}}, stranger).document,
              HasSubstr(R"("entries":[])"));
  lease();
  EXPECT_THAT(run(InboxCompleting{.id = id, .fence = 1}, stranger),
              refused(Rejection::inbox_entry_not_known));
  EXPECT_THAT(run(InboxRetrying{.id = id}, stranger), refused(Rejection::inbox_entry_not_known));
}

TEST_P(Webhooks, that_nobody_found_genuine_are_not_taken_in) {
  Call undeclared = webhook("evt_1");
  Receiving what = *undeclared.command.as<Receiving>();
  what.declared = nullptr;
  undeclared.command = Command(what);
  EXPECT_THAT(harness().submit(std::move(undeclared)), invalid(Reason::webhook_text));
  Call key_of_ones_own = webhook("evt_2");
  key_of_ones_own.token = Token("mine");
  EXPECT_THAT(harness().submit(std::move(key_of_ones_own)), invalid(Reason::webhook_text));
  EXPECT_THAT(take("evt_1"), done());
  EXPECT_EQ(count(webhooks::kinds::received), 1U);
}

TEST_P(Webhooks, leave_a_clean_journal) {
  for (int i = 0; i < 5; ++i) take("evt_" + std::to_string(i));
  lease(2);
  harness().advance(1min);
  harness().sweep();
  harness().advance(1min);
  lease(10);
  EXPECT_THAT(harness().violations(), testing::IsEmpty());
}

}  // namespace
}  // namespace holdfast::test

// What becomes of subscriptions, whichever store it is: who serves them, how far they have come,
// what happens when a receiver fails. Nothing is sent here: tests/deliveries does that.

#include <gmock/gmock.h>

#include "holdfast/subscriptions.hpp"
#include "modules/subscriptions/subscription_row.hpp"
#include "support/stores/store_test.hpp"

namespace holdfast::test {
namespace {

using subscriptions::SubscriptionRow;
using testing::IsEmpty;

const Subscribing to_hook{.url = "https://example.com/hook", .events = {"hold."}};

class Subscriptions : public StoreTest {
 protected:
  template <typename P>
  Answer run(P parameters, const std::string& tenant = "default") {
    return run_as(std::move(parameters), harness().next_token(), tenant);
  }

  template <typename P>
  Answer run_as(P parameters, std::string token, const std::string& tenant = "default") {
    return harness().submit({.command = Command(std::move(parameters)),
                             .token = Token(std::move(token)),
                             .caller = {.tenant = tenant}});
  }

  static std::string id_in(const Answer& answer) {
    const auto row = SubscriptionRow::read(answer.document);
    EXPECT_TRUE(row) << words(answer);
    return row ? row->id : std::string();
  }

  std::string subscribed() { return id_in(run(to_hook)); }

  /// As the store shows it; nothing if it has none.
  std::optional<SubscriptionRow> find(const std::string& id) {
    const auto page = harness().store().rows(SubscriptionRow::tenant_of_list,
                                             {.space = SubscriptionRow::space, .key = id});
    EXPECT_TRUE(page) << page.error().message;
    if (page->items.empty()) return std::nullopt;
    return *row_of<SubscriptionRow>(&page->items.front().row);
  }

  SubscriptionRow row(const std::string& id) { return find(id).value_or(SubscriptionRow{}); }

  /// Somebody serves it; the fence.
  std::int64_t serve(const std::string& id) {
    EXPECT_THAT(run(Serving{.id = id}), testing::AllOf(done(), first()));
    return static_cast<std::int64_t>(row(id).fence);
  }

  Answer advance(const std::string& id, std::int64_t fence, std::int64_t cursor,
                 const std::string& verdict) {
    return run(Advancing{
        .id = id, .fence = fence, .cursor = cursor, .verdict = verdict, .error = "it said 500"});
  }

  /// One attempt that came to nothing.
  void fail(const std::string& id) { EXPECT_THAT(advance(id, serve(id), 0, "failed"), done()); }

  static std::string text_of(const SubscriptionRow& what) {
    std::string text;
    JsonWriter json(text);
    what.write(json);
    return text;
  }
};
HOLDFAST_ON_EVERY_STORE(Subscriptions);

/// SUB-1
TEST_P(Subscriptions, are_made_once_for_a_token) {
  const Answer made = run_as(to_hook, "s");
  EXPECT_THAT(made, testing::AllOf(done(), first()));
  EXPECT_THAT(run_as(to_hook, "s"), replay_of(made));
  EXPECT_THAT(run_as(Subscribing{.url = "https://example.com/other"}, "s"),
              refused(Rejection::token_collision));
  const SubscriptionRow kept = row(id_in(made));
  EXPECT_EQ(kept.url, to_hook.url);
  EXPECT_EQ(kept.events, to_hook.events);
  EXPECT_EQ(kept.cursor, kept.made_seq);  // it begins with what comes after it
  EXPECT_NE(id_in(run_as(to_hook, "s", "acme")), kept.id);
}

/// SUB-1: the token is forgotten, and the subscription is not.
TEST_P(Subscriptions, made_with_a_token_that_was_forgotten_are_others) {
  const std::string before = id_in(run_as(to_hook, "s"));
  harness().advance(harness().rules().window);
  const std::string after = id_in(run_as(to_hook, "s"));
  EXPECT_NE(before, after);
  EXPECT_TRUE(find(before));
  EXPECT_TRUE(find(after));
}

/// SUB-1
TEST_P(Subscriptions, that_are_not_there_cannot_be_changed) {
  const std::string id = subscribed();
  EXPECT_THAT(run(Unsubscribing{.id = id}, "acme"), refused(Rejection::subscription_not_known));
  EXPECT_THAT(run(Unsubscribing{.id = id}), done());
  EXPECT_FALSE(find(id));
  const auto not_known = refused(Rejection::subscription_not_known);
  EXPECT_THAT(run(Unsubscribing{.id = id}), not_known);
  EXPECT_THAT(run(Resending{.id = id}), not_known);
  EXPECT_THAT(run(RotatingSecret{.id = id}), not_known);
  EXPECT_THAT(run(Serving{.id = id}), not_known);
  EXPECT_THAT(advance(id, 1, 1, "done"), not_known);
}

TEST_P(Subscriptions, go_to_urls_of_the_web_only) {
  for (const char* url : {"ftp://example.com", "example.com/hook", "https://example.com/a b", ""})
    EXPECT_THAT(run(Subscribing{.url = url}), invalid(Reason::url_invalid)) << url;
}

/// SUB-2
TEST_P(Subscriptions, go_forward_until_somebody_asks_for_events_again) {
  const std::string id = subscribed();
  for (int i = 0; i < 5; ++i)
    (void)harness().must_place(
        {.resource = "r" + std::to_string(i), .requester = "q", .duration = 1h});
  const std::int64_t fence = serve(id);
  EXPECT_THAT(advance(id, fence, 4, "on"), done());
  EXPECT_THAT(advance(id, fence, 2, "on"), done());
  EXPECT_EQ(row(id).cursor, 4U);
  EXPECT_THAT(advance(id, fence, 1000, "on"), done());  // there are no such records
  EXPECT_EQ(row(id).cursor, harness().records());
  EXPECT_THAT(run(Resending{.id = id, .after = 1}), done());
  EXPECT_EQ(row(id).cursor, 1U);
  EXPECT_THAT(run(Resending{.id = id, .after = 1000}), done());
  EXPECT_EQ(row(id).cursor, harness().records());
}

/// SUB-3
TEST_P(Subscriptions, are_served_by_one_at_a_time) {
  const std::string id = subscribed();
  EXPECT_EQ(serve(id), 1);
  const Answer other = run(Serving{.id = id});
  EXPECT_THAT(other, done());
  EXPECT_THAT(other, token_unused());
  EXPECT_THAT(other.document, IsEmpty());
  EXPECT_THAT(advance(id, 1, 0, "done"), done());
  EXPECT_EQ(serve(id), 2);
  EXPECT_THAT(advance(id, 1, 0, "done"), refused(Rejection::stale_fence));
  harness().advance(30s);  // whoever has it says nothing any more
  EXPECT_EQ(serve(id), 3);
  EXPECT_THAT(advance(id, 2, 0, "failed"), refused(Rejection::stale_fence));
  EXPECT_EQ(row(id).failures, 0U);
}

/// SUB-3
TEST_P(Subscriptions, that_are_replayed_are_taken_from_who_serves_them) {
  const std::string id = subscribed();
  const std::int64_t fence = serve(id);
  EXPECT_THAT(run(Resending{.id = id}), done());
  EXPECT_THAT(advance(id, fence, 1, "done"), refused(Rejection::stale_fence));
  EXPECT_EQ(serve(id), fence + 2);
}

TEST_P(Subscriptions, that_fail_are_tried_again_after_pauses_that_double_up_to_an_hour) {
  const std::string id = subscribed();
  Duration pause = 1s;
  for (int i = 1; i <= 14; ++i) {
    fail(id);
    EXPECT_EQ(row(id).next_at, harness().now() + pause) << i;
    EXPECT_EQ(row(id).error, "it said 500");
    harness().advance(pause - 1us);
    EXPECT_THAT(run(Serving{.id = id}), token_unused());
    harness().advance(1us);
    pause = std::min<Duration>(2 * pause, 1h);
  }
  EXPECT_THAT(advance(id, serve(id), 0, "done"), done());
  EXPECT_EQ(row(id).failures, 0U);
  EXPECT_THAT(row(id).error, IsEmpty());
  fail(id);
  EXPECT_EQ(row(id).next_at, harness().now() + 1s);  // it counts anew
}

TEST_P(Subscriptions, that_fail_for_three_days_are_disabled_until_somebody_asks_again) {
  const std::string id = subscribed();
  fail(id);
  harness().advance(72h - 1us);
  fail(id);
  EXPECT_FALSE(row(id).disabled);
  harness().advance(1h);
  fail(id);
  EXPECT_TRUE(row(id).disabled);
  EXPECT_EQ(row(id).reason, "failing");
  harness().advance(24h);
  EXPECT_THAT(run(Serving{.id = id}), token_unused());
  EXPECT_THAT(run(Resending{.id = id, .after = 1}), done());
  EXPECT_FALSE(row(id).disabled);
  EXPECT_EQ(serve(id), 5);
}

TEST_P(Subscriptions, whose_receiver_is_gone_are_disabled_at_once) {
  const std::string id = subscribed();
  EXPECT_THAT(advance(id, serve(id), 1, "gone"), done());
  EXPECT_TRUE(row(id).disabled);
  EXPECT_EQ(row(id).reason, "gone");
  EXPECT_THAT(run(RotatingSecret{.id = id}), done());  // it is there all the same
  EXPECT_EQ(row(id).secret, 2U);
}

TEST_P(Subscriptions, are_what_they_were_when_the_store_is_opened_again) {
  if (!harness().persistent()) GTEST_SKIP() << "nobody finds it again";
  const std::string id = subscribed();
  fail(id);
  const std::string before = text_of(row(id));
  const HashKey secret = harness().store().rules().confirmation_secret;
  EXPECT_NE(secret, HashKey{});
  harness().reopen();
  EXPECT_EQ(text_of(row(id)), before);
  EXPECT_EQ(harness().store().rules().confirmation_secret, secret) << "webhooks are signed with it";
  EXPECT_THAT(run(Serving{.id = id}), token_unused());
  harness().advance(1s);
  EXPECT_EQ(serve(id), 2);
}

TEST(SubscriptionRows, do_not_want_what_is_said_of_subscriptions) {
  SubscriptionRow all;
  EXPECT_TRUE(all.wants("hold.placed"));
  EXPECT_FALSE(all.wants("subscription.leased"));
  SubscriptionRow some;
  some.events = {"hold.", "command.settled"};
  EXPECT_TRUE(some.wants("hold.released"));
  EXPECT_TRUE(some.wants("command.settled"));
  EXPECT_FALSE(some.wants("command.submitted"));
}

}  // namespace
}  // namespace holdfast::test

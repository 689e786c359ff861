// What a program that links the library sees: open, submit in every form, read.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>

#include "holdfast/holdfast.hpp"
#include "support/journals/audit.hpp"
#include "support/stores/service_test.hpp"

namespace holdfast::test {
namespace {

class PublicApi : public ::testing::TestWithParam<std::string> {
 protected:
  Options options() {
    Options wanted;
    wanted.store = place_.name();
    wanted.clock = place_.clock();
    wanted.random = seeded_random(1);
    wanted.sweep_every = Duration::zero();
    return wanted;
  }

  Holdfast& open(std::optional<Options> wanted = {}) {
    auto opened = holdfast::open(wanted.value_or(options()));
    if (!opened) ADD_FAILURE() << opened.error().message;
    holdfast_.emplace(std::move(*opened));
    return *holdfast_;
  }
  void close() { holdfast_.reset(); }
  SettableClock& clock() { return *place_.clock(); }
  bool persistent() const { return place_.persistent(); }

  /// The public surface shows no records, so only a store that is kept can be audited.
  void TearDown() override {
    close();
    if (!persistent() || !std::filesystem::exists(place_.name())) return;
    auto reader = read_records(place_.name());
    ASSERT_TRUE(reader) << reader.error().message;
    std::vector<Record> all;
    std::vector<Record> some;
    do {
      ASSERT_TRUE((*reader)->read(all.empty() ? 0 : all.back().seq, 1000, some));
      all.insert(all.end(), some.begin(), some.end());
    } while (!some.empty());
    EXPECT_THAT(violations(all, (*reader)->rules()), ::testing::IsEmpty());
    EXPECT_THAT((*reader)->broken(), ::testing::IsEmpty());
  }

 private:
  StoreUnderTest place_{GetParam(), Rules{}};
  std::optional<Holdfast> holdfast_;
};
HOLDFAST_ON_EVERY_STORE(PublicApi);

TEST_P(PublicApi, the_life_of_a_hold_in_five_lines) {
  Holdfast& rooms = open();
  const Token token = Token::fresh();
  const Answer held = rooms.place(room, token);
  ASSERT_TRUE(held) << held.text();
  EXPECT_TRUE(rooms.confirm(held.hold->id, Token::fresh()));
  EXPECT_THAT(rooms.place(room, token), replay_of(held));
  EXPECT_EQ((*rooms.hold(held.hold->id))->hold.state, HoldState::confirmed);
}

TEST_P(PublicApi, every_operation_has_its_shorthand) {
  Holdfast& rooms = open();
  EXPECT_TRUE(rooms.declare("seats", 3, Token("d")));
  const Answer a =
      rooms.place({.resource = "seats", .requester = "g", .duration = 1min}, Token("a"));
  const Answer b =
      rooms.place({.resource = "seats", .requester = "g", .duration = 1min}, Token("b"));
  const Answer c =
      rooms.place({.resource = "seats", .requester = "g", .duration = 1min}, Token("c"));
  EXPECT_TRUE(rooms.confirm(a.hold->id, Token("ca")));
  EXPECT_TRUE(rooms.release(b.hold->id, Token("rb")));
  EXPECT_THAT(rooms.expire(c.hold->id, Token("ec")), refused(Rejection::window_not_elapsed));
  clock().advance(1min);
  EXPECT_TRUE(rooms.expire(c.hold->id, Token("ec2")));
  EXPECT_EQ(rooms.resource("seats")->in_use, 1);
}

TEST_P(PublicApi, futures_callbacks_and_batches_answer_alike) {
  Holdfast& rooms = open();
  const Answer waited = rooms.submit(place(room, "t"));
  EXPECT_THAT(rooms.submit_async(place(room, "t")).get(), replay_of(waited));
  std::promise<Answer> told;
  rooms.submit(place(room, "t"), [&](Answer answer) { told.set_value(std::move(answer)); });
  EXPECT_THAT(told.get_future().get(), replay_of(waited));
  const auto answers =
      rooms.submit(std::vector<Call>{place(room, "t"), confirm(waited.hold->id, "c")});
  ASSERT_EQ(answers.size(), 2U);
  EXPECT_THAT(answers[0], replay_of(waited));
  EXPECT_THAT(answers[1], done());
}

TEST_P(PublicApi, a_batch_is_answered_in_its_own_order_each_call_after_the_one_before) {
  Holdfast& rooms = open();
  const auto answers = rooms.submit(std::vector<Call>{
      place(room, "a"), place(room, "b"), place(room, "a"), place(room, std::string(257, 'x'))});
  ASSERT_EQ(answers.size(), 4U);
  EXPECT_THAT(answers[0], first());
  EXPECT_THAT(answers[1], refused(Rejection::resource_unavailable));
  EXPECT_THAT(answers[2], replay_of(answers[0]));
  EXPECT_THAT(answers[3], invalid(Reason::token_size));
  EXPECT_TRUE(rooms.submit(std::vector<Call>{}).empty());
}

TEST_P(PublicApi, a_batch_longer_than_the_queue_is_taken_all_the_same) {
  Options narrow = options();
  narrow.queue_max = 3;
  Holdfast& rooms = open(narrow);
  std::vector<Call> calls;
  for (int i = 0; i < 300; ++i) {
    const std::string number = std::to_string(i);
    calls.push_back(place({.resource = number, .requester = "g", .duration = 1h}, number));
  }
  for (const Answer& each : rooms.submit(calls)) EXPECT_THAT(each, first());
}

TEST_P(PublicApi, a_callback_is_called_exactly_once_for_each_call) {
  std::atomic<int> called = 0;
  {
    Holdfast& rooms = open();
    for (int i = 0; i < 500; ++i) {
      rooms.submit(place(room, std::to_string(i % 50)), [&](const Answer&) { ++called; });
    }
    rooms.submit(place(room, ""), [&](const Answer&) { ++called; });
    close();
  }
  EXPECT_EQ(called.load(), 501) << "closing finishes what was accepted";
}

TEST_P(PublicApi, 64_threads_with_one_token_share_one_hold) {
  Holdfast& rooms = open();
  std::vector<Answer> answers(64);
  on_threads(64, [&](std::size_t i) { answers[i] = rooms.place(room, Token("t")); });
  std::size_t firsts = 0;
  for (const Answer& answer : answers) {
    EXPECT_EQ(words(answer), words(answers.front()));
    firsts += answer.replayed ? 0U : 1U;
  }
  EXPECT_EQ(firsts, 1U);
  EXPECT_EQ(rooms.counts().holds, 1U);
}

TEST_P(PublicApi, reads_take_no_token_and_see_what_is_durable) {
  Holdfast& rooms = open();
  const Answer held = rooms.place(room, Token("t"));
  EXPECT_EQ((*rooms.hold(held.hold->id))->token, "t");
  EXPECT_FALSE(*rooms.hold(held.hold->id, "acme"));
  EXPECT_EQ(rooms.holds({})->items.size(), 1U);
  EXPECT_EQ(words((*rooms.token(Token("t")))->answer), words(held));
  EXPECT_FALSE(*rooms.token(Token("u")));
  EXPECT_EQ(rooms.resource("room_307")->in_use, 1);
  EXPECT_EQ(rooms.resources()->items.size(), 1U);
  EXPECT_EQ(rooms.counts().live_tokens, 1U);
  HoldQuery query;
  query.cursor = "!";
  EXPECT_FALSE(rooms.holds(query));
}

TEST_P(PublicApi, a_token_looked_up_tells_who_used_it_and_for_what) {
  Holdfast& rooms = open();
  const Call call = place(room, "t", {.tenant = "default", .principal = "alice"});
  const Answer held = rooms.submit(call);
  const TokenResult result = **rooms.token(Token("t"));
  EXPECT_EQ(result.principal, "alice");
  EXPECT_EQ(result.recorded_at, start);
  EXPECT_EQ(result.digest.size(), 64U);
  EXPECT_EQ(result.answer.operation, Operation::hold_place);
  EXPECT_EQ(result.answer.hold, held.hold);
  clock().advance(24h);
  EXPECT_FALSE(*rooms.token(Token("t")));
}

TEST_P(PublicApi, the_window_is_a_day_unless_asked_for_otherwise) {
  EXPECT_EQ(open().window(), 24h);
  close();
  Options wanted = options();
  if (persistent()) {
    wanted.window = 1h;
    const auto refused_open = holdfast::open(wanted);
    ASSERT_FALSE(refused_open) << "a store keeps its window";
    EXPECT_FALSE(refused_open.error().message.empty());
    wanted.window = 24h;
    EXPECT_EQ(open(wanted).window(), 24h);
  } else {
    wanted.window = 1h;
    EXPECT_EQ(open(wanted).window(), 1h);
  }
}

TEST_P(PublicApi, a_store_that_is_kept_is_found_again) {
  const Answer held = open().place(room, Token("t"));
  close();
  Holdfast& again = open();
  if (!persistent()) {
    EXPECT_EQ(again.counts().holds, 0U);
    return;
  }
  EXPECT_THAT(again.place(room, Token("t")), replay_of(held));
  EXPECT_TRUE(again.confirm(held.hold->id, Token("c")));
}

TEST_P(PublicApi, options_that_make_no_sense_are_refused_with_a_reason) {
  const std::vector<std::function<void(Options&)>> mistakes{
      [](Options& o) { o.window = Duration(0); },
      [](Options& o) { o.window = Duration(-1); },
      [](Options& o) { o.token_bytes_max = 0; },
      [](Options& o) { o.token_bytes_max = 65537; },
      [](Options& o) { o.confirmation_lifetime = Duration(0); },
      [](Options& o) { o.duration_min = Duration(0); },
      [](Options& o) { o.duration_max = Duration(0); },
      [](Options& o) { o.queue_max = 0; },
      [](Options& o) { o.batch_max = 0; },
      [](Options& o) { o.sweep_every = Duration(-1); },
      [](Options& o) { o.clock = nullptr; },
      [](Options& o) { o.random = nullptr; },
      [](Options& o) { o.store = ""; },
      [](Options& o) { o.policies[Operation::hold_place].window = Duration(0); },
      [](Options& o) { o.policies[Operation::hold_place].overlap_wait = Duration(-1); }};
  for (std::size_t i = 0; i < mistakes.size(); ++i) {
    Options wrong = options();
    mistakes[i](wrong);
    const auto opened = holdfast::open(std::move(wrong));
    ASSERT_FALSE(opened) << i;
    EXPECT_FALSE(opened.error().message.empty()) << i;
  }
}

TEST_P(PublicApi, policies_are_chosen_at_opening) {
  Options wanted = options();
  wanted.policies[Operation::hold_place].on_reject = OnReject::release;
  Holdfast& rooms = open(wanted);
  const Answer held = rooms.place(room, Token("t"));
  EXPECT_THAT(rooms.place(room, Token("u")), token_unused());
  EXPECT_TRUE(rooms.release(held.hold->id, Token("r")));
  EXPECT_TRUE(rooms.place(room, Token("u")));
}

TEST_P(PublicApi, confirmation_codes_are_good_for_as_long_as_their_secret_is) {
  Options wanted = options();
  wanted.policies[Operation::hold_place].confirmation = Confirmation::required;
  Call call = place(room, "t");
  call.confirmation = open(wanted).submit(call).confirmation;
  EXPECT_FALSE(call.confirmation.empty());
  close();
  wanted.random = seeded_random(2);
  Holdfast& other = open(wanted);
  if (GetParam() != "memory") {
    EXPECT_THAT(other.submit(call), done()) << "the secret is the store's";
    return;
  }
  EXPECT_THAT(other.submit(call), refused(Rejection::confirmation_required))
      << "a code is good for the opening that gave it";
  call.confirmation = other.submit(call).confirmation;
  EXPECT_THAT(other.submit(call), done());
}

TEST_P(PublicApi, a_call_that_names_no_operation_is_refused) {
  Holdfast& rooms = open();
  EXPECT_THAT(rooms.submit(Call{}), refused(Rejection::invalid_request));
  Call foreign = place(room, "t");
  foreign.command = Command(Operation{operation_limit - 1}, std::make_shared<const Placing>());
  EXPECT_THAT(rooms.submit(foreign), refused(Rejection::invalid_request));
  EXPECT_EQ(rooms.counts().records, 0U);
}

TEST_P(PublicApi, can_be_moved_while_in_use) {
  Holdfast& rooms = open();
  const Answer held = rooms.place(room, Token("t"));
  Holdfast moved = std::move(rooms);
  EXPECT_THAT(moved.place(room, Token("t")), replay_of(held));
  EXPECT_EQ(moved.sweep(), 0U);
}

}  // namespace
}  // namespace holdfast::test

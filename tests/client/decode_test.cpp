// Every body the engine writes, read back.

#include "client/decode.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/calls.hpp"
#include "wire/body.hpp"

namespace holdfast::client {
namespace {

using namespace std::chrono_literals;
using test::start;

Hold hold_in(HoldState state) {
  Hold hold{.id = {0x2a, 0x0f3c9d1e5b7a842},
            .resource = "r\u00f6\u00f6m \"307\"\n",
            .requester = "guest\\g91",
            .quantity = quantity_max,
            .state = state,
            .placed_at = start + 1us,
            .expires_at = start + 24h,
            .resolved_at = std::nullopt};
  if (state != HoldState::held) hold.resolved_at = start + 5min;
  return hold;
}

template <typename Write, typename Decode>
auto read_back(const Write& write, const Decode& decode) {
  std::string body;
  JsonWriter json(body);
  write(json);
  const Document document(body);
  EXPECT_TRUE(document.root()) << body;
  return decode(*document.root());
}

TEST(Decoding, GivesHoldsBack) {
  for (const HoldState state :
       {HoldState::held, HoldState::confirmed, HoldState::released, HoldState::expired}) {
    const Hold hold = hold_in(state);
    EXPECT_EQ(read_back([&](JsonWriter& json) { write_hold(json, hold); }, decode_hold), hold);
  }
}

TEST(Decoding, GivesDetailsBack) {
  for (const char* token : {"t1", "\xff\x01 not UTF-8", ""}) {
    const HoldDetails details{.hold = hold_in(HoldState::held), .token = token, .lapsed = true};
    const auto decoded = read_back([&](JsonWriter& json) { write_hold_details(json, details); },
                                   decode_hold_details);
    ASSERT_TRUE(decoded);
    EXPECT_EQ(decoded->hold, details.hold);
    EXPECT_EQ(decoded->token, details.token);
    EXPECT_TRUE(decoded->lapsed);
  }
}

TEST(Decoding, GivesResourcesBack) {
  const Resource resource{.name = "flight", .capacity = 180, .in_use = 7, .declared = true};
  EXPECT_EQ(read_back([&](JsonWriter& json) { write_resource(json, resource); }, decode_resource),
            resource);
}

TEST(Decoding, GivesPagesBack) {
  const auto page = [](std::string_view text) {
    const Document document(text);
    return decode_resources(*document.root());
  };
  const auto some =
      page(R"({"items":[{"name":"a","capacity":1,"declared":false,"in_use":1}],"next":"c"})");
  ASSERT_TRUE(some);
  EXPECT_THAT(some->items, testing::SizeIs(1));
  EXPECT_EQ(some->next, "c");
  const auto last = page(R"({"items":[],"next":null})");
  ASSERT_TRUE(last);
  EXPECT_EQ(last->next, "");
  EXPECT_FALSE(page(R"({"items":[{"name":"a"}],"next":null})"));
  EXPECT_FALSE(page(R"({"next":null})"));
}

/// What an answer says beyond its body is not the body's to tell.
std::optional<Answer> decoded(const Answer& answer) {
  const Document document(answer_body(answer));
  const HoldId id = answer.hold ? answer.hold->id : HoldId{};
  return answer.ok() ? decode_done(answer.operation, *document.root())
                     : decode_rejection(answer.operation, id, *document.root());
}

TEST(Decoding, GivesSuccessBack) {
  for (const Operation operation : {Operation::hold_place, Operation::hold_confirm,
                                    Operation::hold_release, Operation::hold_expire}) {
    Answer answer;
    answer.operation = operation;
    answer.hold = hold_in(HoldState::confirmed);
    answer.recorded = true;
    const auto again = decoded(answer);
    ASSERT_TRUE(again);
    EXPECT_EQ(test::words(*again), test::words(answer));
  }
  Answer declared;
  declared.operation = Operation::resource_declare;
  declared.resource = Resource{.name = "r", .capacity = 4, .in_use = 0, .declared = true};
  declared.recorded = true;
  const auto again = decoded(declared);
  ASSERT_TRUE(again);
  EXPECT_EQ(test::words(*again), test::words(declared));
}

TEST(Decoding, GivesEveryRejectionOfTheEngineBack) {
  for (const RejectionRow& each : rejection_table) {
    Answer answer;
    answer.operation = Operation::hold_confirm;
    answer.rejection = each.id;
    answer.recorded = each.recorded == Recorded::by_policy;
    answer.effect = effect_of(each.id).value_or(Effect::none);
    if (each.id == Rejection::not_held) {
      answer.hold = Hold{};
      answer.hold->id = {1, 2};
      answer.hold->state = HoldState::released;
    }
    if (each.id == Rejection::store_unavailable) {
      answer.note = "the disk is full";
      answer.effect = Effect::unknown;
    }
    if (each.id == Rejection::confirmation_required) {
      answer.confirmation = "c0de";
      answer.confirmation_expires = start;
    }
    const auto again = decoded(answer);
    const bool of_engine =
        each.id < Rejection::malformed_request || each.id > Rejection::method_not_allowed;
    ASSERT_EQ(again.has_value(), of_engine) << each.name;
    if (!again) continue;
    EXPECT_EQ(test::words(*again), test::words(answer));
    EXPECT_EQ(answer_body(*again), answer_body(answer));
    EXPECT_EQ(again->token_action(), answer.token_action()) << each.name;
    EXPECT_EQ(again->effect, answer.effect) << each.name;
  }
}

TEST(Decoding, GivesEveryReasonBack) {
  for (const ReasonRow& each : reason_table) {
    Answer answer;
    answer.operation = Operation::hold_place;
    answer.rejection = Rejection::invalid_request;
    answer.reason = each.id;
    answer.recorded = true;
    const auto again = decoded(answer);
    ASSERT_TRUE(again);
    EXPECT_EQ(again->reason, each.id);
    EXPECT_EQ(answer_body(*again), answer_body(answer));
  }
}

/// Programs go by names; words are for people, and may be others tomorrow.
TEST(Decoding, FindsReasonAndEffectWhateverTheWords) {
  const Document invalid(R"({"code":"invalid-request","detail":"La dur\u00e9e est trop longue.",)"
                         R"("reason":"duration-bounds","token_action":"new"})");
  const auto refused = decode_rejection(Operation::hold_place, {}, *invalid.root());
  ASSERT_TRUE(refused);
  EXPECT_EQ(refused->reason, Reason::duration_bounds);
  const Document unnamed(
      fmt::format(R"({{"code":"invalid-request","detail":"{}","token_action":"new"}})",
                  row(Reason::duration_bounds).text));
  EXPECT_EQ(decode_rejection(Operation::hold_place, {}, *unnamed.root())->reason, Reason::none);
  const auto effect_told = [](const std::string& member) {
    const Document down(R"({"code":"store-unavailable","detail":"D.")" + member + "}");
    return decode_rejection(Operation::hold_place, {}, *down.root())->effect;
  };
  EXPECT_EQ(effect_told(R"(,"effect":"none")"), Effect::none);
  EXPECT_EQ(effect_told(R"(,"effect":"unknown")"), Effect::unknown);
  EXPECT_EQ(effect_told(R"(,"effect":7)"), Effect::unknown) << "nothing that is known";
  EXPECT_EQ(effect_told(""), Effect::unknown);
}

/// What got an outcome has none to guess: it says what happened.
TEST(Decoding, EffectIsSaidOfWhatIsNeverRecordedOnly) {
  for (const RejectionRow& each : rejection_table) {
    Answer answer;
    answer.rejection = each.id;
    const Document document(answer_body(answer));
    const bool said = document.root()->text("effect").has_value();
    EXPECT_EQ(said, each.recorded == Recorded::never) << each.name;
    EXPECT_EQ(decode_trouble(each.http_status, document.root()).effect.has_value(), said);
  }
}

TEST(Decoding, GivesTokenResultsBack) {
  TokenResult result{.answer = {}, .principal = "p", .digest = "d1", .recorded_at = start};
  result.answer.operation = Operation::hold_place;
  result.answer.token = "\xff";
  result.answer.recorded = true;
  result.answer.hold = hold_in(HoldState::held);
  result.answer.token_expires = start + 24h;
  const auto again = [&] {
    return read_back([&](JsonWriter& json) { write_token_result(json, result); },
                     decode_token_result);
  };
  ASSERT_TRUE(again());
  EXPECT_EQ(test::words(again()->answer), test::words(result.answer));
  EXPECT_EQ(again()->principal, "p");
  EXPECT_EQ(again()->digest, "d1");
  EXPECT_EQ(again()->recorded_at, start);
  result.answer.hold.reset();
  result.answer.rejection = Rejection::resource_unavailable;
  result.answer.token_expires = never;
  ASSERT_TRUE(again());
  EXPECT_EQ(test::words(again()->answer), test::words(result.answer));
}

TEST(Decoding, BelievesNothingElse) {
  for (
      const char* text :
      {"", "{", "[]", "null", "7", R"("x")", "{}", R"({"id":7})", R"({"id":"h1"})",
       R"({"id":"h1-4c1f0a9be2d7731","resource":"r","requester":"q","quantity":1,)"
       R"("state":"confirmed","placed_at":"2026-01-02T03:04:05Z","expires_at":"2026-01-02T03:04:06Z"})",
       R"({"id":"h1-4c1f0a9be2d7731","resource":"r","requester":"q","quantity":"1",)"
       R"("state":"held","placed_at":"2026-01-02T03:04:05Z","expires_at":"2026-01-02T03:04:06Z"})",
       R"({"id":"h1-4c1f0a9be2d7731","resource":"r","requester":"q","quantity":1,)"
       R"("state":"held","placed_at":"yesterday","expires_at":"2026-01-02T03:04:06Z"})"}) {
    const Document document(text);
    if (!document.root()) continue;
    EXPECT_FALSE(decode_hold(*document.root())) << text;
    EXPECT_FALSE(decode_resource(*document.root())) << text;
    EXPECT_FALSE(decode_token_result(*document.root())) << text;
    EXPECT_FALSE(decode_holds(*document.root())) << text;
    EXPECT_FALSE(decode_rejection(Operation::hold_place, {}, *document.root())) << text;
  }
}

TEST(Troubles, AreFilledInFromTheStatus) {
  const Trouble bare = decode_trouble(502, std::nullopt);
  EXPECT_TRUE(bare.retryable);
  EXPECT_EQ(bare.text(), "502 unexplained: The server did not say why.");
  EXPECT_FALSE(decode_trouble(404, std::nullopt).retryable);
  const Document foreign(R"({"title":"Not here"})");
  EXPECT_EQ(decode_trouble(404, foreign.root()).detail, "Not here");
  const Document ours(
      R"({"code":"throttled","detail":"D.","retryable":true,"token_action":"reuse","request_id":"7"})");
  const Trouble told = decode_trouble(429, ours.root());
  EXPECT_EQ(told.text(), "429 throttled: D.");
  EXPECT_EQ(told.request_id, "7");
}

}  // namespace
}  // namespace holdfast::client

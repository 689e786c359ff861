#include "holdfast/types.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <limits>
#include <set>

namespace holdfast {
namespace {

TEST(HoldIds, are_written_as_documented_and_read_back) {
  EXPECT_EQ((HoldId{0x2a, 0x0f3c9d1e5b7a842}.text()), "h2a-0f3c9d1e5b7a842");
  EXPECT_EQ((HoldId{0, 0}.text()), "h0-000000000000000");
  EXPECT_EQ((HoldId{UINT64_MAX, UINT64_MAX}.text()), "hffffffffffffffff-ffffffffffffffff");
  EXPECT_EQ((HoldId{1, 0}.text()), "h1-000000000000000");
  for (const HoldId id : {HoldId{1, 0}, HoldId{0x2a, 0x0f3c9d1e5b7a842},
                          HoldId{std::numeric_limits<std::int64_t>::max(), (1ULL << 60) - 1}}) {
    EXPECT_EQ(HoldId::parse(id.text()), id);
  }
}

TEST(HoldIds, have_one_spelling) {
  for (const std::string_view text : {"",
                                      "h",
                                      "h-",
                                      "h1",
                                      "h1-",
                                      "-000000000000000",
                                      "h-000000000000000",
                                      "h0-000000000000000",
                                      "h01-000000000000000",
                                      "H1-000000000000000",
                                      "h1-00000000000000",
                                      "h1-0000000000000000",
                                      "h1-00000000000000G",
                                      "h1-00000000000000A",
                                      "h1_000000000000000",
                                      "h1-000000000000000 ",
                                      " h1-000000000000000",
                                      "hg-000000000000000",
                                      "h1--00000000000000",
                                      "h+1-000000000000000",
                                      "h8000000000000000-000000000000000",
                                      "h10000000000000000-000000000000000"}) {
    EXPECT_FALSE(HoldId::parse(text)) << text;
  }
}

TEST(Tokens, that_are_fresh_are_32_hexadecimal_digits_and_all_different) {
  const auto random = seeded_random(1);
  std::set<std::string> seen;
  for (int i = 0; i < 100; ++i) {
    const std::string bytes = Token::fresh(*random).bytes();
    EXPECT_EQ(bytes.size(), 32U);
    EXPECT_EQ(bytes.find_first_not_of("0123456789abcdef"), std::string::npos);
    EXPECT_TRUE(seen.insert(bytes).second);
  }
  EXPECT_NE(Token::fresh(), Token::fresh());
  EXPECT_EQ(Token::fresh(*seeded_random(7)), Token::fresh(*seeded_random(7)));
}

/// A process that forks after its first draw must not share the rest with its children.
TEST(Tokens, of_a_forked_process_are_its_own) {
  (void)Token::fresh();
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    const std::string bytes = Token::fresh().bytes();
    ::_exit(::write(ends[1], bytes.data(), bytes.size()) == 32 ? 0 : 1);
  }
  char theirs[32];
  ASSERT_EQ(::read(ends[0], theirs, sizeof theirs), 32);
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_NE(Token::fresh().bytes(), std::string(theirs, sizeof theirs));
  ::close(ends[0]);
  ::close(ends[1]);
}

TEST(States, have_names_and_are_found_by_them) {
  for (const HoldState state :
       {HoldState::held, HoldState::confirmed, HoldState::released, HoldState::expired}) {
    EXPECT_EQ(hold_state_named(name(state)), state);
  }
  EXPECT_FALSE(hold_state_named("lapsed"));
  EXPECT_FALSE(hold_state_named(""));
}

TEST(Answers, say_what_to_do_with_the_token) {
  Answer answer;
  answer.recorded = true;
  EXPECT_EQ(answer.token_action(), TokenAction::new_token);
  answer.recorded = false;
  answer.rejection = Rejection::overloaded;
  EXPECT_EQ(answer.token_action(), TokenAction::reuse);
  answer.rejection = Rejection::token_collision;
  EXPECT_EQ(answer.token_action(), TokenAction::new_token);
}

TEST(Answers, explain_themselves) {
  Answer answer;
  EXPECT_TRUE(answer);
  EXPECT_EQ(answer.text(), "ok");
  answer.rejection = Rejection::not_held;
  answer.hold.emplace().state = HoldState::released;
  EXPECT_FALSE(answer);
  EXPECT_NE(answer.text().find("not-held"), std::string::npos);
  EXPECT_NE(answer.text().find("released"), std::string::npos);
  answer.rejection = Rejection::invalid_request;
  answer.reason = Reason::duration_bounds;
  EXPECT_NE(answer.text().find(row(Reason::duration_bounds).text), std::string::npos);
}

TEST(Tables, every_rejection_has_a_name_of_its_own_and_a_text) {
  std::set<std::string_view> names;
  for (const RejectionRow& each : rejection_table) {
    EXPECT_TRUE(names.insert(each.name).second) << each.name;
    EXPECT_FALSE(each.title.empty());
    EXPECT_FALSE(each.text.empty());
    EXPECT_TRUE(each.text.ends_with('.')) << each.name;
    EXPECT_GE(each.http_status, 400);
    EXPECT_EQ(&row(each.id), &each);
    EXPECT_EQ(rejection_numbered(exit_code(each.id)), each.id);
    EXPECT_GE(exit_code(each.id), 10) << "below are the command line's own";
  }
  EXPECT_FALSE(rejection_numbered(0));
  EXPECT_FALSE(rejection_numbered(9));
  EXPECT_FALSE(rejection_numbered(-1));
  EXPECT_FALSE(rejection_numbered(1000));
}

/// Of what the engine itself says; the service also refuses what can never succeed as it is.
TEST(Tables, what_leaves_the_token_unused_may_be_tried_again) {
  for (const RejectionRow& each : rejection_table) {
    if (each.recorded != Recorded::never || each.id >= Rejection::malformed_request) continue;
    EXPECT_TRUE(each.retryable) << each.name;
  }
}

TEST(Tables, every_reason_names_a_parameter) {
  for (const ReasonRow& each : reason_table) {
    EXPECT_EQ(&row(each.id), &each);
    EXPECT_EQ(each.field.empty(), each.id == Reason::none);
  }
}

/// Programs compare them. A name that was given away means the same for ever; new ones are added.
TEST(Tables, names_of_reasons_are_stable) {
  constexpr std::array<std::string_view, 15> names{"",
                                                   "token-size",
                                                   "resource-blank",
                                                   "resource-size",
                                                   "resource-text",
                                                   "requester-blank",
                                                   "requester-size",
                                                   "requester-text",
                                                   "duration-bounds",
                                                   "quantity-bounds",
                                                   "quantity-above-capacity",
                                                   "capacity-bounds",
                                                   "token-not-expected",
                                                   "caller-text",
                                                   "nonce-size"};
  ASSERT_GE(reason_table.size(), names.size());
  for (std::size_t i = 0; i < names.size(); ++i) EXPECT_EQ(reason_table[i].name, names[i]) << i;
  for (const ReasonRow& each : reason_table) {
    if (each.id == Reason::none) continue;
    EXPECT_EQ(reason_named(each.name), each.id) << "no two have the same";
    // Those that IDS names have its underscores.
    EXPECT_EQ(each.name.find_first_not_of("abcdefghijklmnopqrstuvwxyz-_"), std::string_view::npos);
  }
  EXPECT_FALSE(reason_named(""));
  EXPECT_FALSE(reason_named("Duration-bounds"));
}

TEST(Tables, what_is_known_of_the_effect_follows_from_the_rejection) {
  EXPECT_EQ(effect_of(Rejection::overloaded), Effect::none);
  EXPECT_EQ(effect_of(Rejection::throttled), Effect::none);
  EXPECT_EQ(effect_of(Rejection::in_progress), Effect::unknown);
  EXPECT_FALSE(effect_of(Rejection::resource_unavailable)) << "that is the outcome";
  EXPECT_FALSE(effect_of(Rejection::token_collision)) << "decided from the first one's";
}

TEST(Tables, every_operation_is_found_by_name_and_number) {
  for (const OperationRow& each : operations()) {
    EXPECT_EQ(operation_named(each.name), each.id);
    EXPECT_EQ(operation_numbered(static_cast<std::int64_t>(each.id)), each.id);
    EXPECT_EQ(name(each.id), each.name);
  }
  EXPECT_FALSE(operation_named(""));
  EXPECT_FALSE(operation_named("hold.Place"));
  EXPECT_FALSE(operation_numbered(-1));
  EXPECT_FALSE(operation_numbered(static_cast<std::int64_t>(operations().back().id) + 1));
}

TEST(Tables, policies_begin_as_the_registry_says) {
  Policies policies;
  for (const Operation each : {Operation::hold_place, Operation::hold_confirm,
                               Operation::hold_release, Operation::hold_expire}) {
    EXPECT_EQ(policies[each].token_class, TokenClass::i2_windowed);
    EXPECT_EQ(policies[each].on_reject, OnReject::record);
    EXPECT_EQ(policies[each].key_mode, KeyMode::client);
    EXPECT_EQ(policies[each].confirmation, Confirmation::none);
    EXPECT_EQ(policies[each].overlap_wait, std::chrono::seconds(10));
  }
  EXPECT_EQ(policies[Operation::resource_declare].token_class, TokenClass::i1_strict);
  policies[Operation::hold_place].on_reject = OnReject::release;
  EXPECT_EQ(policies[Operation::hold_confirm].on_reject, OnReject::record);
}

TEST(Commands, carry_their_parameters_and_nothing_else) {
  const HoldId id{3, 4};
  EXPECT_EQ(Command::confirm(id).operation(), Operation::hold_confirm);
  EXPECT_EQ(Command::release(id).operation(), Operation::hold_release);
  EXPECT_EQ(Command::expire(id).operation(), Operation::hold_expire);
  EXPECT_EQ(Command::expire(id).as<Expiring>()->hold, id);
  EXPECT_EQ(Command::expire(id).as<Releasing>(), nullptr);
  const Command declare = Command::declare("seats", 7);
  EXPECT_EQ(declare.operation(), Operation::resource_declare);
  EXPECT_EQ(declare.as<Declaring>()->resource, "seats");
  EXPECT_EQ(declare.as<Declaring>()->capacity, 7);
  const Command place =
      Command::place({.resource = "r", .requester = "q", .duration = Duration(5), .quantity = 2});
  EXPECT_EQ(place.operation(), Operation::hold_place);
  const Placing& placing = *place.as<Placing>();
  EXPECT_EQ(placing.resource, "r");
  EXPECT_EQ(placing.requester, "q");
  EXPECT_EQ(placing.duration, Duration(5));
  EXPECT_EQ(placing.quantity, 2);
  const Command copy = place;
  EXPECT_EQ(copy.parameters(), place.parameters()) << "copies share them";
  EXPECT_EQ(Command().as<Placing>(), nullptr);
}

}  // namespace
}  // namespace holdfast

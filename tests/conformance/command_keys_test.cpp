// Keys of commands: who makes them, what goes into them and what does not. And what is secret.

#include <gmock/gmock.h>

#include "evidence/leaf.hpp"
#include "modules/commands/kinds.hpp"
#include "schema/schema.hpp"
#include "support/journals/audit.hpp"
#include "support/stores/command_test.hpp"

namespace holdfast::test {
namespace {

using commands::BindingPrincipal;
using commands::KeyOrigin;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

namespace kinds = commands::kinds;

class CommandKeys : public CommandTest {
 protected:
  void SetUp() override {
    StoreTest::SetUp();
    std::vector<commands::Declaration> all{declared("note", "client"), declared("note", "derived"),
                                           declared("note", "both"), declared("note", "acting")};
    all[1].key = KeyOrigin::derived;
    all[2].key = KeyOrigin::both;
    all[3].key = KeyOrigin::derived;
    all[3].principal = BindingPrincipal::effective_actor;
    declare(all);
  }

  static Submitting note(std::string action) {
    return {.entity = "note", .action = std::move(action), .args = R"({"text":"hello"})"};
  }
};
HOLDFAST_ON_EVERY_STORE(CommandKeys);

TEST_P(CommandKeys, are_the_clients_or_the_call_is_refused) {
  const Answer none = submit(note("client"), "");
  EXPECT_THAT(none, refused(Rejection::token_missing));
  EXPECT_THAT(none, token_unused());
  Submitting in_envelope = note("client");
  in_envelope.idempotency_key = "in the envelope";
  const Answer answer = submit(in_envelope, "");
  EXPECT_EQ(answer.token, "in the envelope");
  EXPECT_THAT(submit(note("client"), "in the envelope"), replay_of(answer));
  EXPECT_THAT(submit(in_envelope, "in the envelope"), replay_of(answer));
  in_envelope.idempotency_key = "another";
  const Answer torn = submit(in_envelope, "in a header");
  EXPECT_EQ(torn.reason, Reason::invalid_arguments);
  EXPECT_THAT(torn.document, HasSubstr("/idempotency_key"));
  EXPECT_THAT(submit(note("client"), std::string(5000, 'x')), invalid(Reason::token_size));
}

TEST_P(CommandKeys, are_derived_of_what_makes_the_command) {
  const Answer answer = submit(note("derived"), "");
  EXPECT_THAT(answer, done());
  EXPECT_THAT(answer.token, StartsWith("ik1-"));
  EXPECT_THAT(submit(note("derived"), ""), replay_of(answer));
  EXPECT_THAT(submit(note("derived"), answer.token), replay_of(answer));
  Submitting same = note("derived");
  same.correlation_id = "c-7";
  same.args = "{ \"text\" : \"h\\u0065llo\" }";
  EXPECT_THAT(submit(same, ""), replay_of(answer)) << "however its JSON is spelt";
  const auto other = [&](auto change) {
    Submitting what = note("derived");
    change(what);
    const Answer another = submit(what, "");
    EXPECT_THAT(another, done());
    EXPECT_FALSE(another.replayed);
    EXPECT_NE(another.token, answer.token);
  };
  other([](Submitting& what) { what.args = R"({"text":"bye"})"; });
  other([](Submitting& what) { what.target = "7"; });
  other([](Submitting& what) { what.target = "null"; });
  other([](Submitting& what) { what.actor = "zoe"; });
  other([](Submitting& what) { what.command_kind = "k"; });
  EXPECT_FALSE(submit(note("derived"), "", {"acme", Caller{}.principal}).replayed);
}

TEST_P(CommandKeys, that_disagree_with_the_derived_one_are_a_conflict) {
  const std::string derived = submit(note("derived"), "").token;
  const Answer conflict = submit(note("derived"), "mine");
  EXPECT_THAT(conflict, refused(Rejection::execution_rejected));
  EXPECT_EQ(conflict.reason, Reason::idempotency_conflict);
  EXPECT_THAT(conflict.document, HasSubstr("\"derived\":\"" + derived + "\""));
  EXPECT_THAT(conflict.document, HasSubstr("\"presented\":\"mine\""));
  EXPECT_THAT(submit(note("derived"), "mine"), replay_of(conflict));
  const auto records = all_records(harness().store());
  EXPECT_THAT(records.at(1).detail, HasSubstr(derived)) << "evidence has both";
  EXPECT_EQ(count(kinds::executed), 1U);
}

TEST_P(CommandKeys, may_be_of_either_kind_where_that_is_declared) {
  const Answer derived = submit(note("both"), "");
  EXPECT_THAT(derived.token, StartsWith("ik1-"));
  const Answer own = submit(note("both"), "mine");
  EXPECT_THAT(own, done());
  EXPECT_FALSE(own.replayed);
  EXPECT_THAT(submit(note("both"), derived.token), replay_of(derived));
  std::string altered = derived.token;
  altered.back() = altered.back() == '0' ? '1' : '0';
  EXPECT_EQ(submit(note("both"), altered).reason, Reason::idempotency_conflict)
      << "what looks derived has to be";
}

TEST_P(CommandKeys, bind_whom_the_declaration_says) {
  const auto acting = [&](const std::string& action, const std::string& actor,
                          const std::string& effective) {
    Submitting what = note(action);
    what.actor = actor;
    what.effective_actor = effective;
    return what;
  };
  const Answer by_anna = submit(acting("acting", "anna", "carl"), "");
  EXPECT_THAT(submit(acting("acting", "ben", "carl"), ""), replay_of(by_anna))
      << "whoever acts for carl";
  EXPECT_FALSE(submit(acting("acting", "anna", "dora"), "").replayed);
  const Answer of_anna = submit(acting("derived", "anna", "carl"), "");
  EXPECT_FALSE(submit(acting("derived", "ben", "carl"), "").replayed);
  EXPECT_THAT(submit(acting("derived", "anna", "dora"), ""), conflicts())
      << "the key is anna's, the envelope another";
  EXPECT_EQ(command(id_of(of_anna))->effective_actor, "carl");
  EXPECT_THAT(of_anna.document, HasSubstr(R"("effective_actor_id":"carl")"));
}

TEST_P(CommandKeys, what_is_no_json_is_rejected_and_recorded_all_the_same) {
  for (const char* args : {"no JSON", "{", "[]", "7", "{\"a\":1,\"a\":2}", "\"\u20ac\"",
                           R"({"$sealed":"00"})", R"({"x":{"$sealed":"00"}})"}) {
    Submitting bad = note("client");
    bad.args = args;
    const Answer answer = submit(bad, args);
    EXPECT_EQ(answer.reason, Reason::invalid_arguments) << args;
    EXPECT_THAT(submit(bad, args), replay_of(answer));
  }
  Submitting bad = note("client");
  bad.target = "no JSON";
  const Answer answer = submit(bad, "t");
  EXPECT_EQ(answer.reason, Reason::invalid_arguments);
  EXPECT_THAT(answer.document, HasSubstr("/intent/target"));
  harness().reopen();
  EXPECT_THAT(submit(bad, "t"), replay_of(answer));
  EXPECT_EQ(count(kinds::executed), 0U);
}

TEST_P(CommandKeys, arguments_may_be_as_deep_as_json_may) {
  std::string deep = "1e300";
  for (int i = 0; i < 30; ++i) deep = "[" + deep + "]";
  Submitting what = note("client");
  what.args = R"({"x":)" + deep + "}";
  const Answer answer = submit(what, "deep");
  EXPECT_THAT(answer, done());
  EXPECT_THAT(answer.document, HasSubstr("1e+300"));
  harness().reopen();
  EXPECT_THAT(submit(what, "deep"), replay_of(answer));
}

TEST_P(CommandKeys, that_are_no_text_are_refused) {
  for (const char* token : {"\xff", "\xc3", "\xed\xa0\x80", "a\x80"}) {
    const Answer answer = submit(note("client"), token);
    EXPECT_THAT(answer, invalid(Reason::command_text));
    EXPECT_EQ(count(kinds::executed), 0U);
  }
  const Answer odd = submit(note("client"), std::string("\0\n\"\\ \u20ac", 8));
  EXPECT_THAT(odd, done());
  harness().reopen();
  EXPECT_THAT(submit(note("client"), std::string("\0\n\"\\ \u20ac", 8)), replay_of(odd));
}

// ---- secrets ----

TEST_P(CommandKeys, what_is_secret_is_nowhere_in_clear_and_counts_for_the_key) {
  constexpr const char* secret = "4111-secret-1111";
  commands::Declaration charge = pulled("card", "charge", commands::Shield::s1);
  charge.key = KeyOrigin::derived;
  charge.args = *schema::Schema::compile(
      R"({"type":"object","properties":{"card":{"type":"string","x-secret":true,"secret":true},)"
      R"("amount":{"type":"string"}},"required":["amount"]})",
      {.strict = false});
  declare({charge});
  Submitting what{.entity = "card", .action = "charge"};
  what.args = R"({"amount":"1.00","card":"4111-secret-1111"})";
  const Answer accepted = submit(what, "");
  EXPECT_THAT(accepted, done());
  EXPECT_THAT(accepted.document, HasSubstr(R"("card":"[secret]")"));
  EXPECT_THAT(submit(what, ""), replay_of(accepted));
  Submitting other = what;
  other.args = R"({"amount":"1.00","card":"4222-secret-2222"})";
  EXPECT_NE(submit(other, "").token, accepted.token);
  EXPECT_THAT(submit(other, accepted.token), Not(done()));
  Submitting wrong = what;  // it does not fit, and is secret all the same
  wrong.args = R"({"card":"4111-secret-1111"})";
  const Answer rejected = submit(wrong, "");
  EXPECT_EQ(rejected.reason, Reason::invalid_arguments);
  EXPECT_THAT(rejected.document, Not(HasSubstr(secret)));

  const std::string id = id_of(accepted);
  const std::string leased = lease(10).document;
  EXPECT_THAT(leased, Not(HasSubstr(secret)));
  const auto clear = commands::open_all(effect(id)->args, sealer(), "default");
  EXPECT_EQ(clear, what.args) << "who acts gets it";
  EXPECT_FALSE(commands::open_all(effect(id)->args, sealer(), "acme"));
  EXPECT_THAT(run(Failing{.id = id, .fence = 1}), done());
  for (const Record& each : all_records(harness().store())) {
    EXPECT_THAT(each.detail, Not(HasSubstr("-secret-")));
    std::string leaf;
    JsonWriter json(leaf);
    evidence::write_leaf(json, each, evidence::hashes_of(each, {}));
    EXPECT_THAT(leaf, Not(HasSubstr("-secret-")));
  }
  EXPECT_THAT(command(id)->args, Not(HasSubstr(secret)));
  harness().reopen();
  EXPECT_THAT(submit(what, ""), replay_of(accepted));
}

}  // namespace
}  // namespace holdfast::test

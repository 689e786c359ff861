// Tokens and names are bytes: nothing folds, trims, cuts or decodes them.

#include "support/stores/store_test.hpp"

namespace holdfast::test {
namespace {

class Names : public StoreTest {
 protected:
  Answer place_on(std::string resource, std::string requester = "g") {
    Harness& on = harness();
    return on.submit(
        place({.resource = std::move(resource), .requester = std::move(requester), .duration = 1h},
              on.next_token()));
  }
};
HOLDFAST_ON_EVERY_STORE(Names);

// Pairs that careless comparisons take for one.
const std::vector<std::string> lookalikes{
    "Room",       "room",   "room ",  " room",   "room\t",      "r\u00f4om",
    "ro\u0302om", "\u00c5", "\u212b", "A\u030a", "stra\u00dfe", "strasse",
    "\ufb01",     "fi",     "\u0130", "i\u0307", "\u03c3",      "\u03c2",
    "room%",      "room_",  "room''", "room\\",  "\u200broom",  "\U0001F600",
    "1",          "01",     "1.0",    "null",    "NULL"};

TEST_P(Names, tokens_of_every_single_byte_are_different_tokens) {
  Harness& on = harness();
  std::vector<Answer> originals;
  for (int byte = 0; byte < 256; ++byte) {
    const std::string token(1, static_cast<char>(byte));
    originals.push_back(on.submit(confirm({7, static_cast<std::uint64_t>(byte)}, token)));
    EXPECT_THAT(originals.back(), first()) << byte;
  }
  on.reopen();
  for (int byte = 0; byte < 256; ++byte) {
    const auto index = static_cast<std::size_t>(byte);
    const std::string token(1, static_cast<char>(byte));
    EXPECT_THAT(on.submit(confirm({7, index}, token)), replay_of(originals[index]));
  }
}

TEST_P(Names, a_token_may_hold_every_byte_at_once) {
  Harness& on = harness();
  std::string token;
  for (int byte = 255; byte >= 0; --byte) token += static_cast<char>(byte);
  const Answer original = on.submit(confirm({}, token));
  EXPECT_THAT(original, first());
  EXPECT_EQ(original.token, token);
  on.reopen();
  EXPECT_THAT(on.submit(confirm({}, token)), replay_of(original));
  std::string other = token;
  other.back() = 'x';
  EXPECT_THAT(on.submit(confirm({}, other)), first());
  EXPECT_EQ((*on.store().token("default", token))->answer.token, token);
}

TEST_P(Names, tokens_run_from_1_to_256_bytes) {
  Harness& on = harness();
  for (const std::size_t size : {1U, 2U, 255U, 256U}) {
    EXPECT_THAT(on.submit(confirm({}, std::string(size, 'k'))), first()) << size;
  }
  const std::uint64_t records = on.records();
  for (const std::size_t size : {0U, 257U, 100000U}) {
    const Answer answer = on.submit(confirm({}, std::string(size, 'k')));
    EXPECT_THAT(answer, invalid(Reason::token_size)) << size;
    EXPECT_THAT(answer, token_unused());
  }
  EXPECT_EQ(on.records(), records) << "a malformed token is consulted and recorded nowhere";
  EXPECT_FALSE(*on.store().token("default", std::string(257, 'k')));
}

TEST_P(Names, long_tokens_are_not_cut) {
  Harness& on = harness();
  const std::string common(255, 'k');
  EXPECT_THAT(on.submit(confirm({1, 1}, common + 'a')), first());
  EXPECT_THAT(on.submit(confirm({1, 1}, common + 'b')), first());
  EXPECT_THAT(on.submit(confirm({1, 1}, common)), first());
}

TEST_P(Names, the_longest_token_is_configurable) {
  Rules rules;
  rules.token_bytes_max = 8;
  Harness& on = harness(rules);
  EXPECT_THAT(on.submit(confirm({}, "12345678")), first());
  EXPECT_THAT(on.submit(confirm({}, "123456789")), invalid(Reason::token_size));
}

TEST_P(Names, tokens_that_look_alike_are_different) {
  Harness& on = harness();
  for (std::size_t i = 0; i < lookalikes.size(); ++i) {
    EXPECT_THAT(on.submit(confirm({1, i}, lookalikes[i])), first()) << visible(lookalikes[i]);
  }
}

TEST_P(Names, a_nul_byte_ends_no_token) {
  Harness& on = harness();
  const std::string with_nul("a\0b", 3);
  EXPECT_THAT(on.submit(confirm({1, 1}, with_nul)), first());
  EXPECT_THAT(on.submit(confirm({1, 2}, std::string("a\0c", 3))), first());
  EXPECT_THAT(on.submit(confirm({1, 3}, "a")), first());
}

TEST_P(Names, resources_that_look_alike_are_different) {
  Harness& on = harness();
  for (const std::string& name : lookalikes) EXPECT_THAT(place_on(name), done()) << visible(name);
  on.reopen();
  for (const std::string& name : lookalikes) {
    EXPECT_THAT(place_on(name), refused(Rejection::resource_unavailable)) << visible(name);
    EXPECT_EQ(on.store().resource("default", name)->in_use, 1) << visible(name);
    HoldQuery query;
    query.resource = name;
    EXPECT_EQ(on.store().holds("default", query)->items.size(), 1U) << visible(name);
  }
}

TEST_P(Names, requesters_that_look_alike_are_different) {
  Harness& on = harness();
  for (const std::string& name : lookalikes) {
    const Answer answer = place_on("r-" + on.next_token(), name);
    ASSERT_THAT(answer, done());
    EXPECT_EQ(answer.hold->requester, name);
  }
  on.reopen();
  for (const std::string& name : lookalikes) {
    HoldQuery query;
    query.requester = name;
    const auto page = *on.store().holds("default", query);
    ASSERT_EQ(page.items.size(), 1U) << visible(name);
    EXPECT_EQ(page.items.front().hold.requester, name);
  }
}

TEST_P(Names, in_a_request_names_that_look_alike_make_a_collision) {
  Harness& on = harness();
  const Answer original =
      on.submit(place({.resource = "room", .requester = "g", .duration = 1h}, "t"));
  for (const std::string other : {"Room", "room ", "r\u00f4om"}) {
    EXPECT_THAT(on.submit(place({.resource = other, .requester = "g", .duration = 1h}, "t")),
                refused(Rejection::token_collision));
  }
  EXPECT_THAT(on.submit(place({.resource = "room", .requester = "g", .duration = 1h}, "t")),
              replay_of(original));
}

TEST_P(Names, run_to_1024_bytes) {
  EXPECT_THAT(place_on(std::string(1024, 'r'), std::string(1024, 'q')), done());
  EXPECT_THAT(place_on(std::string(1025, 'r')), invalid(Reason::resource_size));
  EXPECT_THAT(place_on("r", std::string(1025, 'q')), invalid(Reason::requester_size));
  EXPECT_THAT(place_on(std::string(1000000, 'r')), invalid(Reason::resource_size));
}

TEST_P(Names, must_not_be_blank) {
  for (const std::string blank : {"", " ", "\t\n ", "\v\f\r"}) {
    EXPECT_THAT(place_on(blank), invalid(Reason::resource_blank));
    EXPECT_THAT(place_on("r", blank), invalid(Reason::requester_blank));
  }
}

TEST_P(Names, must_be_text) {
  Harness& on = harness();
  for (const std::string& wrong :
       {std::string("\xff"), std::string("a\xc0\x80"), std::string("\xed\xa0\x80"),
        std::string("cut \xe2\x82"), std::string("a\0b", 3)}) {
    EXPECT_THAT(place_on(wrong), invalid(Reason::resource_text)) << visible(wrong);
    EXPECT_THAT(place_on("r", wrong), invalid(Reason::requester_text)) << visible(wrong);
    const Placing what{.resource = wrong, .requester = "g", .duration = 1h};
    const Answer original = on.submit(place(what, "t" + wrong));
    EXPECT_THAT(on.submit(place(what, "t" + wrong)), replay_of(original))
        << "a request without a canonical form is recorded all the same";
  }
  EXPECT_EQ(on.store().counts().resources, 0U);
}

}  // namespace
}  // namespace holdfast::test

#include "domain/request.hpp"

#include <gtest/gtest.h>

#include <set>

#include "domain/canonical.hpp"
#include "support/calls.hpp"

namespace holdfast::test {
namespace {

const Placing room{.resource = "room_307", .requester = "guest_g91", .duration = 24h};

std::vector<Command> one_of_each() {
  return {Command::place(room), Command::confirm({1, 2}), Command::release({1, 2}),
          Command::expire({1, 2}), Command::declare("room_307", 5)};
}

TEST(Requests, parameters_are_in_canonical_form_already) {
  EXPECT_EQ(
      canonical_parameters(Command::place(room)),
      R"({"duration_us":86400000000,"quantity":1,"requester":"guest_g91","resource":"room_307"})");
  EXPECT_EQ(canonical_parameters(Command::confirm({0x2a, 1})), R"({"id":"h2a-000000000000001"})");
  EXPECT_EQ(canonical_parameters(Command::declare("seats", 5)),
            R"({"capacity":5,"resource":"seats"})");
  for (const Command& command : one_of_each()) {
    const std::string text = canonical_parameters(command);
    EXPECT_EQ(canonicalize(text), text);
  }
}

TEST(Requests, even_impossible_parameters_have_a_digest_of_their_own) {
  std::set<std::string> digests;
  const auto fresh = [&](const Command& command) {
    return digests.insert(make_request({.command = command}).digest.hex()).second;
  };
  for (const std::int64_t quantity :
       {std::int64_t{1}, quantity_max, quantity_max + 1, quantity_max + 2,
        std::numeric_limits<std::int64_t>::max(), std::numeric_limits<std::int64_t>::min()}) {
    Placing what = room;
    what.quantity = quantity;
    EXPECT_TRUE(fresh(Command::place(what))) << quantity;
  }
  for (const std::string& name : {std::string("\xff"), std::string("\xfe"), std::string("\xff\xff"),
                                  std::string("\0", 1), std::string("[255]"), std::string("")}) {
    EXPECT_TRUE(fresh(Command::declare(name, 1))) << visible(name);
  }
}

TEST(Requests, are_the_same_exactly_when_operation_principal_and_parameters_are) {
  const auto print = [](const Command& command, std::string principal, std::string token = "t") {
    return make_request({.command = command,
                         .token = Token(std::move(token)),
                         .caller = {.tenant = "default", .principal = std::move(principal)}})
        .fingerprint;
  };
  EXPECT_EQ(print(Command::place(room), "a"), print(Command::place(room), "a"));
  EXPECT_EQ(print(Command::place(room), "a", "t"), print(Command::place(room), "a", "u"));
  EXPECT_NE(print(Command::place(room), "a"), print(Command::place(room), "b"));
  EXPECT_NE(print(Command::confirm({1, 2}), "a"), print(Command::release({1, 2}), "a"))
      << "equal parameters of another operation";
}

TEST(Requests, a_derived_token_stands_for_the_whole_envelope) {
  const Caller caller;
  std::set<std::string> tokens;
  for (const Command& command : one_of_each()) {
    EXPECT_TRUE(tokens.insert(derive_token(caller, command).bytes()).second);
  }
  EXPECT_TRUE(tokens.insert(derive_token({"acme", "local"}, Command::place(room)).bytes()).second);
  EXPECT_TRUE(tokens.insert(derive_token({"default", "bob"}, Command::place(room)).bytes()).second);
  EXPECT_EQ(derive_token(caller, Command::place(room)), derive_token(caller, Command::place(room)));
}

}  // namespace
}  // namespace holdfast::test

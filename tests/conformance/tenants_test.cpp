// Nothing is visible across tenants.

#include "support/stores/store_test.hpp"

namespace holdfast::test {
namespace {

const Caller acme{.tenant = "acme", .principal = "alice"};
const Caller zeta{.tenant = "zeta", .principal = "alice"};
class Tenants : public StoreTest {};
HOLDFAST_ON_EVERY_STORE(Tenants);

TEST_P(Tenants, have_resources_of_their_own) {
  Harness& on = harness();
  on.must_place(room, acme);
  on.must_place(room, zeta);
  EXPECT_THAT(on.submit(place(room, "t", acme)), refused(Rejection::resource_unavailable));
  EXPECT_THAT(on.submit(declare("room_307", 9, "d", acme)), done());
  EXPECT_EQ(on.store().resource("acme", "room_307")->capacity, 9);
  EXPECT_EQ(on.store().resource("zeta", "room_307")->capacity, 1);
  EXPECT_EQ(on.store().resource("default", "room_307")->in_use, 0);
}

TEST_P(Tenants, may_use_the_same_token_independently) {
  Harness& on = harness();
  const Answer in_acme = on.submit(place(room, "t", acme));
  Placing other = room;
  other.resource = "room_308";
  const Answer in_zeta = on.submit(place(other, "t", zeta));
  EXPECT_THAT(in_zeta, done());
  EXPECT_THAT(on.submit(place(room, "t", acme)), replay_of(in_acme));
  EXPECT_THAT(on.submit(place(other, "t", zeta)), replay_of(in_zeta));
  EXPECT_THAT(on.submit(place(other, "t", acme)), refused(Rejection::token_collision));
}

TEST_P(Tenants, do_not_know_each_others_holds) {
  Harness& on = harness();
  const Hold hold = on.must_place(room, acme);
  for (const auto& attempt : {confirm, release, expire}) {
    const Answer answer = on.submit(attempt(hold.id, on.next_token(), zeta));
    EXPECT_THAT(answer, refused(Rejection::not_known));
    EXPECT_FALSE(answer.hold);
  }
  EXPECT_FALSE(*on.store().hold("zeta", hold.id));
  EXPECT_TRUE(*on.store().hold("acme", hold.id));
  EXPECT_EQ(on.hold(hold.id, "acme").state, HoldState::held);
}

TEST_P(Tenants, see_only_their_own_lists_and_tokens) {
  Harness& on = harness();
  on.submit(place(room, "t", acme));
  EXPECT_EQ(on.store().holds("acme", {})->items.size(), 1U);
  EXPECT_TRUE(on.store().holds("zeta", {})->items.empty());
  EXPECT_TRUE(on.store().holds("", {})->items.empty());
  EXPECT_EQ(on.store().resources("acme", {})->items.size(), 1U);
  EXPECT_TRUE(on.store().resources("zeta", {})->items.empty());
  EXPECT_TRUE(*on.store().token("acme", "t"));
  EXPECT_FALSE(*on.store().token("zeta", "t"));
}

TEST_P(Tenants, are_not_confused_by_how_tenant_and_name_are_joined) {
  Harness& on = harness();
  const std::vector<std::pair<std::string, std::string>> splits{
      {"ab", "c"}, {"a", "bc"}, {"ab/", "c"}, {"ab", "/c"}, {"ab\n", "c"}, {"ab", "\nc"}};
  for (const auto& [tenant, name] : splits) {
    const Caller caller{.tenant = tenant, .principal = "p"};
    const Answer answer =
        on.submit(place({.resource = name, .requester = "g", .duration = 1h}, name, caller));
    EXPECT_THAT(answer, done()) << tenant << '|' << name;
    EXPECT_THAT(answer, first()) << tenant << '|' << name;
  }
}

TEST_P(Tenants, that_look_alike_are_different) {
  Harness& on = harness();
  for (const std::string tenant : {"acme", "Acme", "acme ", "acm\u00e9", "acme\u0301"}) {
    EXPECT_THAT(on.submit(place(room, "t", {.tenant = tenant, .principal = "p"})), first());
  }
}

TEST_P(Tenants, and_principals_must_be_named) {
  Harness& on = harness();
  const std::uint64_t records = on.records();
  for (const Caller& caller : std::vector<Caller>{{"", "p"},
                                                  {"t", ""},
                                                  {std::string(1025, 't'), "p"},
                                                  {"t", std::string(1025, 'p')},
                                                  {"\xff", "p"},
                                                  {"t", std::string("p\0q", 3)}}) {
    const Answer answer = on.submit(place(room, "t", caller));
    EXPECT_THAT(answer, invalid(Reason::caller_text));
    EXPECT_THAT(answer, token_unused());
  }
  EXPECT_EQ(on.records(), records);
}

TEST_P(Tenants, a_sweep_serves_all_of_them) {
  Harness& on = harness();
  const Hold in_acme = on.must_place(room, acme);
  const Hold in_zeta = on.must_place(room, zeta);
  on.at(start + 1h);
  EXPECT_EQ(on.sweep(), 2U);
  EXPECT_EQ(on.hold(in_acme.id, "acme").state, HoldState::expired);
  EXPECT_EQ(on.hold(in_zeta.id, "zeta").state, HoldState::expired);
}

}  // namespace
}  // namespace holdfast::test

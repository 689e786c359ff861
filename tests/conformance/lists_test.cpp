// Lists: newest first, filtered, in pages that stay put while others place more.

#include <set>

#include "support/stores/store_test.hpp"

namespace holdfast::test {
namespace {

class Lists : public StoreTest {
 protected:
  /// Every page of a list, one after the other; how many there were goes to `pages`.
  std::vector<HoldDetails> all(HoldQuery query, std::size_t* pages = nullptr) {
    std::vector<HoldDetails> found;
    std::size_t count = 0;
    do {
      const auto page = harness().store().holds("default", query);
      if (!page) {
        ADD_FAILURE() << page.error().message;
        break;
      }
      EXPECT_LE(page->items.size(), std::max<std::size_t>(query.limit, 1));
      found.insert(found.end(), page->items.begin(), page->items.end());
      query.cursor = page->next;
    } while (++count < 10'000 && !query.cursor.empty());
    if (pages != nullptr) *pages = count;
    return found;
  }

  std::vector<Resource> all_resources(std::size_t limit) {
    std::vector<Resource> found;
    ResourceQuery query{.cursor = {}, .limit = limit};
    do {
      const auto page = harness().store().resources("default", query);
      EXPECT_LE(page->items.size(), limit);
      found.insert(found.end(), page->items.begin(), page->items.end());
      query.cursor = page->next;
    } while (!query.cursor.empty() && found.size() < 10'000);
    return found;
  }

  static std::vector<std::uint64_t> ordinals(const std::vector<HoldDetails>& found) {
    std::vector<std::uint64_t> numbers;
    for (const HoldDetails& each : found) numbers.push_back(each.hold.id.ordinal);
    return numbers;
  }

  std::vector<std::uint64_t> listed(const HoldQuery& query) { return ordinals(all(query)); }

  Hold place_one(std::string resource, std::string requester = "g", Duration duration = 1h) {
    return harness().must_place(
        {.resource = std::move(resource), .requester = std::move(requester), .duration = duration});
  }

  /// So many holds, each of its own resource, in large batches.
  void place_many(std::size_t count) {
    Harness& on = harness();
    for (std::size_t placed = 0; placed < count;) {
      std::vector<Call> calls;
      for (; calls.size() < 1000 && placed < count; ++placed) {
        const std::string token = on.next_token();
        calls.push_back(place({.resource = token, .requester = "g", .duration = 1h}, token));
      }
      on.submit(std::move(calls));
    }
  }
};
HOLDFAST_ON_EVERY_STORE(Lists);

using Numbers = std::vector<std::uint64_t>;

TEST_P(Lists, are_empty_at_first) {
  const auto page = harness().store().holds("default", {});
  ASSERT_TRUE(page);
  EXPECT_TRUE(page->items.empty());
  EXPECT_TRUE(page->next.empty());
  const auto resources = harness().store().resources("default", {});
  ASSERT_TRUE(resources);
  EXPECT_TRUE(resources->items.empty());
  EXPECT_TRUE(resources->next.empty());
}

TEST_P(Lists, come_newest_first_with_everything_about_each_hold) {
  Harness& on = harness();
  const Answer one = on.submit(place({.resource = "a", .requester = "g", .duration = 1min}, "ta"));
  const Answer two = on.submit(place({.resource = "b", .requester = "h", .duration = 1h}, "tb"));
  on.submit(confirm(two.hold->id, "c"));
  on.at(start + 1min);
  const auto found = all({});
  ASSERT_EQ(ordinals(found), (Numbers{2, 1}));
  EXPECT_EQ(found[0].hold, on.hold(two.hold->id));
  EXPECT_EQ(found[0].token, "tb");
  EXPECT_FALSE(found[0].lapsed);
  EXPECT_EQ(found[1].hold, *one.hold);
  EXPECT_EQ(found[1].token, "ta");
  EXPECT_TRUE(found[1].lapsed);
}

TEST_P(Lists, filter_by_resource_requester_state_and_age_and_by_all_together) {
  Harness& on = harness();
  on.submit(declare("a", 10, "da"));
  on.submit(declare("b", 10, "db"));
  std::vector<Hold> holds;
  for (int i = 0; i < 12; ++i) {
    on.advance(1s);
    holds.push_back(place_one(i % 2 == 0 ? "a" : "b", i % 3 == 0 ? "x" : "y"));
  }
  on.submit(confirm(holds[0].id, "c"));
  on.submit(release(holds[5].id, "r"));
  for (const bool again : {false, true}) {
    if (again) on.reopen();
    HoldQuery query;
    query.resource = "a";
    EXPECT_EQ(listed(query), (Numbers{11, 9, 7, 5, 3, 1}));
    query.requester = "x";
    EXPECT_EQ(listed(query), (Numbers{7, 1}));
    query.state = HoldState::held;
    EXPECT_EQ(listed(query), (Numbers{7}));
    query.placed_after = holds[6].placed_at;
    EXPECT_EQ(listed(query), (Numbers{})) << "strictly after";
    query.placed_after = holds[6].placed_at - 1us;
    EXPECT_EQ(listed(query), (Numbers{7}));

    HoldQuery by_requester;
    by_requester.requester = "x";
    EXPECT_EQ(listed(by_requester), (Numbers{10, 7, 4, 1}));
    HoldQuery by_state;
    by_state.state = HoldState::confirmed;
    EXPECT_EQ(listed(by_state), (Numbers{1}));
    by_state.state = HoldState::released;
    EXPECT_EQ(listed(by_state), (Numbers{6}));
    by_state.state = HoldState::expired;
    EXPECT_EQ(listed(by_state), (Numbers{}));
    HoldQuery by_age;
    by_age.placed_after = holds[9].placed_at;
    EXPECT_EQ(listed(by_age), (Numbers{12, 11}));
  }
}

TEST_P(Lists, filter_by_names_nobody_used_find_nothing) {
  place_one("a", "x");
  HoldQuery query;
  query.resource = "b";
  EXPECT_TRUE(all(query).empty());
  query = {};
  query.requester = "y";
  EXPECT_TRUE(all(query).empty());
  query = {};
  query.resource = "x";  // a requester's name
  EXPECT_TRUE(all(query).empty());
  query = {};
  query.resource = "";
  EXPECT_TRUE(all(query).empty());
}

TEST_P(Lists, pages_cover_everything_once_whatever_their_size) {
  place_many(25);
  Numbers expected;
  for (std::uint64_t n = 25; n >= 1; --n) expected.push_back(n);
  for (const std::size_t limit : {1U, 2U, 5U, 7U, 24U, 25U, 26U, 1000U}) {
    HoldQuery query;
    query.limit = limit;
    std::size_t pages = 0;
    EXPECT_EQ(ordinals(all(query, &pages)), expected) << limit;
    EXPECT_GE(pages, (25 + limit - 1) / limit);
  }
}

TEST_P(Lists, a_filtered_list_goes_through_its_pages_too) {
  Harness& on = harness();
  on.submit(declare("a", 100, "d"));
  for (int i = 0; i < 30; ++i) place_one(i % 3 == 0 ? "a" : on.next_token());
  HoldQuery query;
  query.resource = "a";
  const Numbers whole = listed(query);
  EXPECT_EQ(whole.size(), 10U);
  query.limit = 3;
  EXPECT_EQ(listed(query), whole);
}

TEST_P(Lists, a_cursor_of_holds_means_the_same_on_every_store) {
  place_many(9);
  HoldQuery query;
  query.limit = 3;
  const auto page = *harness().store().holds("default", query);
  EXPECT_EQ(page.next, "h7") << "the last one that was shown";
  query.resource = "token-2";
  query.cursor = "h6";  // of another resource
  EXPECT_EQ(ordinals(all(query)), Numbers{2});
}

TEST_P(Lists, a_cursor_stays_put_while_others_place_more) {
  place_many(10);
  HoldQuery query;
  query.limit = 4;
  const auto page = *harness().store().holds("default", query);
  place_many(7);
  harness().submit(release(page.items.back().hold.id, "r"));
  query.cursor = page.next;
  EXPECT_EQ(listed(query), (Numbers{6, 5, 4, 3, 2, 1}));
  harness().reopen();
  EXPECT_EQ(listed(query), (Numbers{6, 5, 4, 3, 2, 1})) << "and when the store is opened again";
}

TEST_P(Lists, a_page_has_at_least_one_item_and_no_more_than_a_page_can_have) {
  place_many(page_items_max + 10);
  HoldQuery query;
  query.limit = 0;
  EXPECT_EQ(harness().store().holds("default", query)->items.size(), 1U);
  query.limit = std::numeric_limits<std::size_t>::max();
  const auto page = *harness().store().holds("default", query);
  EXPECT_EQ(page.items.size(), page_items_max);
  EXPECT_FALSE(page.next.empty());
  EXPECT_EQ(all(query).size(), page_items_max + 10);
  ResourceQuery resources;
  resources.limit = 0;
  EXPECT_EQ(harness().store().resources("default", resources)->items.size(), 1U);
  resources.limit = std::numeric_limits<std::size_t>::max();
  EXPECT_EQ(harness().store().resources("default", resources)->items.size(), page_items_max);
}

TEST_P(Lists, a_bad_cursor_is_refused) {
  place_many(3);
  for (const std::string& bad :
       {std::string("!"), std::string("not a cursor"), std::string(" 1"), std::string("1 "),
        std::string("-1"), std::string("+1"), std::string(40, '9'), std::string("\0", 1),
        std::string("1;"), std::string("0x1"), std::string("h"), std::string("r"),
        std::string("h0"), std::string("r0"), std::string("h 1"), std::string("r1;"),
        std::string("h8000000000000000"), std::string("rffffffffffffffff")}) {
    HoldQuery query;
    query.cursor = bad;
    const auto page = harness().store().holds("default", query);
    ASSERT_FALSE(page) << visible(bad);
    EXPECT_EQ(page.error().effect, Effect::none);
    EXPECT_FALSE(page.error().message.empty());
    EXPECT_FALSE(harness().store().resources("default", {.cursor = bad})) << visible(bad);
  }
}

TEST_P(Lists, any_text_for_a_cursor_is_safe) {
  place_many(3);
  for (const std::string text : {"h1", "h2", "h3", "h4", "hff", "h7fffffffffffffff", "r1", "r2",
                                 "r3", "r4", "rff", "r7fffffffffffffff"}) {
    HoldQuery query;
    query.cursor = text;
    const auto page = harness().store().holds("default", query);
    EXPECT_TRUE(!page || page->items.size() <= 3) << text;
    query.resource = "token-2";
    const auto filtered = harness().store().holds("default", query);
    EXPECT_TRUE(!filtered || filtered->items.size() <= 1) << text;
    const auto resources = harness().store().resources("default", {.cursor = text});
    EXPECT_TRUE(!resources || resources->items.size() <= 3) << text;
    EXPECT_NE(page.has_value(), resources.has_value()) << text << " is of one list alone";
  }
}

TEST_P(Lists, resources_are_those_held_or_declared_newest_first) {
  Harness& on = harness();
  on.submit(declare("a", 5, "d"));
  on.must_place({.resource = "b", .requester = "g", .duration = 1min});
  on.must_place({.resource = "a", .requester = "g", .duration = 1h, .quantity = 3});
  on.submit(place({.resource = "never", .requester = "g", .duration = 0s}, "invalid"));
  on.submit(place({.resource = "neither", .requester = "g", .duration = 1h, .quantity = 2}, "2"));
  on.submit(declare("c", 0, "d0"));
  on.submit(declare("c", 2, "d2"));
  on.at(start + 1min);
  const std::vector<Resource> expected{{.name = "c", .capacity = 2, .in_use = 0, .declared = true},
                                       {.name = "b", .capacity = 1, .in_use = 0, .declared = false},
                                       {.name = "a", .capacity = 5, .in_use = 3, .declared = true}};
  for (const bool again : {false, true}) {
    if (again) on.reopen();
    for (const std::size_t limit : {1U, 2U, 3U, 100U}) {
      EXPECT_THAT(all_resources(limit), ::testing::ElementsAreArray(expected)) << limit;
    }
    EXPECT_EQ(on.store().counts().resources, 3U);
  }
}

TEST_P(Lists, the_journal_is_read_in_steps) {
  Harness& on = harness();
  place_many(10);
  const auto whole = *on.store().records(0, 1000);
  ASSERT_EQ(whole.size(), 10U);
  for (std::size_t i = 0; i < whole.size(); ++i) EXPECT_EQ(whole[i].seq, i + 1);
  const auto some = *on.store().records(4, 3);
  ASSERT_EQ(some.size(), 3U);
  EXPECT_EQ(some.front().seq, 5U);
  EXPECT_EQ(on.store().records(9, 3)->size(), 1U);
  EXPECT_TRUE(on.store().records(10, 3)->empty());
  EXPECT_TRUE(on.store().records(std::numeric_limits<std::int64_t>::max(), 3)->empty());
  EXPECT_TRUE(on.store().records(0, 0)->empty());
}

}  // namespace
}  // namespace holdfast::test

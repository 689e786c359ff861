// What a changed hold leaves in records, and groups: as text, and what is read from it.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "domain/answer.hpp"
#include "domain/group_document.hpp"
#include "domain/hold_picture.hpp"
#include "support/calls.hpp"

namespace holdfast::test {
namespace {

HoldRow some_hold() {
  HoldRow hold;
  hold.id = {42, 0xabc};
  hold.resource = "room \"307\"";
  hold.requester = "g";
  hold.quantity = 5;
  hold.placed_at = start;
  hold.expires_at = start + 2h;
  hold.first_expires_at = start + 1h;
  hold.confirmed = 3;
  hold.cancelled = 1;
  hold.changed_seq = 9;
  return hold;
}

TEST(HoldPicture, is_canonical_json_and_gives_back_what_it_shows) {
  const HoldRow shown = some_hold();
  const std::string picture = picture_of(shown);
  EXPECT_EQ(picture, R"({"hold":{"cancelled":1,"confirmed":3,)"
                     R"("expires_at":"2026-01-01T02:00:00.000000Z","state":"held"}})");
  HoldRow later = shown;
  later.expires_at = start + 3h;
  later.confirmed = later.cancelled = 5;
  later.state = HoldState::confirmed;
  ASSERT_TRUE(apply_picture(picture, later));
  EXPECT_EQ(hold_of(later), hold_of(shown));
}

TEST(HoldPicture, of_something_else_changes_nothing) {
  for (const char* detail :
       {"", "{", "[]", "{}", R"({"hold":7})", R"({"hold":{"cancelled":1,"confirmed":3}})",
        R"({"hold":{"cancelled":1,"confirmed":3,"expires_at":"soon","state":"held"}})",
        R"({"hold":{"cancelled":1,"confirmed":3,"expires_at":"2026-01-01T02:00:00Z","state":"?"}})",
        R"({"holds":[],"id":"g1-000000000000001"})"}) {
    HoldRow hold = some_hold();
    EXPECT_FALSE(apply_picture(detail, hold)) << detail;
    EXPECT_EQ(hold_of(hold), hold_of(some_hold())) << detail;
  }
}

TEST(GroupDocument, gives_back_every_hold_in_every_state) {
  std::vector<HoldRow> holds;
  for (const HoldState state :
       {HoldState::held, HoldState::confirmed, HoldState::released, HoldState::expired}) {
    HoldRow hold = some_hold();
    hold.id.ordinal += holds.size();
    hold.group = some_hold().id;
    hold.group_size = 4;
    hold.state = state;
    if (state != HoldState::held) hold.resolved_at = start + 90min;
    holds.push_back(hold);
  }
  Answer answer;
  answer.document = group_document({holds[0].id}, holds);
  const auto group = group_in(answer);
  ASSERT_TRUE(group);
  EXPECT_EQ(group->id.first, holds[0].id);
  ASSERT_EQ(group->holds.size(), holds.size());
  for (std::size_t i = 0; i < holds.size(); ++i) EXPECT_EQ(group->holds[i], hold_of(holds[i]));
}

TEST(GroupDocument, has_its_members_in_canonical_order) {
  HoldRow hold = some_hold();
  hold.group = hold.id;
  hold.group_size = 1;
  EXPECT_EQ(group_document({hold.id}, std::span(&hold, 1)),
            R"({"holds":[{"expires_at":"2026-01-01T02:00:00.000000Z","fence":42,)"
            R"("group":"g2a-000000000000abc","id":"h2a-000000000000abc",)"
            R"("placed_at":"2026-01-01T00:00:00.000000Z","quantity":5,"quantity_cancelled":1,)"
            R"("quantity_confirmed":3,"quantity_released":0,"requester":"g",)"
            R"("resource":"room \"307\"","state":"held"}],"id":"g2a-000000000000abc"})");
}

TEST(GroupDocument, of_something_else_is_no_group) {
  for (const char* document : {"", "{}", R"({"short":[]})", R"({"holds":[]})",
                               R"({"holds":[{}],"id":"g1-000000000000001"})",
                               R"({"holds":[],"id":"h1-000000000000001"})"}) {
    Answer answer;
    answer.document = document;
    EXPECT_FALSE(group_in(answer)) << document;
  }
}

TEST(GroupDocument, shortages_are_an_array_of_what_was_asked_and_free) {
  const std::string text = shortage_document({{"a \"b\"", 3, 1}, {"c", 1, 0}});
  EXPECT_EQ(shortages_in(text), R"([{"asked":3,"free":1,"resource":"a \"b\""},)"
                                R"({"asked":1,"free":0,"resource":"c"}])");
  EXPECT_EQ(shortages_in(R"({"hold":{}})"), "");
}

TEST(GroupIds, are_written_and_read) {
  const GroupId id{{42, 0xabc}};
  EXPECT_EQ(id.text(), "g2a-000000000000abc");
  EXPECT_EQ(GroupId::parse(id.text()), id);
  for (const char* text : {"", "g", "h2a-000000000000abc", "g2a-abc", "G2a-000000000000abc",
                           "gg2a-000000000000abc", "g2a-000000000000abc "})
    EXPECT_FALSE(GroupId::parse(text)) << text;
}

}  // namespace
}  // namespace holdfast::test

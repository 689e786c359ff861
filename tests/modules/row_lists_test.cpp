// What stores share that read lists and remove rows.

#include <gmock/gmock.h>

#include "modules/pool/pool.hpp"
#include "store/row_lists.hpp"
#include "store/shared/row_changes.hpp"

namespace holdfast::test {
namespace {

using pool::Thing;

RowList list_of(std::string_view tenant, std::string_view parent, std::size_t limit) {
  return {Thing::space, tenant, parent, limit};
}

TEST(RowLists, are_merged_with_what_is_wanted_of_them_together) {
  std::vector<WantedList> lists;
  merge(lists);
  EXPECT_TRUE(lists.empty());
  for (const RowList& each :
       {list_of("t", "b", 3), list_of("t", "a", 4000), list_of("s", "b", 1), list_of("t", "b", 4),
        list_of("t", "a", SIZE_MAX), list_of("t", "c", 0)})
    lists.emplace_back(each);
  merge(lists);
  ASSERT_EQ(lists.size(), 3U);
  const std::vector<std::size_t> limits{lists[0].limit, lists[1].limit, lists[2].limit};
  EXPECT_THAT(limits, testing::ElementsAre(1U, listed_rows_max, 7U));
  EXPECT_EQ(RowName(lists[0].name), (RowName{Thing::space, "s", "b"}));
  EXPECT_EQ(RowName(lists[1].name), (RowName{Thing::space, "t", "a"}));
}

constexpr RowName listed{Thing::space, "t", "g/listed"};
constexpr RowName named{Thing::space, "t", "g/named"};
constexpr RowName other{Thing::space, "t", "g/other"};

ModuleRow row_at(std::uint64_t version) { return {std::make_shared<const Thing>(), version}; }

class RowsOfABatch : public testing::Test {
 protected:
  RowsOfABatch() {
    loaded_.listed.push_back({0, {.name = OwnedRowName(listed), .row = row_at(7)}});
    wanted_.rows.emplace_back(named);
  }
  shared::Changes finished() {
    shared::Changes changes;
    rows().finish(changes);
    return changes;
  }
  shared::RowChanges& rows() {
    if (!rows_) rows_.emplace(wanted_, loaded_);
    return *rows_;
  }

 private:
  shared::Wanted wanted_;
  shared::Loaded loaded_;
  std::optional<shared::RowChanges> rows_;
};

TEST_F(RowsOfABatch, that_came_with_a_list_may_be_changed) {
  rows().put(listed, row_at(9));
  const shared::Changes changes = finished();
  ASSERT_EQ(changes.changed_rows.size(), 1U);
  EXPECT_EQ(changes.changed_rows[0].was, 7U);
  EXPECT_EQ(changes.changed_rows[0].version, 9U);
}

TEST_F(RowsOfABatch, that_came_with_a_list_may_be_removed) {
  EXPECT_TRUE(rows().remove(listed));
  EXPECT_EQ(rows().find(listed), nullptr);
  EXPECT_FALSE(rows().remove(listed));
  const shared::Changes changes = finished();
  ASSERT_EQ(changes.removed_rows.size(), 1U);
  EXPECT_EQ(changes.removed_rows[0].was, 7U);
  EXPECT_TRUE(changes.changed_rows.empty());
}

TEST_F(RowsOfABatch, that_are_put_after_they_were_removed_are_changed) {
  EXPECT_TRUE(rows().remove(listed));
  rows().put(listed, row_at(9));
  const shared::Changes changes = finished();
  ASSERT_EQ(changes.changed_rows.size(), 1U);
  EXPECT_EQ(changes.changed_rows[0].was, 7U);
  EXPECT_TRUE(changes.removed_rows.empty());
  EXPECT_TRUE(changes.new_rows.empty());
}

TEST_F(RowsOfABatch, that_are_new_and_removed_leave_no_trace) {
  EXPECT_FALSE(rows().remove(named));
  rows().put(named, row_at(9));
  EXPECT_TRUE(rows().remove(named));
  const shared::Changes changes = finished();
  EXPECT_TRUE(changes.removed_rows.empty() && changes.new_rows.empty());
}

TEST_F(RowsOfABatch, that_nobody_asked_for_are_not_changed) {
  EXPECT_DEATH(rows().put(other, row_at(9)), "");
  EXPECT_DEATH((void)rows().remove(other), "");
}

}  // namespace
}  // namespace holdfast::test

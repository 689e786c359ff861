#include "evidence/tree.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace holdfast::evidence {
namespace {

using testing::HasSubstr;

/// A journal that can be tampered with.
class EvidenceTree : public testing::Test {
 protected:
  void add(std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      Record& record = records_.emplace_back();
      record.seq = records_.size();
      record.kind = RecordKind::declared;
      record.resource = fmt::format("room_{}", record.seq);
      record.capacity = 1;
    }
  }
  void grow() {
    auto more = tree_.grow(SIZE_MAX);
    while (more && *more) more = tree_.grow(SIZE_MAX);
    ASSERT_TRUE(more) << more.error().message;
  }
  [[nodiscard]] Digest expected(std::size_t size) {
    Frontier tree;
    Leaves leaves(fetch_);
    for (std::size_t i = 0; i < size; ++i) tree.append(*leaves.hash(records_[i]));
    return tree.root();
  }

  std::vector<Record> records_;
  Fetch fetch_ = [this](std::uint64_t after, std::size_t max) {
    std::vector<Record> found;
    for (std::size_t i = after; i < records_.size() && found.size() < max; ++i)
      found.push_back(records_[i]);
    return StoreResult<std::vector<Record>>(std::move(found));
  };
  Tree tree_{fetch_};
};

TEST_F(EvidenceTree, has_the_root_of_every_size_whenever_it_is_asked) {
  for (const std::size_t more : {1U, 1022U, 1U, 1U, 1023U, 3000U}) {
    add(more);
    grow();
    ASSERT_EQ(tree_.size(), records_.size());
  }
  for (const std::uint64_t size :
       {0U, 1U, 2U, 3U, 1023U, 1024U, 1025U, 2047U, 2048U, 2049U, 4000U, 5048U})
    EXPECT_EQ(*tree_.root(size), expected(size)) << size;
  for (const std::uint64_t size : {1U, 1024U, 1025U, 5048U}) {
    for (const std::uint64_t index : {0U, 5U, 1023U, 1024U, 5000U, 5047U}) {
      if (index >= size) continue;
      const Path path = *inclusion_path(tree_, index, size);
      EXPECT_TRUE(proves_inclusion(path, *Leaves(fetch_).hash(records_[index]), index, size,
                                   expected(size)));
    }
  }
}

TEST_F(EvidenceTree, is_read_in_steps) {
  add(5000);
  std::size_t steps = 1;
  while (*tree_.grow(1)) ++steps;
  EXPECT_EQ(steps, 3U);
  EXPECT_EQ(*tree_.root(5000), expected(5000));
}

TEST_F(EvidenceTree, finds_records_that_were_altered_since) {
  add(3000);
  grow();
  const Digest before = *tree_.root(3000);
  records_[70].capacity = 2;
  EXPECT_EQ(*tree_.root(3000), before);  // it was what it was
  const auto path = inclusion_path(tree_, 71, 3000);
  ASSERT_FALSE(path);
  EXPECT_THAT(path.error().message, HasSubstr("Records 1 to 1024 are not what they were"));
  EXPECT_TRUE(inclusion_path(tree_, 1500, 3000));
}

TEST_F(EvidenceTree, starts_over_when_the_journal_is_another_one) {
  add(3000);
  grow();
  records_.resize(2500);  // set back
  add(400);
  records_.back().capacity = 7;
  grow();
  EXPECT_EQ(tree_.restarts(), 1U);
  EXPECT_EQ(tree_.size(), 2900U);
  EXPECT_EQ(*tree_.root(2900), expected(2900));
  add(200);
  records_[2899].capacity = 8;  // gone on with other records
  grow();
  EXPECT_EQ(tree_.restarts(), 2U);
  EXPECT_EQ(*tree_.root(3100), expected(3100));
}

TEST_F(EvidenceTree, refuses_a_journal_with_a_gap) {
  add(10);
  records_.erase(records_.begin() + 4);
  const auto grown = tree_.grow(100);
  ASSERT_FALSE(grown);
  EXPECT_THAT(grown.error().message, HasSubstr("Records 5 to 6"));
}

}  // namespace
}  // namespace holdfast::evidence

#include "engine/replay_tally.hpp"

#include <gmock/gmock.h>

#include <algorithm>

#include "domain/request.hpp"
#include "support/calls.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;
using testing::IsEmpty;
using testing::SizeIs;

Request request(const std::string& token) {
  return make_request(place({.resource = "r", .requester = "q", .duration = 1h}, token));
}

std::vector<Record> in_order(std::vector<Record> records) {
  std::sort(records.begin(), records.end(),
            [](const Record& a, const Record& b) { return a.ref < b.ref; });
  return records;
}

TEST(ReplayTally, counts_by_outcome_from_first_to_last) {
  ReplayTally tally;
  for (const auto later : {2s, 1s, 3s}) tally.note(request("a"), 7, start + later);
  tally.note(request("b"), 9, start);
  const auto taken = in_order(tally.take());
  ASSERT_THAT(taken, SizeIs(2));
  EXPECT_EQ(taken[0].kind, RecordKind::replayed);
  EXPECT_EQ(taken[0].ref, 7U);
  EXPECT_EQ(taken[0].token, "a");
  EXPECT_EQ(taken[0].count, 3);
  EXPECT_EQ(taken[0].first_at, start + 1s);
  EXPECT_EQ(taken[0].at, start + 3s);
  EXPECT_EQ(taken[1].ref, 9U);
  EXPECT_THAT(tally.take(), IsEmpty());
}

TEST(ReplayTally, what_is_put_back_is_counted_with_what_came_meanwhile) {
  ReplayTally tally;
  tally.note(request("a"), 7, start + 1s);
  tally.note(request("b"), 9, start + 1s);
  auto taken = tally.take();
  tally.note(request("a"), 7, start + 5s);
  tally.put_back(std::move(taken));
  const auto again = in_order(tally.take());
  ASSERT_THAT(again, SizeIs(2));
  EXPECT_EQ(again[0].count, 2);
  EXPECT_EQ(again[0].first_at, start + 1s);
  EXPECT_EQ(again[0].at, start + 5s);
  EXPECT_EQ(again[1].token, "b");
  EXPECT_EQ(again[1].count, 1);
}

TEST(ReplayTally, beyond_its_bound_replays_share_a_record_also_when_put_back) {
  ReplayTally tally(1);
  for (std::uint64_t seq = 1; seq <= 3; ++seq) tally.note(request("a"), seq, start + 1s * seq);
  auto taken = in_order(tally.take());
  ASSERT_THAT(taken, SizeIs(2));
  EXPECT_EQ(taken[0].kind, RecordKind::replayed);
  EXPECT_EQ(taken[0].ref, 0U) << "of many records";
  EXPECT_EQ(taken[0].token, "");
  EXPECT_EQ(taken[0].count, 2);
  EXPECT_EQ(taken[0].first_at, start + 2s);
  tally.note(request("d"), 4, start);
  tally.put_back(std::move(taken));
  taken = in_order(tally.take());
  ASSERT_THAT(taken, SizeIs(2));
  EXPECT_EQ(taken[0].count, 3);
  EXPECT_EQ(taken[0].first_at, start + 1s);
  EXPECT_EQ(taken[1].token, "d");
}

TEST(ReplayTally, what_is_noted_of_a_lost_history_goes) {
  ReplayTally tally;
  const std::uint64_t before = tally.history();
  tally.note(request("a"), 7, start, before);
  tally.begin_history();
  tally.note(request("a"), 7, start, before);
  EXPECT_THAT(tally.take(), IsEmpty());
  tally.note(request("a"), 7, start, tally.history());
  EXPECT_THAT(tally.take(), SizeIs(1));
}

}  // namespace
}  // namespace holdfast::test

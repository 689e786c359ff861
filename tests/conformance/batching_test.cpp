// How calls become batches: large enough to share a sync, small enough not to wait for each other.

#include <gmock/gmock.h>

#include <chrono>
#include <mutex>
#include <thread>
#include <vector>

#include "support/stores/service_test.hpp"

namespace holdfast::test {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::Le;
using testing::SizeIs;

class Batching : public ServiceTest {
 protected:
  void begin(std::size_t batch_max = ServiceOptions{}.batch_max) {
    ServiceOptions options = quiet();
    options.batch_max = batch_max;
    options.on_batch = [this](const BatchReport& batch) {
      const std::lock_guard lock(mutex_);
      sizes_.push_back(batch.calls);
    };
    service({}, options);
    gate_.close();
    answers_.close();
    ask_for(1);
    gate_.wait_until_somebody_waits();
  }

  void ask_for(std::size_t calls) {
    for (std::size_t i = 0; i < calls; ++i) {
      const std::string name = "n" + std::to_string(answers_to_come_.size());
      answers_to_come_.push_back(
          ask(place({.resource = name, .requester = "g", .duration = 1h}, name)));
    }
  }

  /// Opened, the first batch goes to a disk that does not come back; the next ones follow.
  void decide_up_to(std::uint64_t holds) {
    gate_.open();
    const auto patience = std::chrono::steady_clock::now() + 60s;
    while (store().records(holds - 1, 1)->empty()) {  // the last of them is not there yet
      ASSERT_LT(std::chrono::steady_clock::now(), patience) << holds;
      std::this_thread::yield();
    }
  }

  std::vector<std::size_t> sizes() {
    answers_.open();
    for (std::future<Answer>& answer : answers_to_come_) EXPECT_THAT(answer.get(), done());
    service().stop();
    const std::lock_guard lock(mutex_);
    return sizes_;
  }

 private:
  std::vector<std::future<Answer>> answers_to_come_;
  std::mutex mutex_;
  std::vector<std::size_t> sizes_;  // guarded by mutex_
};

std::vector<std::string> engines_that(bool embed) {
  std::vector<std::string> found;
  for (const std::string& each : engines()) {
    if (is_embedded(each) == embed) found.push_back(each);
  }
  return found;
}

const auto name_of = [](const auto& engine) { return engine.param; };
INSTANTIATE_TEST_SUITE_P(on, Batching, testing::ValuesIn(engines_that(true)), name_of);

class DatabaseBatching : public Batching {};
INSTANTIATE_TEST_SUITE_P(on, DatabaseBatching, testing::ValuesIn(engines_that(false)), name_of);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(DatabaseBatching);

TEST_P(Batching, a_full_batch_does_not_wait_for_those_on_their_way) {
  begin();
  ask_for(300);
  decide_up_to(301);
  EXPECT_THAT(sizes(), ElementsAre(1, 100, 100, 100));
}

TEST_P(Batching, half_a_batch_joins_one_that_waits_for_the_disk) {
  begin();
  ask_for(100);
  decide_up_to(101);
  answers_.wait_until_somebody_waits();
  gate_.close();
  ask_for(150);
  decide_up_to(251);
  EXPECT_THAT(sizes(), SizeIs(4)) << "all without waiting for the disk";
}

TEST_P(Batching, the_longer_the_disk_takes_the_larger_batches_become) {
  begin();
  ask_for(1000);
  decide_up_to(601);
  std::vector<std::size_t> found = sizes();
  ASSERT_GE(found.size(), 6U);
  found.resize(6);
  EXPECT_THAT(found, ElementsAre(1, 100, 100, 100, 100, 200));
  const auto records = store().records(0, 1001);
  ASSERT_TRUE(records);
  ASSERT_EQ(records->size(), 1001U);
  for (std::size_t i = 0; i < records->size(); ++i) {
    ASSERT_EQ((*records)[i].token, "n" + std::to_string(i)) << "in the order of the calls";
  }
}

TEST_P(Batching, no_batch_is_larger_than_it_may_be) {
  begin(120);
  ask_for(1000);
  decide_up_to(501);
  EXPECT_THAT(sizes(), Each(Le(120)));
}

TEST_P(Batching, batches_are_smaller_if_they_must_be) {
  begin(7);
  ask_for(30);
  decide_up_to(8);
  EXPECT_THAT(sizes(), Each(Le(7)));
}

TEST_P(DatabaseBatching, whatever_waits_goes_together) {
  begin();
  ask_for(300);
  decide_up_to(301);
  EXPECT_THAT(sizes(), ElementsAre(1, 300));
}

}  // namespace
}  // namespace holdfast::test

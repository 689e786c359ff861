// A commit that hangs. While the disk takes its time over a sync:
//
//   - a duplicate of a call on its way waits for it, and past its operation's `overlap_wait` is
//   told
//     `in-progress`; another body under its token is told that it collides, not that it should
//     wait;
//   - other calls just wait;
//   - counts are told at once, of what is durable, and hold nobody up;
//   - stopping waits for everything that was accepted, and it is durable afterwards.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <condition_variable>

#include "crash/opening.hpp"
#include "support/calls.hpp"
#include "support/disks/faulty_vfs.hpp"
#include "support/journals/audit.hpp"
#include "support/temp_dir.hpp"

namespace holdfast::test {
namespace {

/// Holds up whoever passes while it is closed.
class Gate {
 public:
  void close() {
    const std::lock_guard lock(mutex_);
    closed_ = true;
  }
  void open() {
    const std::lock_guard lock(mutex_);
    closed_ = false;
    changed_.notify_all();
  }
  void let_one_through() {
    const std::lock_guard lock(mutex_);
    ++passes_;
    changed_.notify_all();
  }
  void wait_until_somebody_waits(int arrivals = 1) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return waiting_ > 0 && arrived_ >= arrivals; });
  }
  void pass() {
    std::unique_lock lock(mutex_);
    if (closed_) ++arrived_;
    ++waiting_;
    changed_.notify_all();
    changed_.wait(lock, [&] { return !closed_ || passes_ > 0; });
    if (passes_ > 0) --passes_;
    --waiting_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool closed_ = false;  // guarded by mutex_
  int waiting_ = 0;      // guarded by mutex_
  int arrived_ = 0;      // guarded by mutex_: while it was closed
  int passes_ = 0;       // guarded by mutex_
};

class HangingDisk : public ::testing::Test {
 protected:
  void SetUp() override {
    opening_.store = dir_.file("store.db");
    opening_.vfs = disk_.vfs();
    opening_.clock = clock_;
    opening_.observer = [this](Stage stage) {
      if (stage == Stage::write) writes_.pass();
    };
    opening_.rules.policies[Operation::hold_place].overlap_wait = 10s;
    opening_.rules.policies[Operation::hold_confirm].overlap_wait = 1s;
    auto opened = open_service(opening_);
    ASSERT_TRUE(opened) << opened.error().message;
    service_ = std::move(*opened);
    disk_.set_fault([this](const DiskCall& call) {
      if (call.action == DiskAction::sync && call.file == DiskFile::log) gate_.pass();
      return SQLITE_OK;
    });
  }

  void TearDown() override {
    writes_.open();
    gate_.open();
    if (!service_) return;
    EXPECT_THAT(violations(service_->store()), ::testing::IsEmpty());
    service_.reset();
  }

  static Call placing(const std::string& token, const std::string& resource) {
    return place({.resource = resource, .requester = "guest", .duration = 1h}, token);
  }

  /// Two batches: the second is decided while the first is on its way to the disk. (With nothing to
  /// decide, the writer would wait for the disk, too.)
  std::pair<std::future<Answer>, std::future<Answer>> ask_one_behind_the_other(Call one, Call two) {
    writes_.close();
    auto first = ask(*service_, std::move(one));
    writes_.wait_until_somebody_waits();
    auto second = ask(*service_, std::move(two));
    writes_.let_one_through();
    gate_.wait_until_somebody_waits();
    writes_.open();
    return {std::move(first), std::move(second)};
  }

  /// What must come although the disk still hangs. Never in time, if it is broken.
  template <typename T>
  static T answer_of(std::future<T>& asked) {
    const bool given = asked.wait_for(60s) == std::future_status::ready;
    EXPECT_TRUE(given) << "no answer while the disk hangs";
    return given ? asked.get() : T{};
  }

  static bool waits(const std::future<Answer>& asked) {
    return asked.wait_for(0s) == std::future_status::timeout;
  }

  const TempDir dir_;
  FaultyDisk disk_;
  Gate writes_;  ///< of a batch to the log
  Gate gate_;    ///< syncs of the log
  const std::shared_ptr<SettableClock> clock_ = std::make_shared<SettableClock>(start);
  Opening opening_;
  std::unique_ptr<Service> service_;
};

TEST_F(HangingDisk, a_duplicate_is_told_in_progress_and_another_body_that_it_collides) {
  gate_.close();
  auto first = ask(*service_, placing("t", "a"));
  gate_.wait_until_somebody_waits();
  auto duplicate = ask(*service_, placing("t", "a"));
  auto another = ask(*service_, placing("t", "b"));
  auto stranger = ask(*service_, placing("u", "c"));
  EXPECT_TRUE(waits(duplicate) && waits(another));

  clock_->advance(10s);
  const Answer told = answer_of(duplicate);
  EXPECT_THAT(told, refused(Rejection::in_progress));
  EXPECT_THAT(told, token_unused());
  EXPECT_THAT(answer_of(another), refused(Rejection::token_collision));
  EXPECT_TRUE(waits(first) && waits(stranger)) << "nothing is durable yet";

  gate_.open();
  const Answer answer = first.get();
  EXPECT_THAT(answer, done());
  EXPECT_THAT(answer, test::first());
  EXPECT_THAT(stranger.get(), done());
  EXPECT_THAT(submit(*service_, placing("t", "a")), replay_of(answer));
  EXPECT_THAT(submit(*service_, placing("t", "b")), refused(Rejection::token_collision));
}

/// Its effect was on its way when it was asked for again. By the time it has waited too long, that
/// is durable, and another use of the token is not: by which nothing of it is told.
TEST_F(HangingDisk, a_retry_behind_a_collision_is_not_told_that_it_collides) {
  const auto all_taken = [&] {
    while (service_->queued() > 0) std::this_thread::sleep_for(1ms);
  };
  EXPECT_THAT(submit(*service_, placing("s", "e")), done());  // the log has begun
  gate_.close();
  auto [original, intruder] = ask_one_behind_the_other(placing("t", "a"), placing("t", "b"));
  all_taken();
  auto one = ask(*service_, placing("u", "c"));
  auto two = ask(*service_, placing("v", "d"));
  all_taken();
  auto retry = ask(*service_, placing("t", "a"));
  gate_.let_one_through();
  const Answer answer = original.get();
  EXPECT_THAT(answer, done());
  gate_.wait_until_somebody_waits(2);

  clock_->advance(10s);
  const Answer told = answer_of(retry);
  EXPECT_THAT(told, refused(Rejection::in_progress));
  EXPECT_THAT(told, token_unused());
  gate_.open();
  EXPECT_THAT(intruder.get(), refused(Rejection::token_collision));
  EXPECT_THAT(one.get(), done());
  EXPECT_THAT(two.get(), done());
  EXPECT_THAT(submit(*service_, placing("t", "a")), replay_of(answer));
}

/// A call that was refused and recorded nothing does not own the token: the next one with it may
/// have its effect, and must not be told to use another.
TEST_F(HangingDisk, a_call_that_may_have_had_an_effect_is_not_told_that_it_collides) {
  service_.reset();
  opening_.rules.policies[Operation::hold_place].on_reject = OnReject::release;
  auto opened = open_service(opening_);
  ASSERT_TRUE(opened) << opened.error().message;
  service_ = std::move(*opened);
  ASSERT_THAT(submit(*service_, placing("earlier", "a")), done());
  gate_.close();
  auto [other, unrecorded] = ask_one_behind_the_other(placing("other", "c"), placing("t", "a"));
  auto placed = ask(*service_, placing("t", "b"));
  std::vector<std::future<Answer>> more;  // enough to be decided beside those that wait
  for (int i = 0; i < 8; ++i)
    more.push_back(ask(*service_, placing(fmt::format("m{}", i), fmt::format("m{}", i))));
  std::this_thread::sleep_for(200ms);
  clock_->advance(10s);
  std::this_thread::sleep_for(300ms);  // those that wait too long are looked for meanwhile
  const bool waited = waits(placed);
  gate_.open();
  EXPECT_THAT(unrecorded.get(), refused(Rejection::resource_unavailable));
  const Answer answer = placed.get();
  EXPECT_TRUE(!waited || answer.ok());
  // It may have been told while it was in the queue; then nothing of it is there.
  EXPECT_EQ(service_->store().resource("default", "b")->in_use, answer.ok() ? 1 : 0);
  EXPECT_THAT(other.get(), done());
  for (std::future<Answer>& each : more) EXPECT_THAT(each.get(), done());
}

/// A call in the queue has no answer to give either: whoever repeats it does not wait for ever.
TEST_F(HangingDisk, a_duplicate_of_a_call_in_the_queue_is_told_in_progress_too) {
  gate_.close();
  auto first = ask(*service_, placing("s", "e"));
  gate_.wait_until_somebody_waits();
  auto queued = ask(*service_, placing("t", "a"));
  auto duplicate = ask(*service_, placing("t", "a"));
  auto another = ask(*service_, placing("t", "b"));
  clock_->advance(10s);
  EXPECT_THAT(answer_of(duplicate), refused(Rejection::in_progress));
  const Answer told = answer_of(another);
  EXPECT_THAT(told, refused(Rejection::in_progress)) << "nobody owns the token yet";
  EXPECT_THAT(told, token_unused());
  EXPECT_TRUE(waits(queued));
  gate_.open();
  EXPECT_THAT(first.get(), done());
  const Answer answer = queued.get();
  EXPECT_THAT(answer, done());
  EXPECT_THAT(submit(*service_, placing("t", "a")), replay_of(answer));
}

/// Each operation has its own patience: who waits first in the queue does not matter.
TEST_F(HangingDisk, the_less_patient_need_not_wait_for_the_more_patient) {
  const Answer held = submit(*service_, placing("held", "a"));
  gate_.close();
  auto first = ask(*service_, confirm(held.hold->id, "c"));
  gate_.wait_until_somebody_waits();
  auto patient = ask(*service_, placing("p", "b"));
  auto duplicate = ask(*service_, confirm(held.hold->id, "c"));
  clock_->advance(1s);
  EXPECT_THAT(answer_of(duplicate), refused(Rejection::in_progress));
  EXPECT_TRUE(waits(patient));
  gate_.open();
  EXPECT_THAT(first.get(), done());
  EXPECT_THAT(patient.get(), done());
}

TEST_F(HangingDisk, a_duplicate_that_need_not_wait_too_long_gets_the_answer) {
  gate_.close();
  auto first = ask(*service_, placing("t", "a"));
  gate_.wait_until_somebody_waits();
  auto duplicate = ask(*service_, placing("t", "a"));
  clock_->advance(10s - 1us);
  gate_.open();
  const Answer answer = first.get();
  EXPECT_THAT(answer, done());
  EXPECT_THAT(duplicate.get(), replay_of(answer));
}

/// Whoever watches the service asks for counts all the time. They wait for no disk, keep no batch
/// from being decided and written, and say nothing that a power failure could take back.
TEST_F(HangingDisk, counts_are_of_what_is_durable_and_wait_for_nothing) {
  EXPECT_THAT(submit(*service_, placing("s", "e")), done());
  const Counts before = service_->store().counts();
  EXPECT_EQ(before.holds, 1U);
  gate_.close();
  auto [first, second] = ask_one_behind_the_other(placing("t", "a"), placing("u", "b"));
  std::vector<std::future<Counts>> watching(3);
  for (auto& each : watching)
    each = std::async(std::launch::async, [&] { return service_->store().counts(); });
  for (auto& each : watching) {
    const Counts counts = answer_of(each);
    EXPECT_EQ(counts.records, before.records);
    EXPECT_EQ(counts.holds, before.holds);
    EXPECT_EQ(counts.live_tokens, before.live_tokens);
    EXPECT_EQ(counts.resources, before.resources);
  }
  while (service_->queued() > 0) std::this_thread::sleep_for(1ms);  // the second is decided, too
  EXPECT_TRUE(waits(first) && waits(second)) << "nothing is durable yet";
  EXPECT_EQ(service_->store().counts().holds, 1U);
  gate_.open();
  EXPECT_THAT(first.get(), done());
  EXPECT_GE(service_->store().counts().holds, 2U) << "whoever was answered is counted";
  EXPECT_THAT(second.get(), done());
  EXPECT_EQ(service_->store().counts().holds, 3U);
}

TEST_F(HangingDisk, stopping_finishes_what_was_accepted) {
  gate_.close();
  std::vector<std::future<Answer>> accepted;
  accepted.push_back(ask(*service_, placing("t0", "r0")));
  gate_.wait_until_somebody_waits();
  for (int i = 1; i < 50; ++i) {
    accepted.push_back(ask(*service_, placing(fmt::format("t{}", i), fmt::format("r{}", i))));
  }
  std::thread stopping([&] { service_->stop(); });
  while (true) {  // until the service has heard of it, calls are still accepted
    auto late = ask(*service_, placing(fmt::format("late{}", accepted.size()), "late"));
    if (!waits(late)) {
      const Answer refusal = late.get();
      EXPECT_THAT(refusal, refused(Rejection::store_unavailable));
      EXPECT_THAT(refusal, token_unused());
      EXPECT_EQ(refusal.effect, Effect::none);
      break;
    }
    accepted.push_back(std::move(late));
    std::this_thread::yield();
  }
  EXPECT_TRUE(waits(accepted.front()));
  gate_.open();
  stopping.join();
  std::vector<Answer> answers;
  for (auto& each : accepted) {
    ASSERT_FALSE(waits(each)) << "stopped without an answer";
    answers.push_back(each.get());
    EXPECT_TRUE(answers.back().recorded) << words(answers.back());
  }
  service_.reset();
  auto reopened = open_service(opening_);
  ASSERT_TRUE(reopened) << reopened.error().message;
  service_ = std::move(*reopened);
  EXPECT_THAT(submit(*service_, placing("t0", "r0")), replay_of(answers[0]));
  EXPECT_THAT(submit(*service_, placing("t49", "r49")), replay_of(answers[49]));
}

}  // namespace
}  // namespace holdfast::test

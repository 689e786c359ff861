// A disk that fails while the store is in use.
//
//   - A sync fails: whoever waited for it is told that the effect is unknown; from then on nothing
//     is acknowledged, no new call and no replay, until the store is opened again. Then the tokens
//     tell what happened, and everything acknowledged before is there.
//   - A write fails: the same.
//   - The disk is full: the call is told that it had no effect, and it had none, crash or not; what
//     was there before stays and is still answered; once there is room the same tokens succeed, in
//     the same process. On a made-up disk, at every byte of a commit, and on a real one.
//
// The stories told to the clients are compared with the store by crash/witness.hpp.

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <cstring>

#include "crash/witness.hpp"
#include "support/disks/faulty_vfs.hpp"
#include "support/disks/small_disk.hpp"
#include "support/journals/audit.hpp"
#include "support/temp_dir.hpp"

namespace holdfast::test {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

class FailingDisk : public ::testing::Test {
 protected:
  void SetUp() override { open(); }

  void open() {
    Opening opening;
    opening.store = dir_.file("store.db");
    opening.vfs = disk_.vfs();
    opening.clock = clock_;
    opening.log_pages = log_pages_;
    auto opened = open_service(opening);
    ASSERT_TRUE(opened) << opened.error().message;
    service_ = std::move(*opened);
  }

  void close() { service_.reset(); }

  /// Asks, and remembers what was said.
  Answer tell(const Call& call) {
    const std::uint64_t number = witness_.sent(call);
    Answer answer = submit(*service_, call);
    witness_.told(number, answer);
    return answer;
  }

  void work(std::uint64_t seed, std::uint64_t calls_each) {
    Load(*service_, {.seed = seed, .clients = 4, .calls_each = calls_each}, witness_).run();
  }

  void expect_sound() { EXPECT_THAT(witness_.judge(*service_, witness_.calls(), 1), IsEmpty()); }

  static Call placing(const std::string& token, const std::string& resource) {
    return place({.resource = resource, .requester = "guest", .duration = 1h}, token);
  }

  static FaultyDisk::Fault failing(DiskAction action, DiskFile file, int code, int after = 0) {
    auto left = std::make_shared<std::atomic<int>>(after);
    return [=](const DiskCall& call) {
      if (call.action != action || call.file != file) return SQLITE_OK;
      return (*left)-- > 0 ? SQLITE_OK : code;
    };
  }

  int log_pages_ = Opening().log_pages;
  const TempDir dir_;
  FaultyDisk disk_{DiskMemory::unsynced};
  const std::shared_ptr<SettableClock> clock_ = std::make_shared<SettableClock>(start);
  std::unique_ptr<Service> service_;
  Witness witness_;
};

class FailingSync : public FailingDisk {};

TEST_F(FailingSync, nothing_is_acknowledged_until_the_store_is_opened_again) {
  const Answer before = tell(placing("before", "a"));
  ASSERT_THAT(before, done());
  disk_.set_fault(failing(DiskAction::sync, DiskFile::log, SQLITE_IOERR_FSYNC));
  const Answer during = tell(placing("during", "b"));
  EXPECT_THAT(during, refused(Rejection::store_unavailable));
  EXPECT_EQ(during.effect, Effect::unknown);
  EXPECT_EQ(during.token_action(), TokenAction::reuse);
  EXPECT_THAT(during.note, HasSubstr("opened again"));

  disk_.clear_fault();  // the disk is well again, but nobody knows what it holds
  for (const Call& call : {placing("before", "a"), placing("during", "b"), placing("after", "c")}) {
    const Answer answer = tell(call);
    EXPECT_THAT(answer, refused(Rejection::store_unavailable)) << call.token.bytes();
    EXPECT_THAT(answer.note, HasSubstr("opened again"));
  }
  const auto unknown = service_->store().token("default", "during");
  EXPECT_FALSE(unknown && *unknown) << "it is not known to be durable";

  close();
  open();
  EXPECT_THAT(tell(placing("before", "a")), replay_of(before));
  expect_sound();
}

/// A retry that meets the closed store cannot know what became of the first call.
TEST_F(FailingSync, a_retry_is_not_told_that_nothing_happened) {
  disk_.set_fault(failing(DiskAction::sync, DiskFile::log, SQLITE_IOERR_FSYNC));
  EXPECT_EQ(submit(*service_, placing("t", "a")).effect, Effect::unknown);
  EXPECT_EQ(submit(*service_, placing("t", "a")).effect, Effect::unknown);
}

/// The log is being moved into the database by a thread of its own. If that fails as well, and only
/// while the store is being closed, there is still somebody to tell.
TEST_F(FailingSync, a_store_can_be_closed_while_its_log_is_being_moved) {
  close();
  log_pages_ = 1;
  open();
  std::promise<void> begun;
  std::promise<void> go_on;
  std::atomic<bool> syncs_fail{false};
  std::atomic<bool> moving{false};
  disk_.set_fault([&, may_go_on = go_on.get_future().share()](const DiskCall& call) {
    if (call.action == DiskAction::sync && call.file == DiskFile::log && syncs_fail)
      return SQLITE_IOERR_FSYNC;
    if (call.action != DiskAction::write || call.file != DiskFile::database) return SQLITE_OK;
    if (!moving.exchange(true)) begun.set_value();
    may_go_on.wait();
    return SQLITE_IOERR_WRITE;
  });
  EXPECT_THAT(tell(placing("before", "a")), first());
  begun.get_future().wait();
  syncs_fail = true;
  EXPECT_THAT(tell(placing("during", "b")), refused(Rejection::store_unavailable));
  std::thread closing([&] { close(); });
  std::this_thread::sleep_for(50ms);  // it waits by now, most likely
  go_on.set_value();
  closing.join();
  disk_.clear_fault();
  open();
  expect_sound();
}

TEST_F(FailingSync, under_load_the_tokens_tell_the_truth) {
  for (int round = 0; round < 25; ++round) {
    SCOPED_TRACE(round);
    disk_.set_fault(failing(DiskAction::sync, DiskFile::log, SQLITE_IOERR_FSYNC, round));
    work(static_cast<std::uint64_t>(round), 1000);
    EXPECT_THAT(submit(*service_, placing("probe", "probe")),
                refused(Rejection::store_unavailable));
    disk_.clear_fault();
    if (round % 2 == 0) disk_.kill_process();
    close();
    disk_.restart_process();
    ASSERT_NO_FATAL_FAILURE(open());
    expect_sound();
    ASSERT_FALSE(HasFailure());
  }
}

class FailingWrite : public FailingDisk {};

TEST_F(FailingWrite, under_load_the_tokens_tell_the_truth) {
  for (int round = 0; round < 25; ++round) {
    SCOPED_TRACE(round);
    disk_.set_fault(failing(DiskAction::write, DiskFile::log, SQLITE_IOERR_WRITE, 3 * round));
    work(static_cast<std::uint64_t>(round), 1000);
    disk_.clear_fault();
    EXPECT_THAT(submit(*service_, placing("probe", "probe")),
                refused(Rejection::store_unavailable));
    if (round % 2 == 0) disk_.kill_process();
    close();
    disk_.restart_process();
    ASSERT_NO_FATAL_FAILURE(open());
    expect_sound();
    ASSERT_FALSE(HasFailure());
  }
}

/// Reads that fail are errors, never "there is no such thing".
TEST_F(FailingDisk, a_read_that_fails_says_so) {
  const Answer held = tell(placing("t", "a"));
  close();
  disk_.set_fault(failing(DiskAction::read, DiskFile::database, SQLITE_IOERR_READ));
  Opening opening;
  opening.store = dir_.file("store.db");
  opening.vfs = disk_.vfs();
  opening.clock = clock_;
  const auto refusal = open_service(opening);
  ASSERT_FALSE(refusal);
  EXPECT_THAT(refusal.error().message, HasSubstr("store.db"));
  EXPECT_THAT(refusal.error().message, HasSubstr("Check the disk"));
  disk_.clear_fault();
  ASSERT_NO_FATAL_FAILURE(open());
  EXPECT_THAT(tell(placing("t", "a")), replay_of(held));
}

class FullDisk : public FailingDisk {
 protected:
  /// Asks until there is no room any more. A log that was emptied has some, at first.
  std::pair<Call, Answer> fill() {
    while (true) {
      const std::string name = fmt::format("fill-{}", ++fills_);
      Call call = placing(name, name);
      if (Answer answer = tell(call); !answer.ok()) return {std::move(call), std::move(answer)};
    }
  }

 private:
  int fills_ = 0;
};

TEST_F(FullDisk, a_call_has_no_effect_and_succeeds_with_its_token_once_there_is_room) {
  const Answer before = tell(placing("before", "a"));
  disk_.set_room(0);
  const auto [call, refusal] = fill();
  EXPECT_THAT(refusal, refused(Rejection::store_unavailable));
  EXPECT_THAT(refusal, token_unused());
  EXPECT_EQ(refusal.effect, Effect::none);
  EXPECT_THAT(refusal.note, HasSubstr("make room"));

  EXPECT_THAT(tell(placing("before", "a")), replay_of(before)) << "known outcomes need no room";
  EXPECT_EQ(service_->store().resource("default", call.command.as<Placing>()->resource)->in_use, 0);
  const auto unused = service_->store().token("default", call.token.bytes());
  EXPECT_TRUE(unused && !*unused);
  EXPECT_THAT(tell(call), refused(Rejection::store_unavailable));

  disk_.make_room();
  const Answer answer = tell(call);
  EXPECT_THAT(answer, done());
  EXPECT_THAT(answer, first());
  expect_sound();
  close();
  open();
  EXPECT_THAT(tell(call), replay_of(answer));
  expect_sound();
}

/// A commit is cut short at every length, and the process crashes right after: what had no effect
/// must have none after recovery either.
TEST_F(FullDisk, at_any_byte_of_a_commit_even_if_the_process_crashes_next) {
  for (int room = 0; room < 26'000; room += 509) {
    SCOPED_TRACE(room);
    disk_.set_room(room);
    const auto [call, refusal] = fill();
    disk_.make_room();
    EXPECT_EQ(refusal.effect, Effect::none);
    disk_.kill_process();
    close();
    disk_.restart_process();
    ASSERT_NO_FATAL_FAILURE(open());
    const auto unused = service_->store().token("default", call.token.bytes());
    ASSERT_TRUE(unused && !*unused) << "it was told that it had no effect";
    EXPECT_THAT(tell(call), first());
    EXPECT_THAT(violations(service_->store()), IsEmpty());
    ASSERT_FALSE(HasFailure());
  }
  expect_sound();
}

TEST_F(FullDisk, under_load_nothing_is_lost_and_nothing_is_half) {
  for (std::uint64_t round = 0; round < 20; ++round) {
    SCOPED_TRACE(round);
    disk_.set_room(static_cast<std::int64_t>(round * 17'000));
    work(round, 1000);
    disk_.make_room();
    expect_sound();
    ASSERT_FALSE(HasFailure());
    close();
    ASSERT_NO_FATAL_FAILURE(open());
  }
}

TEST(RealDisk, full_and_with_room_again) {
  const SmallDisk disk("3m");
  if (disk.error() != 0) {
    GTEST_SKIP() << "cannot mount a small disk: " << std::strerror(disk.error());
  }
  disk.leave_room(2'000'000);
  Opening opening;
  opening.store = disk.file("store.db");
  opening.clock = std::make_shared<SettableClock>(start);
  auto service = open_service(opening);
  ASSERT_TRUE(service) << service.error().message;
  Witness witness;
  const std::string long_name(1000, 'n');
  const auto tell = [&](int i) {
    const Call call = place(
        {.resource = fmt::format("{}{}", i, long_name), .requester = long_name, .duration = 1h},
        fmt::format("t{}", i));
    const std::uint64_t number = witness.sent(call);
    Answer answer = submit(**service, call);
    witness.told(number, answer);
    return answer;
  };
  int i = 0;
  Answer answer = tell(i);
  while (answer.ok()) answer = tell(++i);
  ASSERT_THAT(answer, refused(Rejection::store_unavailable));
  EXPECT_EQ(answer.effect, Effect::none);
  EXPECT_THAT(answer.note, HasSubstr("make room"));
  EXPECT_THAT(tell(0), done()) << "what is known is still answered";

  disk.make_room();
  EXPECT_THAT(tell(i), first()) << "with room, the same token in the same process";
  EXPECT_THAT(witness.judge(**service, witness.calls(), 1), IsEmpty());
  service->reset();
  service = open_service(opening);
  ASSERT_TRUE(service) << service.error().message;
  EXPECT_THAT(witness.judge(**service, witness.calls(), 1), IsEmpty());
}

}  // namespace
}  // namespace holdfast::test

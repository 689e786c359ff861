// DUR-1 and DUR-2 against a loss of power. The store works on a disk (support/faulty_vfs.hpp) that
// knows what was synced and what was not. The power goes at a random call to that disk; what was
// not synced survives in part: nothing, everything, a beginning, or sectors here and there. Then
// the store is opened on what is left and judged by what the clients know (crash/witness.hpp), more
// than a hundred times on one store.
//
// The unkind cases have tests of their own: the process is killed first, and what it wrote without
// a sync is read, answered again, and only then the power goes; a sync fails and the kernel forgets
// what it could not write; the log is being moved into the database.
//
// The last test lets the disk lie about its syncs and expects the judge to notice, because a test
// that cannot fail proves nothing.
//
// HOLDFAST_POWER_ROUNDS=n and HOLDFAST_CRASH_SEED=n make it longer or different.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <array>
#include <cstdlib>

#include "crash/environment.hpp"
#include "crash/witness.hpp"
#include "support/disks/faulty_vfs.hpp"
#include "support/temp_dir.hpp"

namespace holdfast::test {
namespace {

class Power : public ::testing::Test {
 protected:
  using When = std::function<bool(const DiskCall&)>;

  /// A process works until, at a call for which `when` is true, `what` happens to the disk. It may
  /// be over before that.
  void work(const When& when, const std::function<int()>& what) {
    const LoadOptions load{.seed = random_(), .clients = 4, .calls_each = 16};
    disk_.set_fault([=, struck = std::make_shared<std::atomic<bool>>(false)](const DiskCall& call) {
      if (struck->load() || !when(call) || struck->exchange(true)) return SQLITE_OK;
      return what();
    });
    if (auto service = open_service(opening())) Load(**service, load, witness_).run();
    disk_.clear_fault();
  }

  void work_until_killed(const When& when) {
    work(when, [this] { return disk_.kill_process(), SQLITE_IOERR; });
    disk_.kill_process();
  }

  Opening opening() {
    Opening opening;
    opening.store = store_;
    opening.vfs = disk_.vfs();
    opening.clock = clock_;
    opening.sweep_every = std::chrono::milliseconds(2);
    opening.log_pages = random_() % 2 == 0 ? 12 : 16'384;
    return opening;
  }

  void lose_power() {
    disk_.kill_process();
    disk_.lose_power(random_());
    disk_.restart_process();
  }

  /// Opens the store as it is and asks every open question. What it is told it remembers.
  std::vector<std::string> judge(std::size_t earlier_max = 200) {
    clock_->advance(std::chrono::milliseconds(7));
    Opening quiet = opening();
    quiet.sweep_every = Duration::zero();
    auto service = open_service(quiet);
    if (!service) return {service.error().message};
    auto complaints = witness_.judge(**service, earlier_max, random_());
    if (random_() % 2 == 0) disk_.kill_process();
    service->reset();
    disk_.restart_process();
    return complaints;
  }

  void expect_sound(std::size_t earlier_max = 200) {
    ASSERT_THAT(judge(earlier_max), ::testing::IsEmpty());
  }

  /// At the n-th call to the disk, whatever it is.
  static When call_number(std::uint64_t n) {
    auto left = std::make_shared<std::atomic<std::int64_t>>(static_cast<std::int64_t>(n));
    return [left](const DiskCall&) { return --*left == 0; };
  }

  static When number(std::uint64_t n, DiskAction action, DiskFile file) {
    auto left = std::make_shared<std::atomic<std::int64_t>>(static_cast<std::int64_t>(n));
    return [=](const DiskCall& call) {
      return call.action == action && call.file == file && --*left == 0;
    };
  }

  const std::uint64_t seed_ = from_environment("HOLDFAST_CRASH_SEED", 1);
  const std::uint64_t rounds_ = from_environment("HOLDFAST_POWER_ROUNDS", 120);
  std::mt19937_64 random_{seed_};
  const TempDir dir_;
  const std::string store_ = dir_.file("store.db");
  FaultyDisk disk_{DiskMemory::unsynced};
  const std::shared_ptr<SettableClock> clock_ = std::make_shared<SettableClock>(start);
  Witness witness_;
};

TEST_F(Power, a_hundred_cuts_lose_nothing_that_was_acknowledged) {
  for (std::uint64_t round = 1; round <= rounds_; ++round) {
    SCOPED_TRACE(fmt::format("HOLDFAST_CRASH_SEED={}, cut {}", seed_, round));
    work_until_killed(call_number(1 + random_() % 400));
    lose_power();
    ASSERT_NO_FATAL_FAILURE(expect_sound());
  }
  ASSERT_NO_FATAL_FAILURE(expect_sound(witness_.calls()));
  EXPECT_GE(rounds_, 100U);
  EXPECT_GT(witness_.acknowledged(), 0U);
}

/// What a killed process wrote and did not sync, the next one reads. Before it tells anybody, it
/// has to be durable.
TEST_F(Power, what_a_killed_process_left_unsynced_is_not_answered_before_it_is_durable) {
  for (int round = 1; round <= 40; ++round) {
    SCOPED_TRACE(fmt::format("HOLDFAST_CRASH_SEED={}, round {}", seed_, round));
    work_until_killed(number(1 + random_() % 20, DiskAction::sync, DiskFile::log));
    disk_.restart_process();
    ASSERT_NO_FATAL_FAILURE(expect_sound());
    lose_power();
    ASSERT_NO_FATAL_FAILURE(expect_sound());
  }
}

/// After a failed sync the kernel shows what it could not write as if it had: a later sync says
/// nothing of it.
TEST_F(Power, what_a_failed_sync_left_behind_is_not_taken_for_durable) {
  for (int round = 1; round <= 40; ++round) {
    SCOPED_TRACE(fmt::format("HOLDFAST_CRASH_SEED={}, round {}", seed_, round));
    const auto fail = [] { return SQLITE_IOERR_FSYNC; };
    work(number(1 + random_() % 20, DiskAction::sync, DiskFile::log), fail);
    if (round % 2 == 0) disk_.kill_process();
    disk_.restart_process();
    ASSERT_NO_FATAL_FAILURE(expect_sound());
    work_until_killed(call_number(1 + random_() % 300));
    lose_power();
    ASSERT_NO_FATAL_FAILURE(expect_sound());
  }
}

TEST_F(Power, a_cut_while_the_log_is_moved_into_the_database) {
  for (int round = 1; round <= 40; ++round) {
    SCOPED_TRACE(fmt::format("HOLDFAST_CRASH_SEED={}, round {}", seed_, round));
    const auto action = std::array{DiskAction::write, DiskAction::sync}[random_() % 2];
    work_until_killed(number(1 + random_() % 8, action, DiskFile::database));
    lose_power();
    ASSERT_NO_FATAL_FAILURE(expect_sound());
  }
}

/// The log may be overwritten only when all of it is in the database, for certain.
TEST_F(Power, a_failed_sync_of_the_database_loses_nothing) {
  for (int round = 1; round <= 40; ++round) {
    SCOPED_TRACE(fmt::format("HOLDFAST_CRASH_SEED={}, round {}", seed_, round));
    const auto fail = [] { return SQLITE_IOERR_FSYNC; };
    work(number(1 + random_() % 4, DiskAction::sync, DiskFile::database), fail);
    if (round % 2 == 0) {
      ASSERT_NO_FATAL_FAILURE(expect_sound());
      work_until_killed(call_number(1 + random_() % 600));
    }
    lose_power();
    ASSERT_NO_FATAL_FAILURE(expect_sound());
  }
}

TEST_F(Power, a_disk_that_lies_is_found_out) {
  disk_.lie_about_syncs(true);
  bool found_out = false;
  for (int round = 0; round < 40 && !found_out; ++round) {
    work_until_killed(call_number(100 + random_() % 300));
    lose_power();
    found_out = !judge().empty();
  }
  EXPECT_TRUE(found_out);
}

}  // namespace
}  // namespace holdfast::test

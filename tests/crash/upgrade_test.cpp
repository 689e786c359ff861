// An upgrade that is killed before each of its steps, and on a file at every call to the disk, with
// and without a loss of power. What is left is of the old schema or of the new one; upgraded again,
// it gives every token its answer.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <array>
#include <csignal>
#include <filesystem>
#include <fstream>

#include "engine/auditing.hpp"
#include "store/open.hpp"
#include "support/disks/faulty_vfs.hpp"
#include "support/gzip.hpp"
#include "support/old_stores.hpp"
#include "support/paths.hpp"
#include "support/processes/child_process.hpp"
#include "support/temp_dir.hpp"

namespace holdfast::test {

void PrintTo(const OldStoreName& name, std::ostream* out) { *out << text_of(name); }

namespace {

using testing::AnyOf;
using testing::HasSubstr;
using testing::IsEmpty;

void expect_clean(const std::string& store) {
  const auto reader = read_records(store);
  ASSERT_TRUE(reader) << reader.error().message;
  const auto verdict = audit_records(**reader);
  ASSERT_TRUE(verdict) << verdict.error().message;
  EXPECT_TRUE(verdict->clean());
}

/// On one store: the next upgrade begins with what the one before has left.
class KilledUpgrade : public testing::TestWithParam<OldStoreName> {
 protected:
  [[nodiscard]] int schema() const {
    const auto status = store_status(old_.store());
    EXPECT_TRUE(status) << status.error().message;
    return status ? status->schema : 0;
  }

  const OldStore old_{GetParam()};
};
INSTANTIATE_TEST_SUITE_P(of, KilledUpgrade, testing::ValuesIn(old_stores(2)),
                         [](const auto& name) { return text_of(name.param); });

TEST_P(KilledUpgrade, is_done_by_the_next_whatever_step_it_came_to) {
  int kills = 0;
  for (int step = 1;; ++step) {
    ChildProcess worker({HOLDFAST_WORKER("upgrade"), old_.store(), std::to_string(step)});
    const auto said = worker.read_line();
    const int end = worker.wait();
    ASSERT_THAT(end, AnyOf(0, SIGKILL)) << said.value_or("");
    if (end == 0) break;
    ++kills;
    const int now = schema();
    if (now == 3) break;  // after the commit: the rest is done when it is opened
    ASSERT_EQ(now, 2) << "after step " << step;
    const auto opened = open_store({.store = old_.store()});
    ASSERT_FALSE(opened) << "after step " << step;
    ASSERT_THAT(opened.error().message, HasSubstr("holdfast store upgrade"));
  }
  EXPECT_GE(kills, 4);
  EXPECT_EQ(schema(), 3);
  const auto again = upgrade_store({.store = old_.store()});
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(again->schema_before, 3);
  EXPECT_FALSE(again->views_refreshed);
  EXPECT_THAT(answered_otherwise(old_), IsEmpty());
  expect_clean(old_.store());
}

/// A file whose upgrade is ended at one call to the disk.
class UpgradeOnADisk : public testing::Test {
 protected:
  /// False if it is over before that call.
  bool end_at(std::int64_t call) {
    std::ofstream(store_, std::ios::binary | std::ios::trunc) << content_;
    std::int64_t left = call;
    disk_.set_fault([&](const DiskCall& each) {
      if (each.action == DiskAction::read || --left != 0) return SQLITE_OK;
      disk_.kill_process();
      return SQLITE_IOERR;
    });
    const auto upgraded = upgrade_store({.store = store_, .vfs = disk_.vfs()});
    disk_.clear_fault();
    disk_.kill_process();
    return left <= 0;
  }

  void expect_whole() {
    const auto left = store_status(store_);
    ASSERT_TRUE(left) << left.error().message;
    ASSERT_THAT(left->schema, AnyOf(2, 3));
    ++found_[left->schema == 3];
    const auto again = upgrade_store({.store = store_});
    ASSERT_TRUE(again) << again.error().message;
    expect_clean(store_);
    auto opened = open_store({.store = store_});
    ASSERT_TRUE(opened) << opened.error().message;
    EXPECT_EQ((*opened)->counts().records, records_);
  }

  void remove_files() {
    for (const char* const each : {"", "-wal", "-shm", "-lock"})
      std::filesystem::remove(store_ + each);
  }

  const TempDir dir_;
  const std::string store_ = dir_.file("store.db");
  const std::string content_ = gunzipped(folder_of({2, "sqlite"}) / "store.db.gz");
  const std::uint64_t records_ = OldStore({2, "sqlite"}).records();
  FaultyDisk disk_{DiskMemory::unsynced};
  std::array<int, 2> found_{};  ///< of the old schema, of the new one
};

TEST_F(UpgradeOnADisk, is_all_or_nothing_when_it_is_killed) {
  for (std::int64_t call = 1; end_at(call); ++call) {
    SCOPED_TRACE(fmt::format("killed at call {}", call));
    disk_.restart_process();
    ASSERT_NO_FATAL_FAILURE(expect_whole());
    remove_files();
  }
  EXPECT_GT(found_[0], 0);
  EXPECT_GT(found_[1], 0);
}

TEST_F(UpgradeOnADisk, is_all_or_nothing_when_the_power_goes) {
  for (std::int64_t call = 1; end_at(call); ++call) {
    SCOPED_TRACE(fmt::format("power lost at call {}", call));
    disk_.lose_power(static_cast<std::uint64_t>(call));
    disk_.restart_process();
    ASSERT_NO_FATAL_FAILURE(expect_whole());
    remove_files();
  }
  EXPECT_GT(found_[0], 0);
  EXPECT_GT(found_[1], 0);
}

}  // namespace
}  // namespace holdfast::test

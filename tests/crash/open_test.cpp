// What open refuses, and that it says what to do: another program's file, a newer schema, another
// digest function, another window, a folder, a missing folder, a file or folder that may not be
// written, a store somebody else owns. What is refused is not changed. An empty file becomes a
// store.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>

#include "crash/damaged_store.hpp"
#include "support/child_process.hpp"

namespace holdfast::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class Opened : public ::testing::Test {
 protected:
  void make_store() {
    auto service = open();
    ASSERT_TRUE(service) << service.error().message;
    first_ = submit(**service, call_);
  }

  StoreResult<std::unique_ptr<Service>> open() const { return open_service(opening_); }

  /// It is refused in these words, and is the same file afterwards.
  void expect_refused(const ::testing::Matcher<const std::string&>& words) const {
    const std::string before = read_bytes(opening_.store);
    const auto service = open();
    ASSERT_FALSE(service);
    EXPECT_EQ(service.error().effect, Effect::none);
    EXPECT_THAT(service.error().message, AllOf(HasSubstr(opening_.store), words));
    EXPECT_TRUE(read_bytes(opening_.store) == before) << "it was changed";
  }

  const TempDir dir_;
  Opening opening_{.store = dir_.file("store.db"), .clock = std::make_shared<SettableClock>(start)};
  const Call call_ = place({.resource = "a", .requester = "g", .duration = 1h}, "t");
  Answer first_;
};

TEST_F(Opened, a_newer_schema_is_refused) {
  ASSERT_NO_FATAL_FAILURE(make_store());
  ASSERT_EQ(run_sql(opening_.store, "PRAGMA user_version=99"), "");
  expect_refused(AllOf(HasSubstr("schema 2"), HasSubstr("Use the version")));
}

TEST_F(Opened, another_digest_function_is_refused) {
  ASSERT_NO_FATAL_FAILURE(make_store());
  run_sql(opening_.store, "UPDATE meta SET value='md5' WHERE key='digest_function'");
  expect_refused(AllOf(HasSubstr("md5"), HasSubstr("Use the version")));
}

TEST_F(Opened, another_window_is_refused) {
  ASSERT_NO_FATAL_FAILURE(make_store());
  opening_.window = 1h;
  expect_refused(AllOf(HasSubstr("window"), HasSubstr("leave the window unset")));
}

TEST_F(Opened, another_policy_is_refused) {
  ASSERT_NO_FATAL_FAILURE(make_store());
  opening_.rules.policies[Operation::hold_confirm].window = 1h;
  expect_refused(AllOf(HasSubstr("hold.confirm"), HasSubstr("the policy it was made with")));
}

TEST_F(Opened, another_programs_database_is_refused_and_not_touched) {
  run_sql(opening_.store, "CREATE TABLE theirs(a); INSERT INTO theirs VALUES(1)");
  expect_refused(AllOf(HasSubstr("not a Holdfast store"), HasSubstr("Give the name")));
  EXPECT_FALSE(std::filesystem::exists(opening_.store + "-wal"));
  EXPECT_EQ(run_sql(opening_.store, "PRAGMA journal_mode; SELECT a FROM theirs"),
            "delete\t\n1\t\n");
}

TEST_F(Opened, another_programs_empty_database_is_refused) {
  run_sql(opening_.store, "PRAGMA application_id=7; CREATE TABLE t(a); DROP TABLE t");
  expect_refused(HasSubstr("not a Holdfast store"));
}

TEST_F(Opened, a_text_file_is_refused) {
  write_bytes(opening_.store, std::string(5000, 'x'));
  expect_refused(AllOf(HasSubstr("not a"), HasSubstr("backup")));
}

TEST_F(Opened, a_folder_is_refused) {
  std::filesystem::create_directory(opening_.store);
  expect_refused(AllOf(HasSubstr("folder"), HasSubstr("Give the name of a file")));
}

TEST_F(Opened, a_missing_folder_is_refused) {
  opening_.store = dir_.file("nowhere/store.db");
  expect_refused(HasSubstr("Check that the folder exists"));
}

TEST_F(Opened, an_empty_file_becomes_a_store) {
  write_bytes(opening_.store, "");
  ASSERT_NO_FATAL_FAILURE(make_store());
  const auto service = open();
  ASSERT_TRUE(service) << service.error().message;
  EXPECT_THAT(submit(**service, call_), replay_of(first_));
}

TEST_F(Opened, a_closed_store_is_one_file) {
  ASSERT_NO_FATAL_FAILURE(make_store());
  EXPECT_FALSE(std::filesystem::exists(opening_.store + "-wal"))
      << "a copy of the file is a backup";
  const std::string backup = dir_.file("backup.db");
  std::filesystem::copy_file(opening_.store, backup);
  opening_.store = backup;
  const auto service = open();
  ASSERT_TRUE(service) << service.error().message;
  EXPECT_THAT(submit(**service, call_), replay_of(first_));
}

/// Root may do anything, so these tests become somebody else meanwhile.
class Nobody {
 public:
  Nobody() : changed_(::geteuid() == 0 && ::seteuid(65534) == 0) {}
  ~Nobody() {
    if (changed_ && ::seteuid(0) != 0) std::abort();
  }
  Nobody(const Nobody&) = delete;
  Nobody& operator=(const Nobody&) = delete;

 private:
  const bool changed_;
};

TEST_F(Opened, a_folder_that_may_not_be_written_is_refused) {
  ASSERT_NO_FATAL_FAILURE(make_store());
  std::filesystem::remove(opening_.store + "-lock");
  std::filesystem::permissions(dir_.path(), std::filesystem::perms(0555));
  const Nobody meanwhile;
  expect_refused(HasSubstr("may be written"));
}

TEST_F(Opened, a_file_that_may_not_be_written_is_refused) {
  ASSERT_NO_FATAL_FAILURE(make_store());
  std::filesystem::permissions(dir_.path(), std::filesystem::perms(0777));
  std::filesystem::permissions(opening_.store + "-lock", std::filesystem::perms(0666));
  std::filesystem::permissions(opening_.store, std::filesystem::perms(0444));
  const Nobody meanwhile;
  expect_refused(HasSubstr("may be written"));
}

TEST_F(Opened, a_second_owner_is_refused_and_told_who_the_first_is) {
  const auto owner = open();
  ASSERT_TRUE(owner) << owner.error().message;
  const auto second = open();
  ASSERT_FALSE(second);
  EXPECT_THAT(second.error().message, HasSubstr(fmt::format("process {}", ::getpid())));
  EXPECT_THAT(second.error().message, HasSubstr("stop that one"));
  EXPECT_THAT(submit(**owner, call_), done()) << "the first is not disturbed";
}

TEST_F(Opened, a_killed_owner_leaves_the_store_to_the_next) {
  ChildProcess owner({HOLDFAST_CRASH_WORKER, opening_.store, "1", "1000000", "16384"});
  ASSERT_TRUE(owner.read_line()) << "it works";
  const auto refusal = open();
  ASSERT_FALSE(refusal);
  EXPECT_THAT(refusal.error().message, HasSubstr(fmt::format("process {}", owner.pid())));
  owner.kill();
  EXPECT_EQ(owner.wait(), SIGKILL);
  opening_.clock = system_clock();
  const auto service = open();
  EXPECT_TRUE(service) << service.error().message;
}

/// Readers may come at any time, and see what was durable.
TEST_F(Opened, a_reader_needs_nobodys_leave) {
  const auto owner = open();
  ASSERT_TRUE(owner) << owner.error().message;
  first_ = submit(**owner, call_);
  StoreOptions options;
  options.store = opening_.store;
  options.read_only = true;
  options.clock = opening_.clock;
  const auto reader = open_store(options);
  ASSERT_TRUE(reader) << reader.error().message;
  const auto seen = (*reader)->token("default", "t");
  ASSERT_TRUE(seen && *seen);
  EXPECT_EQ(words((*seen)->answer), words(first_));
}

}  // namespace
}  // namespace holdfast::test

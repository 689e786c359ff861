// What open refuses, and that it says what to do: another program's file, a newer schema, another
// digest function, another window, a folder, a missing folder, a file or folder that may not be
// written, a store somebody else owns. What is refused is not changed. An empty file becomes a
// store.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>

#include "crash/damaged_store.hpp"
#include "engine/auditing.hpp"
#include "store/sqlite/file/faults.hpp"
#include "store/sqlite/file/owner_lock.hpp"
#include "support/paths.hpp"
#include "support/processes/child_process.hpp"

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
  expect_refused(AllOf(HasSubstr("schema 3"), HasSubstr("Use the version")));
}

TEST_F(Opened, another_digest_function_is_refused) {
  ASSERT_NO_FATAL_FAILURE(make_store());
  run_sql(opening_.store, "UPDATE meta SET value='md5' WHERE key='digest_function'");
  expect_refused(AllOf(HasSubstr("md5"), HasSubstr("Use the version")));
}

TEST_F(Opened, another_window_is_refused) {
  ASSERT_NO_FATAL_FAILURE(make_store());
  opening_.window = 1h;
  expect_refused(AllOf(HasSubstr("window"), HasSubstr("Leave the window unset")));
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

/// With its log beside it, SQLite would make a new database and remove the log.
TEST_F(Opened, the_log_of_a_file_that_is_missing_or_empty_is_left_alone) {
  const std::string log = "something";
  write_bytes(opening_.store + "-wal", log);
  const auto expect_told = [&] {
    const auto words =
        AllOf(HasSubstr(opening_.store), HasSubstr("missing or empty"), HasSubstr("Put the file"));
    const auto service = open();
    ASSERT_FALSE(service);
    EXPECT_THAT(service.error().message, words);
    EXPECT_EQ(read_bytes(opening_.store + "-wal"), log);
  };
  expect_told();
  EXPECT_FALSE(std::filesystem::exists(opening_.store)) << "it was made";
  write_bytes(opening_.store, "");
  expect_told();
  EXPECT_THAT(read_records(opening_.store).error().message, HasSubstr("missing or empty"));
}

TEST_F(Opened, a_store_cut_to_nothing_does_not_become_a_new_one) {
  ASSERT_NO_FATAL_FAILURE(make_store());
  write_bytes(opening_.store, "");
  expect_refused(AllOf(HasSubstr("empty"), HasSubstr("there was a store"), HasSubstr("backup")));
  expect_refused(HasSubstr("there was a store"));
  EXPECT_THAT(read_records(opening_.store).error().message, HasSubstr("cut off"));
  std::filesystem::remove(opening_.store);
  EXPECT_TRUE(open()) << "removed on purpose";
}

TEST_F(Opened, what_is_refused_keeps_its_log) {
  std::string database;
  std::string log;
  {
    auto service = open();
    ASSERT_TRUE(service) << service.error().message;
    first_ = submit(**service, call_);
    database = read_bytes(opening_.store);
    log = read_bytes(opening_.store + "-wal");
  }
  write_bytes(opening_.store, database);
  write_bytes(opening_.store + "-wal", log);
  opening_.window = 2h;
  expect_refused(HasSubstr("window"));
  EXPECT_TRUE(read_bytes(opening_.store + "-wal") == log);
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

/// A copy on a disk that cannot be written, say. SQLite itself would want to put files beside it.
TEST_F(Opened, a_folder_that_may_not_be_written_can_be_read) {
  ASSERT_NO_FATAL_FAILURE(make_store());
  std::filesystem::permissions(dir_.path(), std::filesystem::perms(0555));
  const Nobody meanwhile;
  StoreOptions options;
  options.store = opening_.store;
  options.read_only = true;
  options.clock = opening_.clock;
  const auto reader = open_store(options);
  ASSERT_TRUE(reader) << reader.error().message;
  EXPECT_TRUE((*reader)->token("default", "t").value());
  EXPECT_THAT(store_status(opening_.store).value().trouble, HasSubstr("may not be written"));
  const auto records = read_records(opening_.store);
  ASSERT_TRUE(records) << records.error().message;
  EXPECT_TRUE(audit_records(**records).value().clean());
}

/// SQLite itself only says that the disk failed.
TEST(Described, no_room_for_the_index_of_the_log_is_said) {
  const sqlite::Fault fault{SQLITE_IOERR_SHMSIZE, "disk I/O error"};
  EXPECT_THAT(sqlite::describe("a.db", fault).message,
              AllOf(HasSubstr("a.db"), HasSubstr("make room")));
  EXPECT_THAT(sqlite::describe("a.db", {SQLITE_IOERR_READ, "disk I/O error"}).message,
              HasSubstr("Check the disk"));
}

TEST_F(Opened, a_folder_is_no_store_to_read) {
  std::filesystem::create_directory(opening_.store);
  const auto records = read_records(opening_.store);
  ASSERT_FALSE(records);
  EXPECT_THAT(records.error().message, HasSubstr("this is a folder"));
}

/// Backups are checked with it.
TEST_F(Opened, the_audit_refuses_what_opening_refuses) {
  ASSERT_NO_FATAL_FAILURE(make_store());
  const std::string whole = read_bytes(opening_.store);
  for (const char* harm : {"DROP VIEW holds", "UPDATE meta SET value=1 WHERE key='window_us'"}) {
    ASSERT_EQ(run_sql(opening_.store, harm), "");
    const auto records = read_records(opening_.store);
    ASSERT_FALSE(records) << harm;
    EXPECT_THAT(records.error().message, HasSubstr("what the store says about itself"));
    write_bytes(opening_.store, whole);
  }
  write_bytes(opening_.store, whole.substr(0, whole.size() - 1));
  const auto opened = open();
  const auto records = read_records(opening_.store);
  EXPECT_EQ(records && audit_records(**records).value().clean(), opened.has_value());
}

TEST_F(Opened, a_file_that_may_not_be_written_is_refused) {
  ASSERT_NO_FATAL_FAILURE(make_store());
  std::filesystem::permissions(dir_.path(), std::filesystem::perms(0777));
  std::filesystem::permissions(opening_.store + "-lock", std::filesystem::perms(0666));
  std::filesystem::permissions(opening_.store, std::filesystem::perms(0444));
  const Nobody meanwhile;
  expect_refused(HasSubstr("may be written"));
}

/// As the system has them: one line for each POSIX lock.
std::string locks_of_this_process() {
  std::ifstream all("/proc/locks");
  std::string found;
  for (std::string line; std::getline(all, line);) {
    if (line.find(fmt::format(" {} ", ::getpid())) == std::string::npos) continue;
    if (line.find("POSIX") != std::string::npos) found += line.substr(line.find("POSIX")) + "\n";
  }
  return found;
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

/// Every way to the file leads to the same lock.
class Owned : public Opened {
 protected:
  Owned() : owner_(open()) {}

  void expect_second_owner_refused(const std::string& name) {
    expect_refused_as_in_use(name);
    EXPECT_THAT(submit(**owner_, call_), done()) << "the first is not disturbed";
  }

  void expect_refused_as_in_use(const std::string& name) const {
    Opening second = opening_;
    second.store = dir_.file(name);
    const auto refused = open_service(second);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().effect, Effect::none);
    EXPECT_THAT(refused.error().message, AllOf(HasSubstr(second.store), words_));
  }

  /// What is written to files without a name would be gone when they are closed.
  void expect_no_more_written() {
    const auto ready = (*owner_)->store().ready();
    ASSERT_FALSE(ready);
    EXPECT_THAT(ready.error().message, HasSubstr("moved, replaced or removed"));
    const Answer refused = submit(**owner_, call_);
    EXPECT_EQ(refused.rejection, Rejection::store_unavailable);
    EXPECT_EQ(refused.effect, Effect::none);
    EXPECT_THAT(refused.note, HasSubstr("moved, replaced or removed"));
  }

  StoreResult<std::unique_ptr<Service>> owner_;
  ::testing::Matcher<const std::string&> words_ = HasSubstr("in use by");
};

TEST_F(Owned, a_symbolic_link_is_no_way_around) {
  std::filesystem::create_symlink("store.db", dir_.file("link.db"));
  std::filesystem::create_symlink(dir_.file("link.db"), dir_.file("far.db"));
  words_ = HasSubstr(fmt::format("process {}", ::getpid()));
  expect_second_owner_refused("link.db");
  expect_second_owner_refused("far.db");
  EXPECT_FALSE(std::filesystem::exists(dir_.file("link.db-lock")));
}

TEST_F(Owned, a_hard_link_is_no_way_around) {
  std::filesystem::create_hard_link(opening_.store, dir_.file("link.db"));
  words_ = AllOf(HasSubstr("second name"), HasSubstr("remove the other name"));
  expect_second_owner_refused("link.db");
  // Whoever reads would miss what was written last, and say that it never happened.
  const auto reader = open_store({.store = dir_.file("link.db"), .read_only = true});
  ASSERT_FALSE(reader);
  EXPECT_THAT(reader.error().message, words_);
  const auto records = read_records(dir_.file("link.db"));
  ASSERT_FALSE(records);
  EXPECT_THAT(records.error().message, words_);
}

TEST_F(Owned, a_removed_lock_file_is_no_way_around) {
  std::filesystem::remove(opening_.store + "-lock");
  expect_second_owner_refused("store.db");
}

TEST_F(Owned, another_name_is_no_way_around) {
  std::filesystem::rename(opening_.store, dir_.file("moved.db"));
  expect_refused_as_in_use("moved.db");
}

TEST_F(Owned, a_file_that_was_moved_is_noticed) {
  EXPECT_TRUE((*owner_)->store().ready());
  std::filesystem::rename(opening_.store, dir_.file("moved.db"));
  expect_no_more_written();
}

TEST_F(Owned, a_file_that_was_replaced_is_noticed) {
  std::filesystem::copy_file(opening_.store, dir_.file("copy.db"));
  std::filesystem::rename(dir_.file("copy.db"), opening_.store);
  expect_no_more_written();
}

TEST_F(Owned, a_log_that_was_removed_is_noticed_and_what_was_in_it_kept) {
  const Call earlier = place({.resource = "b", .requester = "g", .duration = 1h}, "earlier");
  const Answer answer = submit(**owner_, earlier);
  std::filesystem::remove(opening_.store + "-wal");
  expect_no_more_written();
  owner_->reset();
  const auto again = open();
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_THAT(submit(**again, earlier), replay_of(answer));
  EXPECT_THAT(submit(**again, call_), done());
}

TEST_F(Opened, a_new_store_that_came_to_nothing_is_not_taken_for_an_old_one) {
  ASSERT_NO_FATAL_FAILURE(make_store());
  std::filesystem::remove(opening_.store);
  ASSERT_TRUE(std::filesystem::exists(opening_.store + "-lock"));
  { ASSERT_TRUE(sqlite::OwnerLock::take(opening_.store)); }  // and no more: it was killed
  EXPECT_EQ(read_bytes(opening_.store), "");
  EXPECT_TRUE(open());
}

/// The system drops all locks a process has on a file when it closes any descriptor of it.
TEST_F(Owned, a_refused_owner_leaves_sqlites_locks_alone) {
  const std::string locks = locks_of_this_process();
  std::filesystem::remove(opening_.store + "-lock");
  expect_second_owner_refused("store.db");
  EXPECT_EQ(locks_of_this_process(), locks);
  EXPECT_NE(locks, "");
}

TEST_F(Opened, what_a_dangling_link_leads_to_becomes_a_store) {
  std::filesystem::create_symlink("later.db", dir_.file("link.db"));
  opening_.store = dir_.file("link.db");
  ASSERT_NO_FATAL_FAILURE(make_store());
  opening_.store = dir_.file("later.db");
  const auto service = open();
  ASSERT_TRUE(service) << service.error().message;
  EXPECT_THAT(submit(**service, call_), replay_of(first_));
}

/// Whoever writes all the same is found out before anything is lost.
TEST_F(Opened, a_record_that_somebody_else_wrote_is_named_as_such) {
  const auto owner = open();
  ASSERT_TRUE(owner) << owner.error().message;
  ASSERT_THAT(submit(**owner, call_), done());
  run_sql(opening_.store,
          "INSERT INTO journal SELECT 2, kind, at_us, tenant, principal, operation, token, nonce, "
          "digest, rejection, reason, hold_ordinal, hold_salt, resource, requester, quantity, "
          "expires_us, capacity, ref, times, first_us, checksum, detail FROM journal WHERE seq=1");
  const Answer answer =
      submit(**owner, place({.resource = "b", .requester = "g", .duration = 1h}, "u"));
  EXPECT_EQ(answer.rejection, Rejection::store_unavailable);
  EXPECT_EQ(answer.effect, Effect::unknown);
  EXPECT_THAT(answer.note, HasSubstr("Something else has written to the store"));
}

TEST_F(Opened, a_killed_owner_leaves_the_store_to_the_next) {
  ChildProcess owner({HOLDFAST_WORKER("crash"), opening_.store, "1", "1000000", "16384"});
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

/// Whoever opens a large store is told how far that has come.
TEST_F(Opened, opening_a_large_store_tells_how_far_it_is) {
  constexpr std::uint64_t calls = 20'000;
  {
    const auto service = open();
    ASSERT_TRUE(service) << service.error().message;
    std::vector<std::future<Answer>> answers;
    for (std::uint64_t i = 0; i < calls; ++i) {
      answers.push_back(ask(
          **service, place({.resource = fmt::format("r{}", i), .requester = "g", .duration = 1h},
                           fmt::format("t{}", i))));
    }
    for (std::future<Answer>& each : answers) ASSERT_TRUE(each.get().ok());
  }
  std::vector<std::uint64_t> told;
  StoreOptions options;
  options.store = opening_.store;
  options.read_only = true;
  options.clock = opening_.clock;
  options.progress = [&](std::uint64_t done, std::uint64_t all) {
    EXPECT_EQ(all, calls);
    EXPECT_LT(done, all);
    told.push_back(done);
  };
  const auto reader = open_store(options);
  ASSERT_TRUE(reader) << reader.error().message;
  EXPECT_FALSE(told.empty());
  EXPECT_TRUE(std::is_sorted(told.begin(), told.end()));
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

// A store's file that is not what was written (PC-10). Opening it either says what is wrong, or
// shows all that was ever acknowledged, through the engine and through the SQL views, with a clean
// audit. Some damage to SQLite's own bookkeeping shows only when the store is written to, or opened
// once more: then it is refused and named there. Never is something else shown without a word.
//
//   - single bits of the closed file are turned over, in every part of it;
//   - the closed file is cut off at many lengths, or stretches of it are zeros or garbage;
//   - the log of a killed process is cut off or missing: what was committed before is there, to the
//     record, and nothing after it; SQLite's own recovery gives no more;
//   - a bit of that log is turned over: the same, if what is behind may never have been synced;
//   else
//     it is refused;
//   - a journal that was edited by hand is refused, with the record's number.
//
// HOLDFAST_DAMAGE_FLIPS=n turns over n bits (default 400), HOLDFAST_CRASH_SEED=n other ones.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "crash/damaged_store.hpp"
#include "crash/environment.hpp"
#include "store/sqlite/file/log_check.hpp"

namespace holdfast::test {
namespace {

using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const DamagedStore& closed_store() {
  static const DamagedStore store(DamagedStore::Left::closed);
  return store;
}

const DamagedStore& killed_store() {
  static const DamagedStore store(DamagedStore::Left::killed);
  return store;
}

void expect_refused_or_whole(const std::string& bytes, const std::string& what) {
  const DamagedStore::Verdict verdict = closed_store().try_to_open(bytes);
  EXPECT_THAT(verdict.complaints, IsEmpty()) << what;
  if (!verdict.opened) {
    // What is wrong, and what to do about it.
    EXPECT_THAT(verdict.refusal,
                ContainsRegex("damaged|malformed|not a|schema|window|digest|only be read"))
        << what;
    EXPECT_THAT(verdict.refusal,
                ContainsRegex("backup|Give the name|Use the version|open it|Check that"))
        << what;
  }
}

TEST(Damage, an_undamaged_store_is_whole) {
  ASSERT_THAT(closed_store().log(), IsEmpty()) << "a closed store is one file";
  const DamagedStore::Verdict verdict = closed_store().try_to_open(closed_store().database());
  EXPECT_TRUE(verdict.opened) << verdict.refusal;
  EXPECT_THAT(verdict.complaints, IsEmpty());
}

TEST(Damage, a_bit_turned_over_anywhere_is_refused_or_harmless) {
  std::mt19937_64 random(from_environment("HOLDFAST_CRASH_SEED", 1));
  const std::uint64_t flips = from_environment("HOLDFAST_DAMAGE_FLIPS", 400);
  const std::string& whole = closed_store().database();
  for (std::uint64_t i = 0; i < flips && !::testing::Test::HasFailure(); ++i) {
    // The first hundred bytes describe the file; the rest is drawn.
    const std::size_t at = i < 100 ? i : random() % whole.size();
    const auto bit = static_cast<unsigned>(random() % 8);
    std::string bytes = whole;
    bytes[at] = static_cast<char>(static_cast<unsigned char>(bytes[at]) ^ (1U << bit));
    expect_refused_or_whole(bytes,
                            fmt::format("bit {} of byte {} (page {})", bit, at, at / 4096 + 1));
  }
}

TEST(Damage, a_file_cut_off_is_refused) {
  std::mt19937_64 random(from_environment("HOLDFAST_CRASH_SEED", 1));
  const std::string& whole = closed_store().database();
  std::vector<std::size_t> sizes{1, 15, 16, 99, 100, 511, 512, 4095, 4096, 4097, whole.size() - 1};
  for (std::size_t page = 2; page * 4096 < whole.size(); ++page) sizes.push_back(page * 4096);
  for (int i = 0; i < 60; ++i) sizes.push_back(1 + random() % (whole.size() - 1));
  for (const std::size_t size : sizes) {
    expect_refused_or_whole(whole.substr(0, size), fmt::format("cut to {} bytes", size));
    if (::testing::Test::HasFailure()) return;
  }
}

TEST(Damage, stretches_of_zeros_or_garbage_are_refused_or_harmless) {
  std::mt19937_64 random(from_environment("HOLDFAST_CRASH_SEED", 1));
  const std::string& whole = closed_store().database();
  for (int i = 0; i < 120 && !::testing::Test::HasFailure(); ++i) {
    std::string bytes = whole;
    const std::size_t sector = random() % (whole.size() / 512);
    for (std::size_t k = 0; k < 512; ++k) {
      bytes[sector * 512 + k] = i % 2 == 0 ? '\0' : static_cast<char>(random() % 256);
    }
    expect_refused_or_whole(bytes, fmt::format("sector {}", sector));
  }
}

TEST(Damage, a_page_of_another_time_is_refused_or_harmless) {
  // A write that never reached the disk: each page in turn is the one after it.
  const std::string& whole = closed_store().database();
  for (std::size_t page = 0; (page + 2) * 4096 <= whole.size(); ++page) {
    std::string bytes = whole;
    bytes.replace(page * 4096, 4096, whole, (page + 1) * 4096, 4096);
    expect_refused_or_whole(bytes, fmt::format("page {}", page + 1));
    if (::testing::Test::HasFailure()) return;
  }
}

TEST(Damage, garbage_is_refused) {
  std::mt19937_64 random(1);
  std::string bytes(50'000, '\0');
  for (char& each : bytes) each = static_cast<char>(random() % 256);
  const DamagedStore::Verdict verdict = closed_store().try_to_open(bytes);
  EXPECT_FALSE(verdict.opened);
  EXPECT_THAT(verdict.refusal, HasSubstr("not a"));
}

TEST(Damage, a_journal_edited_by_hand_is_refused_with_the_number_of_the_record) {
  struct Edit {
    const char* sql;
    const char* record;
  };
  for (const Edit& edit : {Edit{"UPDATE journal SET quantity=2 WHERE seq=5", "record 5"},
                           Edit{"DELETE FROM journal WHERE seq=7", "record 7"},
                           Edit{"UPDATE journal SET token=x'41' WHERE seq=3", "record 3"},
                           Edit{"UPDATE journal SET checksum=checksum+1 WHERE seq=9", "record 9"},
                           Edit{"UPDATE journal SET at_us=at_us-1 WHERE seq=4", "record 4"}}) {
    const TempDir dir;
    const std::string path = dir.file("store.db");
    write_bytes(path, closed_store().database());
    ASSERT_EQ(run_sql(path, edit.sql), "") << edit.sql;
    const FaultyDisk disk;
    const auto refusal = open_service(closed_store().opening(path, disk));
    ASSERT_FALSE(refusal) << edit.sql;
    EXPECT_THAT(refusal.error().message, HasSubstr(edit.record)) << edit.sql;
    EXPECT_THAT(refusal.error().message, HasSubstr("backup"));
  }
}

/// How many records were committed in the first so many bytes of the log.
std::uint64_t records_before(std::size_t log_bytes) {
  std::uint64_t records = 0;
  for (const DamagedStore::Step& step : killed_store().steps()) {
    if (step.log_bytes <= log_bytes) records = step.records;
  }
  return records;
}

constexpr std::size_t log_header_bytes = 32;
constexpr std::size_t frame_bytes = 24 + 4096;

/// Where the frame begins that this byte of the log belongs to.
std::size_t frame_of(std::size_t at) {
  return at < log_header_bytes
             ? 0
             : log_header_bytes + (at - log_header_bytes) / frame_bytes * frame_bytes;
}

TEST(Damage, of_a_log_cut_off_everything_before_is_there) {
  std::mt19937_64 random(from_environment("HOLDFAST_CRASH_SEED", 1));
  const std::string& log = killed_store().log();
  ASSERT_GT(log.size(), 10 * frame_bytes);
  EXPECT_EQ(killed_store().records_in(killed_store().database(), log),
            killed_store().steps().back().records);
  for (int i = 0; i < 80; ++i) {
    const std::size_t size = random() % log.size();
    EXPECT_EQ(killed_store().records_in(killed_store().database(), log.substr(0, size)),
              records_before(size))
        << "cut to " << size << " bytes";
    if (::testing::Test::HasFailure()) return;
  }
}

/// Transactions in the log behind the frame that this byte belongs to.
std::size_t commits_behind(std::size_t at) {
  const auto& steps = killed_store().steps();
  const std::size_t end = frame_of(at) + frame_bytes;
  return static_cast<std::size_t>(std::count_if(
      steps.begin(), steps.end(), [&](const auto& step) { return step.log_bytes > end; }));
}

/// What is behind the damage is only given up if it may never have been synced.
TEST(Damage, of_a_log_with_a_bit_turned_over_no_more_is_dropped_than_may_be_unsynced) {
  constexpr std::size_t droppable = sqlite::unsynced_commits_max;
  std::mt19937_64 random(from_environment("HOLDFAST_CRASH_SEED", 1));
  const std::string& log = killed_store().log();
  std::size_t refused = 0;
  std::size_t opened = 0;
  for (int i = 0; i < 200; ++i) {
    std::string bytes = log;
    const std::size_t at = i < 32 ? static_cast<std::size_t>(i) : random() % log.size();
    bytes[at] = static_cast<char>(static_cast<unsigned char>(bytes[at]) ^ (1U << (random() % 8)));
    const std::size_t behind = commits_behind(at);
    const auto records = killed_store().try_records_in(killed_store().database(), bytes);
    if (behind > droppable + 2) {  // the frame right behind may not follow from a damaged one
      ASSERT_FALSE(records) << "byte " << at << ", " << behind << " transactions behind";
      EXPECT_THAT(records.error().message,
                  AllOf(HasSubstr("is damaged at page"), HasSubstr("from a backup")));
      ++refused;
    } else if (behind <= droppable) {
      ASSERT_TRUE(records) << "byte " << at << ": " << records.error().message;
      EXPECT_EQ(*records, records_before(frame_of(at))) << "byte " << at;
      ++opened;
    }
  }
  EXPECT_GT(refused, 50U);
  EXPECT_GT(opened, 10U);
}

TEST(Damage, of_a_log_without_its_beginning_is_refused) {
  std::mt19937_64 random(from_environment("HOLDFAST_CRASH_SEED", 1));
  for (const std::size_t size : {32U, 512U, 4096U, 3U * 4096U}) {
    for (const bool zeros : {true, false}) {
      std::string bytes = killed_store().log();
      for (std::size_t i = 0; i < size; ++i) bytes[i] = zeros ? '\0' : static_cast<char>(random());
      const auto records = killed_store().try_records_in(killed_store().database(), bytes);
      ASSERT_FALSE(records) << size << (zeros ? " zeros" : " bytes of garbage");
      EXPECT_THAT(records.error().message, HasSubstr("is damaged at page 1"));
    }
  }
}

/// The file itself says nothing of the log it had: what it holds without is whole, if old, and it
/// is still the same store.
TEST(Damage, without_its_log_a_store_is_an_older_one) {
  EXPECT_EQ(killed_store().records_in(killed_store().database(), ""), 0U);
  EXPECT_GT(killed_store().database().size(), 4096U) << "what it is, it says without its log";
}

}  // namespace
}  // namespace holdfast::test

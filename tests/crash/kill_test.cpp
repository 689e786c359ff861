// DUR-1 and DUR-2 against SIGKILL: a process that writes to a store is killed, at least 200 times:
// at every stage of the main path and every kind of call to the disk, for the first, second, …
// time; at random moments under load, while opening and recovering too; while the log is moved into
// the database. After each kill the store is opened again and judged by what the clients know
// (crash/witness.hpp): acknowledged calls are there, the others happened wholly or not at all, the
// audit is clean, the chain of checksums unbroken.
//
// Stores are kept from one kill to the next, so that recovery follows recovery. After half of the
// judgements the store is not closed but dropped as it stands, for the same reason.
//
// HOLDFAST_CRASH_ROUNDS=n kills n times at random moments (default 110), HOLDFAST_CRASH_SEED=n
// begins with another seed. Both are printed when something fails.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <csignal>
#include <cstdlib>
#include <iostream>

#include "crash/environment.hpp"
#include "crash/witness.hpp"
#include "support/disks/faulty_vfs.hpp"
#include "support/paths.hpp"
#include "support/processes/child_process.hpp"
#include "support/temp_dir.hpp"

namespace holdfast::test {
namespace {

/// When a process is killed.
struct Moment {
  std::string point{};  ///< where it kills itself; empty: it is killed from outside
  std::uint64_t occurrence = 0;
  bool from_first_call = true;  ///< else from its start
  std::chrono::microseconds after{};
};

/// One store through many kills.
class Campaign {
 public:
  explicit Campaign(std::uint64_t seed) : random_(seed) {}

  /// A process works on the store until it is killed; then the store is judged.
  void kill_once(const Moment& moment) {
    const std::uint64_t seed = random_() % 1'000'000'000;
    SCOPED_TRACE(fmt::format("seed {}, kill {} of this store, point '{}' occurrence {}", seed,
                             kills_ + 1, moment.point, moment.occurrence));
    ASSERT_NO_FATAL_FAILURE(run_until_killed(moment, seed));
    ++kills_;
    ASSERT_NO_FATAL_FAILURE(judge(seed));
  }

  /// Judges every call there ever was.
  void judge_all() { judge(1, witness_.calls()); }

  [[nodiscard]] int kills() const { return kills_; }
  [[nodiscard]] const Witness& witness() const { return witness_; }

 private:
  void run_until_killed(const Moment& moment, std::uint64_t seed) {
    // Half of the time the log is moved into the database every few batches, else hardly ever.
    std::vector<std::string> arguments{HOLDFAST_WORKER("crash"), store_, std::to_string(seed),
                                       "1000000", needs_moving(moment) ? "12" : "16384"};
    if (!moment.point.empty()) {
      arguments.insert(arguments.end(), {moment.point, std::to_string(moment.occurrence)});
    }
    witness_.next_process();
    ChildProcess worker(arguments);
    if (moment.point.empty()) {
      if (moment.from_first_call) hear(worker.read_line());
      const auto until = std::chrono::steady_clock::now() + moment.after;
      while (hear(worker.read_line(std::chrono::duration_cast<std::chrono::microseconds>(
          until - std::chrono::steady_clock::now())))) {
      }
      worker.kill();
    }
    while (hear(worker.read_line())) {
    }
    ASSERT_EQ(worker.wait(), SIGKILL) << "the process ended by itself";
  }

  bool needs_moving(const Moment& moment) {
    return moment.point.starts_with("database") || random_() % 2 == 0;
  }

  bool hear(const std::optional<std::string>& line) {
    if (line) witness_.hear(*line);
    return line.has_value();
  }

  void judge(std::uint64_t seed, std::size_t earlier_max = 200) {
    FaultyDisk disk;
    Opening opening;
    opening.store = store_;
    opening.vfs = disk.vfs();
    // It stands still meanwhile: what has lapsed must not change between two looks.
    opening.clock = std::make_shared<SettableClock>(system_clock()->now());
    auto service = open_service(opening);
    ASSERT_TRUE(service) << service.error().message;
    const auto complaints = witness_.judge(**service, earlier_max, seed);
    EXPECT_THAT(complaints, ::testing::IsEmpty());
    check_chain();
    if (random_() % 2 == 0) disk.kill_process();
    service->reset();
    ASSERT_FALSE(::testing::Test::HasFailure());
  }

  void check_chain() const {
    auto reader = read_records(store_);
    ASSERT_TRUE(reader) << reader.error().message;
    std::vector<Record> records;
    std::uint64_t after = 0;
    do {
      ASSERT_TRUE((*reader)->read(after, 10'000, records));
      if (!records.empty()) after = records.back().seq;
    } while (!records.empty());
    EXPECT_EQ(after, (*reader)->last_seq());
    EXPECT_THAT((*reader)->broken(), ::testing::IsEmpty());
  }

  const TempDir dir_;
  const std::string store_ = dir_.file("store.db");
  std::mt19937_64 random_;
  Witness witness_;
  int kills_ = 0;
};

constexpr std::array stages{"load", "decide", "write", "sync", "answer", "done"};
constexpr std::array disk_calls{"log-write", "log-sync", "database-write", "database-sync"};

class Kill : public ::testing::Test {
 protected:
  void conclude(const Campaign& campaign) {
    kills_ += campaign.kills();
    calls_ += campaign.witness().calls();
    ++stores_;
  }

  const std::uint64_t seed_ = from_environment("HOLDFAST_CRASH_SEED", 1);
  int kills_ = 0;
  int stores_ = 0;
  std::size_t calls_ = 0;

  void at_every_point_of_a_store_with_a_past() {
    Campaign campaign(seed_);
    for (const std::uint64_t occurrence : {1U, 2U, 3U, 5U, 8U, 13U}) {
      for (const char* stage : stages) {
        ASSERT_NO_FATAL_FAILURE(campaign.kill_once({.point = stage, .occurrence = occurrence}));
      }
      for (const char* call : disk_calls) {
        ASSERT_NO_FATAL_FAILURE(campaign.kill_once({.point = call, .occurrence = occurrence}));
      }
    }
    ASSERT_NO_FATAL_FAILURE(campaign.judge_all());
    conclude(campaign);
  }

  /// The making of the store included: its first writes to the disk come before any stage.
  void at_every_point_of_a_new_store() {
    const auto once = [&](const char* point, std::uint64_t occurrence) {
      Campaign campaign(seed_ + occurrence);
      ASSERT_NO_FATAL_FAILURE(campaign.kill_once({.point = point, .occurrence = occurrence}));
      ASSERT_NO_FATAL_FAILURE(campaign.kill_once({.after = std::chrono::milliseconds(5)}));
      conclude(campaign);
    };
    for (const char* stage : stages) ASSERT_NO_FATAL_FAILURE(once(stage, 1));
    for (const char* call : disk_calls) {
      for (const std::uint64_t occurrence : {1U, 2U, 4U}) {
        ASSERT_NO_FATAL_FAILURE(once(call, occurrence));
      }
    }
  }

  void at_random_moments(std::uint64_t rounds) {
    std::mt19937_64 random(seed_);
    constexpr std::uint64_t rounds_per_store = 40;
    for (std::uint64_t done = 0; done < rounds;) {
      Campaign campaign(random());
      for (std::uint64_t i = 0; i < rounds_per_store && done < rounds; ++i, ++done) {
        const bool opening = random() % 5 == 0;
        const std::uint64_t most_us = opening ? 20'000 : 80'000;
        ASSERT_NO_FATAL_FAILURE(campaign.kill_once(
            {.from_first_call = !opening, .after = std::chrono::microseconds(random() % most_us)}));
      }
      ASSERT_NO_FATAL_FAILURE(campaign.judge_all());
      conclude(campaign);
    }
  }
};

TEST_F(Kill, two_hundred_kills_lose_nothing_and_do_nothing_twice) {
  SCOPED_TRACE(fmt::format("HOLDFAST_CRASH_SEED={}", seed_));
  ASSERT_NO_FATAL_FAILURE(at_every_point_of_a_store_with_a_past());
  ASSERT_NO_FATAL_FAILURE(at_every_point_of_a_new_store());
  ASSERT_NO_FATAL_FAILURE(at_random_moments(from_environment("HOLDFAST_CRASH_ROUNDS", 110)));
  std::cout << fmt::format("{} kills of processes on {} stores, {} calls judged\n", kills_, stores_,
                           calls_);
  RecordProperty("kills", kills_);
  EXPECT_GE(kills_, 200);
}

/// A judge who never complains proves nothing.
TEST(Witness, complains_of_an_acknowledged_call_that_is_not_there) {
  const TempDir dir;
  Opening opening;
  opening.store = dir.file("store.db");
  opening.clock = std::make_shared<SettableClock>(start);
  auto service = open_service(opening);
  ASSERT_TRUE(service) << service.error().message;
  Witness witness;
  const Call kept = place({.resource = "a", .requester = "g", .duration = 1h}, "kept");
  witness.told(witness.sent(kept), submit(**service, kept));
  EXPECT_THAT(witness.judge(**service, 0, 1), ::testing::IsEmpty());

  const Call lost = place({.resource = "b", .requester = "g", .duration = 1h}, "lost");
  Answer answer;
  answer.operation = Operation::hold_place;
  answer.recorded = true;
  witness.told(witness.sent(lost), answer);
  EXPECT_THAT(witness.judge(**service, 0, 1), ::testing::Not(::testing::IsEmpty()));
}

TEST(Witness, complains_of_a_hold_nobody_asked_for) {
  const TempDir dir;
  Opening opening;
  opening.store = dir.file("store.db");
  opening.clock = std::make_shared<SettableClock>(start);
  auto service = open_service(opening);
  ASSERT_TRUE(service) << service.error().message;
  (void)submit(**service, place({.resource = "a", .requester = "g", .duration = 1h}, "t"));
  Witness witness;
  EXPECT_THAT(witness.judge(**service, 0, 1), ::testing::Not(::testing::IsEmpty()));
}

}  // namespace
}  // namespace holdfast::test

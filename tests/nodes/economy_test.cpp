// The contract of keys on a shared database, whatever the engine claims them with: the database
// itself stops two requests with one key.

#include <gmock/gmock.h>

#include <atomic>
#include <future>
#include <thread>

#include "domain/request.hpp"
#include "engine/admit.hpp"
#include "engine/service.hpp"
#include "nodes/storm.hpp"
#include "store/open.hpp"
#include "support/calls.hpp"
#include "support/journals/audit.hpp"
#include "support/servers/mariadb_server.hpp"
#include "support/servers/postgres_server.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;

/// A node without a queue: one batch after the other.
class Node {
 public:
  Node(const std::string& url, const Rules& rules, std::uint64_t seed)
      : random_(seeded_random(seed)) {
    auto opened = open_store({.store = url, .rules = rules, .window = rules.window});
    if (!opened) throw std::runtime_error(opened.error().message);
    store_ = std::move(*opened);
    engine_.emplace(*store_, *random_, StageObserver{});
  }

  Answer submit(Call call) {
    Batch batch;
    batch.work.push_back(Work{.request = request(std::move(call)), .done = {}});
    const auto executed = engine_->execute(batch);
    EXPECT_TRUE(executed) << executed.error().message;
    return batch.work.front().answer;
  }
  StoreResult<void> execute(Batch& batch) { return engine_->execute(batch); }
  /// What the store says when the call cannot even be decided.
  std::string why_not(Call call) {
    Batch batch;
    batch.work.push_back(Work{.request = request(std::move(call)), .done = {}});
    const auto executed = engine_->execute(batch);
    return executed ? "it was executed" : executed.error().message;
  }
  /// How many lapsed holds were due, at most so many.
  std::size_t sweep(std::size_t most) {
    Batch batch;
    batch.sweep_max = most;
    const auto executed = engine_->execute(batch);
    EXPECT_TRUE(executed) << executed.error().message;
    return batch.swept;
  }
  [[nodiscard]] Request request(Call call) const {
    Request request{.call = std::move(call)};
    EXPECT_FALSE(admit(request, store_->rules()));
    return request;
  }
  [[nodiscard]] Store& store() { return *store_; }

 private:
  std::shared_ptr<Random> random_;
  std::unique_ptr<Store> store_;
  std::optional<Engine> engine_;
};

class Economy : public testing::TestWithParam<std::string> {
 protected:
  Economy()
      : server_(GetParam() == "postgres" ? PostgresServer::shared() : MariadbServer::shared()),
        database_(server_.create_database()) {}

  Node node(std::uint64_t seed, const Rules& rules = {}) { return {database_.url(), rules, seed}; }
  [[nodiscard]] std::string count(const std::string& table) const {
    return database_.connect().execute("SELECT count(*) FROM " + table).at(0).at(0);
  }
  static Call placing(const std::string& token, const std::string& resource = "room") {
    return place({.resource = resource, .requester = "guest", .duration = 1h}, token);
  }
  /// Every connection to the database ends.
  void cut_off() {
    if (GetParam() == "postgres") {
      server_.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '" +
                      database_.name() + "'");
      return;
    }
    for (const SqlRow& row :
         server_.execute("SELECT id FROM information_schema.processlist WHERE db = '" +
                         database_.name() + "'")) {
      try {
        server_.execute("KILL " + row.at(0));
      } catch (const SqlError&) {  // it had gone by itself
      }
    }
  }

  DatabaseServer& server_;
  TestDatabase database_;
};

TEST_P(Economy, the_first_call_commits_and_a_retry_elsewhere_is_a_duplicate_without_an_event) {
  Node one = node(1);
  Node other = node(2);
  const Answer first = one.submit(placing("t"));
  EXPECT_THAT(first, done());
  EXPECT_FALSE(first.replayed);
  const Answer again = other.submit(placing("t"));
  EXPECT_TRUE(again.replayed);
  EXPECT_EQ(again.hold, first.hold);
  EXPECT_EQ(count("holds"), "1");
  EXPECT_EQ(count("journal WHERE kind BETWEEN 1 AND 6"), "1");
}

TEST_P(Economy, a_waiter_whose_owner_rolled_back_runs) {
  Node one = node(1);
  Node other = node(2);
  const Request claimed = one.request(placing("t"));
  auto owner = one.store().begin({.requests = {&claimed}});
  ASSERT_TRUE(owner) << owner.error().message;
  auto waiter = std::async(std::launch::async, [&] { return other.submit(placing("t")); });
  EXPECT_EQ(waiter.wait_for(300ms), std::future_status::timeout) << "it waits for the owner";
  owner->reset();
  const Answer answer = waiter.get();
  EXPECT_THAT(answer, done());
  EXPECT_FALSE(answer.replayed);
  EXPECT_EQ(count("holds"), "1");
}

TEST_P(Economy, a_waiter_whose_owner_commits_gets_the_owners_answer) {
  Node one = node(1);
  Node other = node(2);
  const Request claimed = one.request(placing("t"));
  auto owner = one.store().begin({.requests = {&claimed}});
  ASSERT_TRUE(owner) << owner.error().message;
  auto waiter = std::async(std::launch::async, [&] { return other.submit(placing("t")); });
  EXPECT_EQ(waiter.wait_for(300ms), std::future_status::timeout);
  Records records;
  Record& record = records.emplace_back();
  record.seq = (*owner)->next_seq;
  record.kind = RecordKind::placed;
  record.at = (*owner)->now;
  record.tenant = "default";
  record.principal = "local";
  record.operation = Operation::hold_place;
  record.token = "t";
  record.digest = claimed.digest;
  record.hold = {(*owner)->next_ordinal, 7};
  record.resource = "room";
  record.requester = "guest";
  record.quantity = 1;
  record.expires_at = record.at + 1h;
  derive(record);
  const auto committed = (*owner)->commit(records);
  ASSERT_TRUE(committed) << committed.error().message;
  owner->reset();
  const Answer answer = waiter.get();
  EXPECT_TRUE(answer.replayed);
  EXPECT_EQ(answer.hold->id.salt, 7U);
  EXPECT_EQ(count("holds"), "1");
}

TEST_P(Economy, a_request_refused_under_release_leaves_no_row) {
  Rules rules;
  rules.policies[Operation::hold_place].on_reject = OnReject::release;
  Node one = node(1, rules);
  EXPECT_THAT(one.submit(placing("first")), done());
  EXPECT_THAT(one.submit(placing("t")), refused(Rejection::resource_unavailable));
  EXPECT_EQ(count("state_tokens"), "1");
  EXPECT_EQ(count("journal"), "1");
  EXPECT_FALSE(*one.store().token("default", "t"));
}

TEST_P(Economy, a_token_without_an_outcome_cannot_exist) {
  Node one = node(1);
  SqlConnection sql = database_.connect();
  EXPECT_THROW(
      sql.execute("INSERT INTO state_tokens (tenant, token, seq) VALUES ('default', 'x', 4711)"),
      SqlError)
      << "its record is not there";
  EXPECT_THAT(one.submit(placing("t")), done());
  EXPECT_THROW(sql.execute("DELETE FROM journal WHERE seq = 1"), SqlError)
      << "an outcome stays as long as its token";
  // Claimed and given up, in every way a claim can end.
  for (int i = 0; i < 3; ++i) {
    const Request claimed = one.request(placing("given up"));
    auto owner = one.store().begin({.requests = {&claimed}});
    ASSERT_TRUE(owner);
  }
  EXPECT_EQ(count("state_tokens WHERE seq IS NULL"), "0");
  EXPECT_EQ(count("state_tokens"), "1");
}

TEST_P(Economy, two_nodes_racing_for_one_key_have_one_effect) {
  constexpr int rounds = 30;
  Node one = node(1);
  Node other = node(2);
  const auto race = [&](Node& at) {
    std::vector<Answer> answers;
    for (int i = 0; i < rounds; ++i) {
      const std::string number = std::to_string(i);
      answers.push_back(at.submit(
          place({.resource = "room " + number, .requester = "guest", .duration = 1h}, number)));
    }
    return answers;
  };
  auto theirs = std::async(std::launch::async, [&] { return race(other); });
  const auto ours = race(one);
  const auto others = theirs.get();
  for (std::size_t i = 0; i < rounds; ++i) {
    EXPECT_EQ(ours[i].hold, others[i].hold);
    EXPECT_NE(ours[i].replayed, others[i].replayed) << "one of them was first";
  }
  EXPECT_EQ(count("holds"), std::to_string(rounds));
  EXPECT_THAT(violations(one.store()), testing::IsEmpty());
}

TEST_P(Economy, two_nodes_sweeping_at_once_expire_every_hold_once) {
  Node one = node(1);
  Node other = node(2);
  constexpr int holds = 60;
  for (int i = 0; i < holds; ++i) {
    const std::string number = std::to_string(i);
    EXPECT_THAT(one.submit(place(
                    {.resource = "room " + number, .requester = "guest", .duration = 1ms}, number)),
                done());
  }
  std::this_thread::sleep_for(5ms);
  const auto sweep = [](Node& at) {
    std::size_t swept = 0;
    for (int i = 0; i < 20; ++i) swept += at.sweep(7);
    return swept;
  };
  auto theirs = std::async(std::launch::async, [&] { return sweep(other); });
  const std::size_t ours = sweep(one);
  EXPECT_EQ(ours + theirs.get(), static_cast<std::size_t>(holds));
  EXPECT_EQ(count("journal WHERE kind = 4"), std::to_string(holds));
  EXPECT_THAT(violations(one.store()), testing::IsEmpty());
}

/// Nodes need not agree on clocks: there is one, the database's.
TEST_P(Economy, time_is_the_databases) {
  Node one = node(1);
  const std::string clock = GetParam() == "postgres"
                                ? "SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint"
                                : "SELECT CAST(UNIX_TIMESTAMP(NOW(6)) * 1000000 AS SIGNED)";
  const auto database_now = [&] {
    return std::stoll(database_.connect().execute(clock).at(0).at(0));
  };
  const auto before = database_now();
  EXPECT_THAT(one.submit(placing("t")), done());
  const auto at = std::stoll(
      database_.connect().execute("SELECT at_us FROM journal WHERE seq = 1").at(0).at(0));
  EXPECT_LE(before, at);
  EXPECT_LE(at, database_now());
}

/// What a node remembers of a journal is worth as much as the journal.
TEST_P(Economy, outcomes_that_the_database_lost_are_forgotten) {
  Node one = node(1);
  EXPECT_THAT(one.submit(placing("t")), done());
  EXPECT_TRUE(one.store().replay(one.request(placing("t")), nullptr));
  restore_the_beginning(database_);
  Batch batch;
  batch.work.push_back(Work{.request = one.request(placing("u", "attic")), .done = {}});
  batch.notes.emplace_back().kind = RecordKind::replayed;  // of an outcome that is no more
  ASSERT_TRUE(one.execute(batch));
  EXPECT_TRUE(batch.history_lost);
  EXPECT_EQ(count("journal"), "1") << "the hold in the attic, and no replay";
  EXPECT_FALSE(one.store().replay(one.request(placing("t")), nullptr));
  const Answer answer = one.submit(placing("t"));
  EXPECT_THAT(answer, done());
  EXPECT_FALSE(answer.replayed);
  EXPECT_THAT(violations(one.store()), testing::IsEmpty());
}

TEST_P(Economy, whoever_runs_the_service_is_told_of_a_lost_history_once) {
  auto store = open_store({.store = database_.url()});
  ASSERT_TRUE(store) << store.error().message;
  std::atomic<int> told = 0;
  ServiceOptions options{.sweep_every = {}};
  options.on_history_lost = [&] { ++told; };
  Service service(std::move(*store), system_random(), options);
  const auto submit = [&](Call call) {
    std::promise<Answer> promise;
    service.submit(std::move(call), [&](Answer given) { promise.set_value(std::move(given)); });
    return promise.get_future().get();
  };
  EXPECT_THAT(submit(placing("t")), done());
  EXPECT_TRUE(submit(placing("t")).replayed);  // noted, and not recorded yet
  EXPECT_EQ(told, 0);
  restore_the_beginning(database_);
  for (const std::string token : {"u", "v"}) EXPECT_THAT(submit(placing(token, token)), done());
  EXPECT_EQ(told, 1);
  EXPECT_EQ(count("journal"), "2") << "and no replay of what is gone";
}

/// What is there after records were lost may be half of a copy, or another store.
TEST_P(Economy, a_store_that_came_in_anothers_place_is_not_written) {
  Node one = node(1);
  EXPECT_THAT(one.submit(placing("t")), done());
  restore_the_beginning(database_);
  ASSERT_TRUE(mark_copy(database_.url(), true));
  EXPECT_THAT(one.why_not(placing("u", "attic")), testing::HasSubstr("a copy into this store"));
  ASSERT_TRUE(mark_copy(database_.url(), false));
  database_.connect().execute(
      "UPDATE meta SET number = number + 1 WHERE name = 'confirmation_secret.low'");
  EXPECT_THAT(one.why_not(placing("u", "attic")), testing::HasSubstr("start it again"));
  EXPECT_EQ(count("journal"), "0");
  database_.connect().execute(
      "UPDATE meta SET number = number - 1 WHERE name = 'confirmation_secret.low'");
  EXPECT_THAT(one.submit(placing("u", "attic")), done());
}

/// Also one that was there before the copy began.
TEST_P(Economy, no_node_writes_into_half_a_copy) {
  Node one = node(1);
  ASSERT_TRUE(mark_copy(database_.url(), true));
  EXPECT_THAT(one.why_not(placing("t")), testing::HasSubstr("has begun and not ended"));
  EXPECT_FALSE(one.store().ready());
  EXPECT_EQ(count("journal"), "0");
  ASSERT_TRUE(mark_copy(database_.url(), false));
  EXPECT_THAT(one.submit(placing("t")), done());
}

TEST_P(Economy, outcomes_of_another_history_are_forgotten_on_reconnecting) {
  Node one = node(1);
  EXPECT_THAT(one.submit(placing("t")), done());
  cut_off();
  restore_the_beginning(database_);
  Node other = node(2);
  for (const std::string token : {"a", "b", "c"})
    EXPECT_THAT(other.submit(placing(token, token)), done());
  EXPECT_THAT(one.submit(placing("u", "attic")), done());
  EXPECT_FALSE(one.store().replay(one.request(placing("t")), nullptr));
  EXPECT_FALSE(one.submit(placing("t")).replayed);
}

TEST_P(Economy, outcomes_are_kept_over_a_mere_reconnection) {
  Node one = node(1);
  EXPECT_THAT(one.submit(placing("t")), done());
  Node other = node(2);
  EXPECT_THAT(other.submit(placing("a", "a")), done());
  cut_off();
  EXPECT_THAT(one.submit(placing("u", "attic")), done());
  EXPECT_TRUE(one.store().replay(one.request(placing("t")), nullptr));
}

/// One who repeats what was done elsewhere, and waits behind somebody else's use of the token, must
/// not be told to use another: that would be a second effect.
TEST_P(Economy, a_retry_that_waits_behind_a_collision_is_not_told_that_it_collides) {
  EXPECT_THAT(node(1).submit(placing("t")), done());
  StoreOptions options{.store = database_.url()};
  options.rules.policies[Operation::hold_place].overlap_wait = 100ms;
  auto store = open_store(options);
  ASSERT_TRUE(store) << store.error().message;
  Service service(std::move(*store), system_random(), ServiceOptions{.sweep_every = {}});
  const auto ask = [&](Call call) {
    auto promise = std::make_shared<std::promise<Answer>>();
    service.submit(std::move(call),
                   [promise](Answer given) { promise->set_value(std::move(given)); });
    return promise->get_future();
  };
  SqlConnection holder = database_.connect();
  holder.execute("BEGIN; SELECT seq FROM head FOR UPDATE");
  auto intruder = ask(placing("t", "attic"));
  while (service.queued() > 0) std::this_thread::sleep_for(1ms);  // it is in a batch that waits
  auto retry = ask(placing("t"));
  const Answer told = retry.get();
  EXPECT_THAT(told, refused(Rejection::in_progress));
  EXPECT_THAT(told, token_unused());
  holder.execute("COMMIT");
  EXPECT_THAT(intruder.get(), refused(Rejection::token_collision));
  EXPECT_TRUE(ask(placing("t")).get().replayed);
}

INSTANTIATE_TEST_SUITE_P(on, Economy, testing::Values("postgres", "mariadb"),
                         [](const auto& engine) { return engine.param; });

}  // namespace
}  // namespace holdfast::test

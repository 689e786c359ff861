// Several nodes on one database, while everything around them fails: nothing that was acknowledged
// is lost, nothing happens twice, and the records prove it.

#include <gmock/gmock.h>

#include <future>

#include "engine/service.hpp"
#include "nodes/cutting_proxy.hpp"
#include "nodes/storm.hpp"
#include "store/open.hpp"
#include "support/calls.hpp"
#include "support/servers/mariadb_server.hpp"
#include "support/servers/postgres_server.hpp"

namespace holdfast::test {
namespace {

using std::chrono::milliseconds;
using std::this_thread::sleep_for;

/// The same address with another port.
std::string through(std::string url, std::uint16_t from, std::uint16_t to) {
  const std::string old_port = ":" + std::to_string(from) + "/";
  const std::size_t at = url.find(old_port);
  EXPECT_NE(at, std::string::npos) << url;
  return url.replace(at, old_port.size(), ":" + std::to_string(to) + "/");
}

class Nodes : public testing::TestWithParam<std::string> {
 protected:
  static constexpr int callers = 200;
  static constexpr std::size_t nodes = 4;

  void SetUp() override {
    if (GetParam() == "postgres") {
      server_ =
          std::make_unique<PostgresServer>(ServerOptions{.settings = {"max_connections=200"}});
    } else {
      server_ = std::make_unique<MariadbServer>(ServerOptions{.settings = {"max-connections=200"}});
    }
    database_.emplace(server_->create_database());
  }

  [[nodiscard]] std::string url() const { return database_->url(); }
  [[nodiscard]] std::vector<std::string> urls() const { return {nodes, url()}; }
  /// How the protocol of the engine spells a commit.
  [[nodiscard]] std::string commit() const {
    return GetParam() == "postgres" ? "hf_commit" : "COMMIT";
  }
  void expect_all_is_well(Storm& storm) {
    storm.ask_again();
    storm.calm();
    expect_clean(url());
    RecordProperty("changes", static_cast<int>(storm.changes()));
  }

  std::unique_ptr<OwnedServer> server_;
  std::optional<TestDatabase> database_;
};

TEST_P(Nodes, four_of_them_are_one_to_their_callers) {
  Storm storm(urls());
  storm.rage(callers, 6, [] { sleep_for(milliseconds(1500)); });
  expect_all_is_well(storm);
}

TEST_P(Nodes, may_be_killed_at_any_moment) {
  Storm storm(urls());
  storm.rage(callers, 4, [&] {
    for (std::size_t i = 0; i < 8; ++i) {
      sleep_for(milliseconds(150));
      storm.node(i % nodes).kill();
      sleep_for(milliseconds(100));
      storm.node(i % nodes).start();
    }
  });
  expect_all_is_well(storm);
}

TEST_P(Nodes, survive_their_database_being_killed) {
  Storm storm(urls());
  storm.rage(callers, 4, [&] {
    for (int i = 0; i < 2; ++i) {
      sleep_for(milliseconds(700));
      server_->kill();
      sleep_for(milliseconds(200));
      server_->restart();
    }
  });
  expect_all_is_well(storm);
}

TEST_P(Nodes, lose_nothing_when_connections_are_cut_around_commits) {
  std::vector<std::unique_ptr<CuttingProxy>> proxies;
  std::vector<std::string> stores;
  for (std::size_t i = 0; i < nodes; ++i) {
    proxies.push_back(std::make_unique<CuttingProxy>(server_->port(), commit()));
    stores.push_back(through(url(), server_->port(), proxies.back()->port()));
  }
  Storm storm(stores);
  for (const auto& each : proxies) each->cut_every(5);
  storm.rage(callers, 4, [] { sleep_for(milliseconds(2000)); });
  unsigned before = 0;
  unsigned after = 0;
  for (const auto& each : proxies) {
    each->cut_every(0);
    before += each->cut_before();
    after += each->cut_after();
  }
  EXPECT_GT(before, 4U);
  EXPECT_GT(after, 4U);
  storm.ask_again();
  storm.calm();
  expect_clean(url());
}

Answered get(const ServiceProcess& node, const std::string& target) {
  RawConnection connection(node.port());
  EXPECT_TRUE(connection.send(request_text("GET", target)));
  return connection.read(std::chrono::seconds(20)).value_or(Answered{});
}

TEST_P(Nodes, tell_a_load_balancer_the_truth) {
  ServiceProcess node(url());
  EXPECT_EQ(get(node, "/readyz").status, 200);
  server_->kill();
  EXPECT_EQ(get(node, "/readyz").status, 503);
  EXPECT_EQ(get(node, "/livez").status, 200);
  server_->restart();
  EXPECT_EQ(get(node, "/readyz").status, 200);
  EXPECT_EQ(node.terminate(), 0);
}

/// It is not told at once, but it is told.
TEST_P(Nodes, tell_a_load_balancer_of_a_database_that_hangs) {
  CuttingProxy proxy(server_->port(), commit());
  ServiceProcess node(through(url(), server_->port(), proxy.port()));
  EXPECT_EQ(get(node, "/readyz").status, 200);
  proxy.hang(true);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(get(node, "/readyz").status, 503);
  EXPECT_EQ(get(node, "/livez").status, 200);
  proxy.hang(false);
  bool ready = false;
  for (int i = 0; i < 300 && !ready; ++i) {
    ready = get(node, "/readyz").status == 200;
    if (!ready) sleep_for(milliseconds(100));
  }
  EXPECT_TRUE(ready);
  EXPECT_EQ(node.terminate(), 0);
}

TEST_P(Nodes, count_how_often_their_database_was_set_back) {
  ServiceProcess node(url());
  const auto place_one = [&](const std::string& token) {
    RawConnection connection(node.port());
    EXPECT_TRUE(connection.send(
        request_text("POST", "/v1/holds", {{"Idempotency-Key", token}},
                     R"({"resource":")" + token + R"(","requester":"g","duration":"PT1H"})")));
    return connection.read(std::chrono::seconds(20)).value_or(Answered{}).status;
  };
  EXPECT_EQ(place_one("t"), 201);
  EXPECT_THAT(get(node, "/metrics").body,
              testing::HasSubstr("\nholdfast_histories_lost_total 0\n"));
  restore_the_beginning(*database_);
  EXPECT_EQ(place_one("u"), 201);
  EXPECT_THAT(get(node, "/metrics").body,
              testing::HasSubstr("\nholdfast_histories_lost_total 1\n"));
  EXPECT_EQ(place_one("t"), 201) << "it is unused again";
  EXPECT_EQ(node.terminate(), 0);
}

INSTANTIATE_TEST_SUITE_P(on, Nodes, testing::Values("postgres", "mariadb"),
                         [](const auto& engine) { return engine.param; });

/// A commit that stopped waiting for the standby is on the primary alone, and may be lost with it.
/// It is not acknowledged before it is on both.
TEST(Failover, a_commit_whose_wait_was_cancelled_is_waited_for_again) {
  PostgresServer primary;
  const TestDatabase database = primary.create_database();
  auto store = open_store({.store = database.url()});
  ASSERT_TRUE(store) << store.error().message;
  Service service(std::move(*store), system_random(), ServiceOptions{.sweep_every = {}});
  primary.set("synchronous_standby_names", "absent");
  /// The process that waits for the standby, if there is one.
  const auto waiting = [&] {
    const SqlRows rows =
        primary.execute("SELECT pid FROM pg_stat_activity WHERE wait_event = 'SyncRep'");
    return rows.empty() ? std::string() : rows[0].at(0);
  };
  std::future<Answer> answer;
  const auto is_answered = [&] {
    return answer.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
  };
  std::string first;
  for (int i = 0; i < 100 && first.empty(); ++i) {  // commits do not wait from the first moment on
    const std::string number = std::to_string(i);
    auto promise = std::make_shared<std::promise<Answer>>();
    answer = promise->get_future();
    service.submit(
        place({.resource = "room" + number, .requester = "guest", .duration = 24h}, "t" + number),
        [promise](Answer given) { promise->set_value(std::move(given)); });
    while (first.empty() && !is_answered()) first = waiting();
  }
  ASSERT_NE(first, "");
  primary.execute("SELECT pg_cancel_backend(" + first + ")");
  std::string second = first;
  for (int i = 0; i < 2000 && (second.empty() || second == first); ++i) {
    second = waiting();
    sleep_for(milliseconds(10));
  }
  EXPECT_TRUE(!second.empty() && second != first) << "nobody waits for the standby again";
  EXPECT_FALSE(is_answered());
  primary.set("synchronous_standby_names", "");
  const Answer given = answer.get();
  EXPECT_THAT(given, done()) << given.note;
  EXPECT_FALSE(given.replayed);
}

/// A primary that waits for its standby, dies, and is replaced by it.
TEST(Failover, to_a_synchronous_standby_loses_nothing_that_was_acknowledged) {
  PostgresServer primary({.settings = {"max_connections=200"}});
  const TestDatabase database = primary.create_database();
  const auto standby = PostgresServer::standby_of(primary, "second");
  primary.set("synchronous_standby_names", "second");
  const std::string both =
      through(database.url(), primary.port(), primary.port())
          .replace(database.url().find("127.0.0.1"),
                   std::string("127.0.0.1:").size() + std::to_string(primary.port()).size(),
                   "127.0.0.1:" + std::to_string(primary.port()) +
                       ",127.0.0.1:" + std::to_string(standby->port()));
  Storm storm({4, both});
  storm.rage(60, 6, [&] {
    sleep_for(milliseconds(1000));
    primary.kill();
    standby->promote();
    sleep_for(milliseconds(500));
  });
  storm.ask_again();
  storm.calm();
  expect_clean(standby->url(database.name()));
}

}  // namespace
}  // namespace holdfast::test

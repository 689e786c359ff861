// What is MariaDB's own: claims, locks, lost connections, privileges. That the store does what
// every store does is for the other tests of this folder.

#include <gmock/gmock.h>

#include <functional>
#include <future>
#include <thread>

#include "domain/apply.hpp"
#include "domain/decide.hpp"
#include "store/mariadb/account.hpp"
#include "store/mariadb/address.hpp"
#include "store/mariadb/faults.hpp"
#include "store/mariadb/mariadb_driver.hpp"
#include "store/shared/changes.hpp"
#include "support/calls.hpp"
#include "support/fixed_random.hpp"
#include "support/rules.hpp"
#include "support/servers/mariadb_server.hpp"

namespace holdfast::test {
namespace {

using shared::Trouble;
using ::testing::HasSubstr;

/// A node that does one batch at a time, step by step.
class Node {
 public:
  explicit Node(const std::string& url) : driver_(*make_mariadb_driver(url)) { connect(); }

  void connect() {
    auto session = driver_->connect();
    if (!session) throw std::runtime_error(session.error().message);
    session_ = std::move(*session);
  }

  shared::Expected<void> load(const std::vector<Call>& calls) {
    requests_.clear();
    for (const Call& each : calls) requests_.push_back(make_request(each));
    Keys keys;
    for (const Request& each : requests_) keys.requests.push_back(&each);
    wanted_ = shared::wanted_by(keys);
    wanted_.time = time;
    auto loaded = session_->load(wanted_);
    if (!loaded) return tl::unexpected(loaded.error());
    loaded_ = std::move(*loaded);
    for (auto& each : loaded_.tokens) derive(each.record);
    for (auto& each : loaded_.nonces) derive(each.record);
    return {};
  }

  /// Decides what was loaded, and commits that. How many records it made.
  shared::Expected<std::size_t> write() {
    WorkingSet rows;
    shared::fill(rows, wanted_, loaded_);
    Records records;
    FixedSalt salt(7);
    FreshIds ids(salt, loaded_.head.counts.holds + 1);
    for (const Request& each : requests_) {
      const std::size_t before = records.size();
      const std::uint64_t seq = loaded_.head.seq + 1 + before;
      (void)decide(rows, each, loaded_.head.now, ids, seq, rules, records);
      for (std::size_t i = before; i < records.size(); ++i) apply(rows, records[i]);
    }
    if (records.empty()) {
      session_->abandon();
      return 0;
    }
    auto changes = shared::changes_of(records, wanted_, loaded_, rules);
    if (tamper) tamper(changes);
    if (auto written = session_->write(changes); !written) return tl::unexpected(written.error());
    return records.size();
  }

  shared::Expected<std::size_t> execute(const std::vector<Call>& calls) {
    if (auto loaded = load(calls); !loaded) return tl::unexpected(loaded.error());
    return write();
  }

  shared::Session& session() { return *session_; }
  const shared::Loaded& loaded() const { return loaded_; }

  Rules rules = short_rules();
  shared::Time time{};
  std::function<void(shared::Changes&)> tamper;

 private:
  std::unique_ptr<shared::Driver> driver_;
  std::unique_ptr<shared::Session> session_;
  std::vector<Request> requests_;
  shared::Wanted wanted_;
  shared::Loaded loaded_;
};

class MariadbSessions : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!MariadbServer::installed()) GTEST_SKIP() << "there is no MariaDB on this machine";
    database_.emplace(MariadbServer::shared().create_database());
    Node first(url());
    ASSERT_TRUE(first.session().make(first.rules));
  }

  std::string url() const { return database_->url(); }
  std::string ask(const std::string& sql) const { return database_->connect().execute(sql)[0][0]; }
  std::string count(const std::string& from) const { return ask("SELECT COUNT(*) FROM " + from); }
  /// Ends every connection to the database but the one that asks.
  void cut_connections() const {
    const auto others = MariadbServer::shared().execute(
        "SELECT id FROM information_schema.processlist WHERE db='" + database_->name() + "'");
    for (const SqlRow& each : others) MariadbServer::shared().execute("KILL " + each[0]);
  }

  std::optional<TestDatabase> database_;
};

TEST_F(MariadbSessions, a_second_call_with_a_token_waits_for_the_first_and_sees_its_outcome) {
  Node first(url());
  Node second(url());
  ASSERT_TRUE(first.load({place(room, "t")}));
  auto waiting = std::async(std::launch::async, [&] { return second.load({place(room, "t")}); });
  EXPECT_EQ(waiting.wait_for(200ms), std::future_status::timeout) << "the token is claimed";
  ASSERT_TRUE(first.write());
  ASSERT_TRUE(waiting.get());
  ASSERT_EQ(second.loaded().tokens.size(), 1U);
  EXPECT_EQ(second.loaded().tokens[0].record.seq, 1U);
  EXPECT_EQ(second.loaded().holds.size(), 1U) << "the hold the outcome speaks of";
  EXPECT_EQ(second.write(), 1U) << "a replay";
  EXPECT_EQ(count("state_holds"), "1");
}

TEST_F(MariadbSessions, calls_with_other_tokens_wait_for_the_head_only) {
  Node first(url());
  Node second(url());
  ASSERT_TRUE(first.load({place(room, "t")}));
  auto waiting = std::async(std::launch::async, [&] { return second.load({place(room, "u")}); });
  EXPECT_EQ(waiting.wait_for(200ms), std::future_status::timeout);
  first.session().abandon();
  ASSERT_TRUE(waiting.get());
  EXPECT_TRUE(second.loaded().tokens.empty());
  EXPECT_TRUE(second.write());
}

TEST_F(MariadbSessions, the_instant_is_that_of_getting_the_lock_and_not_of_asking_for_it) {
  Node first(url());
  Node second(url());
  ASSERT_TRUE(first.load({place(room, "t")}));
  auto waiting = std::async(std::launch::async, [&] { return second.load({place(room, "u")}); });
  std::this_thread::sleep_for(500ms);
  first.session().abandon();
  ASSERT_TRUE(waiting.get());
  EXPECT_GE(second.loaded().head.now - first.loaded().head.now, 400ms);
}

TEST_F(MariadbSessions, an_abandoned_batch_leaves_no_trace) {
  Node node(url());
  ASSERT_TRUE(node.load({place(room, "t"), place(room, "u")}));
  node.session().abandon();
  EXPECT_FALSE(node.session().broken());
  EXPECT_EQ(count("state_tokens"), "0");
  EXPECT_EQ(node.execute({place(room, "t")}), 1U);
}

TEST_F(MariadbSessions, a_claim_that_got_no_outcome_goes_with_the_batch) {
  Node node(url());
  node.rules.policies[Operation::hold_place].on_reject = OnReject::release;
  ASSERT_EQ(node.execute({place(room, "t"), place(room, "refused"), place(room, "too")}), 1U);
  EXPECT_EQ(count("state_tokens"), "1");
  EXPECT_EQ(count("state_tokens WHERE seq IS NULL"), "0");
  EXPECT_EQ(ask("SELECT tokens FROM head"), "1");
}

TEST_F(MariadbSessions, who_waits_too_long_for_the_head_decides_again) {
  Node node(url());
  Node other(url());
  ASSERT_TRUE(node.load({place(room, "t")}));
  EXPECT_EQ(other.execute({place(room, "u")}).error().trouble, Trouble::again);
  other.session().abandon();
  EXPECT_EQ(node.write(), 1U);
  EXPECT_EQ(other.execute({place(room, "t")}), 1U) << "a replay";
}

TEST_F(MariadbSessions, a_row_that_is_not_as_it_was_loaded_stops_the_batch) {
  Node node(url());
  node.tamper = [](shared::Changes& changes) {
    HoldRow nobody;
    nobody.id = {99, 1};
    changes.changed_holds.push_back({.hold = nobody});
  };
  const auto written = node.execute({place(room, "t")});
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().trouble, Trouble::again);
  EXPECT_FALSE(node.session().broken());
  EXPECT_EQ(count("journal"), "0");
  EXPECT_EQ(count("state_tokens"), "0");
  node.tamper = {};
  EXPECT_EQ(node.execute({place(room, "t")}), 1U);
}

TEST_F(MariadbSessions, a_connection_that_went_before_the_commit_changed_nothing) {
  Node node(url());
  ASSERT_TRUE(node.load({place(room, "t")}));
  cut_connections();
  const auto written = node.write();
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().trouble, Trouble::lost) << written.error().message;
  EXPECT_TRUE(node.session().broken());
  EXPECT_EQ(count("state_tokens"), "0");
  node.connect();
  EXPECT_EQ(node.execute({place(room, "t")}), 1U);
}

TEST_F(MariadbSessions, several_may_make_the_store_at_once) {
  TestDatabase empty = MariadbServer::shared().create_database();
  std::vector<std::future<shared::Expected<int>>> all;
  for (int i = 0; i < 6; ++i) {
    all.push_back(std::async(std::launch::async, [url = empty.url()] {
      Node node(url);
      return node.session().make(node.rules);
    }));
  }
  int made = 0;
  for (auto& each : all) {
    const auto found = each.get();
    ASSERT_TRUE(found) << found.error().message;
    if (*found == 0) ++made;
  }
  EXPECT_EQ(made, 1);
  Node node(empty.url());
  const auto description = node.session().describe();
  ASSERT_TRUE(description);
  EXPECT_EQ(description->schema_version, shared::schema_version);
  EXPECT_EQ(description->kept.window, node.rules.window);
  EXPECT_THAT(description->server, HasSubstr("MariaDB"));
}

TEST_F(MariadbSessions, a_database_with_tables_of_somebody_else_is_refused) {
  TestDatabase other = MariadbServer::shared().create_database();
  other.connect().execute("CREATE TABLE journal (entry TEXT)");
  Node node(other.url());
  const auto made = node.session().make(node.rules);
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().trouble, Trouble::refused);
  EXPECT_THAT(made.error().message, HasSubstr("journal"));
}

TEST_F(MariadbSessions, forgetting_waits_for_no_claim) {
  Node node(url());
  Node other(url());
  node.time.clock = start;
  ASSERT_TRUE(node.execute({place(room, "t"), declare("room_1", 5, "kept")}));
  node.time.clock = start + 1h;
  other.time.clock = start + 1h;
  // A batch that has claimed the token and waits for the head.
  ASSERT_TRUE(node.load({place(room, "u")}));
  auto waiting = std::async(std::launch::async, [&] { return other.load({place(room, "t")}); });
  EXPECT_EQ(waiting.wait_for(200ms), std::future_status::timeout);
  Node sweeper(url());
  sweeper.time.clock = start + 1h;
  auto forgetting =
      std::async(std::launch::async, [&] { return sweeper.session().forget(sweeper.time, 100); });
  node.session().abandon();
  ASSERT_TRUE(waiting.get());
  other.session().abandon();
  ASSERT_TRUE(forgetting.get());
  const auto left = sweeper.session().forget(sweeper.time, 100);
  ASSERT_TRUE(left);
  EXPECT_EQ(count("state_tokens"), "1") << "the one that is kept for ever";
  EXPECT_EQ(ask("SELECT tokens FROM head"), "1");
}

TEST_F(MariadbSessions, the_tables_refuse_what_must_not_be) {
  Node node(url());
  ASSERT_TRUE(node.execute({place(room, "t")}));
  SqlConnection sql = database_->connect();
  EXPECT_THROW(sql.execute("INSERT INTO head VALUES (2,0,0,0,0,0,0,0,0,0,0)"), SqlError);
  EXPECT_THROW(sql.execute("UPDATE head SET live = live + 1"), SqlError);
  EXPECT_THROW(sql.execute("UPDATE state_resources SET occupied = 2"), SqlError);
  EXPECT_THROW(sql.execute("UPDATE state_tokens SET seq = NULL"), SqlError);
  EXPECT_THROW(sql.execute("UPDATE state_tokens SET seq = 99"), SqlError);
  EXPECT_THROW(sql.execute("UPDATE state_holds SET state = 2"), SqlError);
  EXPECT_THROW(sql.execute("DELETE FROM journal"), SqlError);
}

TEST_F(MariadbSessions, the_service_and_the_auditor_may_do_what_they_need_and_no_more) {
  DatabaseServer& server = MariadbServer::shared();
  server.execute(
      "CREATE OR REPLACE USER hf_service@'%' IDENTIFIED BY 'secret';"
      "CREATE OR REPLACE USER hf_auditor@'%' IDENTIFIED BY 'secret'");
  std::string admin = server.admin_url();
  Node owner(admin.substr(0, admin.rfind('/') + 1) + database_->name());
  const auto granted = owner.session().grant("'hf_service'@'%'", "hf_auditor");
  ASSERT_TRUE(granted) << granted.error().message;

  const auto url_of = [&](const std::string& user) {
    std::string text = url();
    return text.replace(text.find("holdfast:"), 8, user);
  };
  Node service(url_of("hf_service"));
  service.time.clock = start;
  ASSERT_TRUE(service.session().describe());
  Call call = place(room, "t");
  call.nonce = "n";
  const auto done = service.execute({call});
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_EQ(service.execute({call}), 1U) << "a replay";
  service.time.clock = start + 1h;
  EXPECT_EQ(service.session().forget(service.time, 10), 1U);
  EXPECT_TRUE(service.session().ready());
  SqlConnection as_service(url_of("hf_service"));
  EXPECT_THROW(as_service.execute("UPDATE journal SET quantity = 2"), SqlError);
  EXPECT_THROW(as_service.execute("DELETE FROM journal"), SqlError);
  EXPECT_THROW(as_service.execute("DELETE FROM head"), SqlError);

  Node auditor(url_of("hf_auditor"));
  const auto records = auditor.session().records(0, 10);
  ASSERT_TRUE(records);
  EXPECT_EQ(records->size(), 2U);
  EXPECT_EQ(auditor.execute({place(room, "u")}).error().trouble, Trouble::refused);
  server.execute("DROP USER hf_service@'%'; DROP USER hf_auditor@'%'");
}

TEST_F(MariadbSessions, long_names_in_long_batches_are_sent_in_pieces) {
  Node node(url());
  std::vector<Call> calls;
  const std::string filler(1000, 'x');
  for (int i = 0; i < 500; ++i) {
    const std::string each = filler + std::to_string(i);
    const std::string token = std::string(1000, '\xff') + std::to_string(i);
    calls.push_back(place({.resource = each, .requester = each, .duration = 1h}, token));
  }
  ASSERT_EQ(node.execute(calls), 500U);
  ASSERT_EQ(node.execute(calls), 500U) << "replays";
  EXPECT_EQ(node.loaded().holds.size(), 500U);
  EXPECT_EQ(count("state_holds"), "500");
}

TEST_F(MariadbSessions, a_wrong_password_is_refused_and_a_missing_server_is_lost) {
  std::string wrong = url();
  wrong.replace(wrong.find("secret"), 6, "guess");
  EXPECT_EQ((*make_mariadb_driver(wrong))->connect().error().trouble, Trouble::refused);
  EXPECT_EQ((*make_mariadb_driver(url() + "x"))->connect().error().trouble, Trouble::refused);
  const auto nobody = make_mariadb_driver("mariadb://u:p@127.0.0.1:1/d");
  EXPECT_EQ((*nobody)->connect().error().trouble, Trouble::lost);
}

TEST(MariadbAddress, has_every_part) {
  const auto address = mariadb::parse_address(
      "mysql://h%40ld:p%2F%3A%40@[::1]:3307/d%20b?ssl=verified&ssl_ca=%2Fca.pem&read_timeout=9");
  ASSERT_TRUE(address) << address.error();
  EXPECT_EQ(address->user, "h@ld");
  EXPECT_EQ(address->password, "p/:@");
  EXPECT_EQ(address->host, "::1");
  EXPECT_EQ(address->port, 3307);
  EXPECT_EQ(address->database, "d b");
  EXPECT_EQ(address->tls, mariadb::Address::Tls::verified);
  EXPECT_EQ(address->tls_ca, "/ca.pem");
  EXPECT_EQ(address->read_timeout, 9s);
  EXPECT_EQ(address->name(), "mariadb://h%40ld@[::1]:3307/d%20b") << "without the password";
}

TEST(MariadbAddress, says_what_is_wrong) {
  const auto wrong = [](const std::string& url) {
    const auto address = mariadb::parse_address(url);
    return address ? std::string() : address.error();
  };
  EXPECT_THAT(wrong("postgres://u@h/d"), HasSubstr("mariadb://"));
  EXPECT_THAT(wrong("mariadb://h/d"), HasSubstr("no user"));
  EXPECT_THAT(wrong("mariadb://u@/d"), HasSubstr("no host"));
  EXPECT_THAT(wrong("mariadb://u@h"), HasSubstr("no database"));
  EXPECT_THAT(wrong("mariadb://u@h:99999/d"), HasSubstr("port"));
  EXPECT_THAT(wrong("mariadb://u@h;x=y/d"), HasSubstr("host"));
  EXPECT_THAT(wrong("mariadb://u:%zz@h/d"), HasSubstr("percent"));
  EXPECT_THAT(wrong("mariadb://u:p%00@h/d"), HasSubstr("percent"));
  EXPECT_THAT(wrong("mariadb://u@h/d?colour=red"), HasSubstr("option colour"));
  EXPECT_THAT(wrong("mariadb://u@h/d?ssl=maybe"), HasSubstr("ssl"));
  EXPECT_THAT(wrong("mariadb://u@h/d?ssl_ca=/ca.pem"), HasSubstr("ssl=required"));
  EXPECT_THAT(wrong("mariadb://u@h/d?connect_timeout=soon"), HasSubstr("connect_timeout"));
  EXPECT_EQ(wrong("mariadb://u@/d?socket=/run/mysqld/mysqld.sock"), "");
}

TEST(MariadbFaults, a_commit_is_undone_only_if_the_server_says_so) {
  EXPECT_EQ(mariadb::trouble_at_commit(1213), Trouble::again);
  for (const unsigned code : {2006U, 2013U, 1047U, 1053U, 1180U, 1927U}) {
    EXPECT_EQ(mariadb::trouble_at_commit(code), Trouble::unknown) << code;
  }
}

TEST(MariadbFaults, are_sorted_by_what_to_do) {
  for (const unsigned code : {1213U, 1205U, 1020U, 1062U, 1452U})
    EXPECT_EQ(mariadb::trouble_of(code), Trouble::again) << code;
  for (const unsigned code : {2002U, 2003U, 2006U, 2013U, 2055U, 1040U, 1053U, 1927U, 1047U, 1290U,
                              1836U, 1021U, 1114U, 1026U})
    EXPECT_EQ(mariadb::trouble_of(code), Trouble::lost) << code;
  for (const unsigned code : {1044U, 1045U, 1049U, 1142U, 1146U, 1054U, 4025U, 2026U})
    EXPECT_EQ(mariadb::trouble_of(code), Trouble::refused) << code;
}

TEST(MariadbFaults, do_not_quote_what_was_to_be_written) {
  const auto text = [](unsigned code, std::string_view message) {
    return mariadb::fault_of(Trouble::again, code, message).message;
  };
  EXPECT_EQ(text(1062, "Duplicate entry 's' for 'x' for key 'PRIMARY'"),
            "Duplicate entry '…' for key 'PRIMARY' (MariaDB error 1062)");
  EXPECT_EQ(text(1366, "Incorrect string value: '\\xFF' for column `a`.`b` at row 1"),
            "Incorrect string value: '…' for column `a`.`b` at row 1 (MariaDB error 1366)");
  EXPECT_EQ(text(1292, "Truncated incorrect INTEGER value: 'it's'"),
            "Truncated incorrect INTEGER value: '…' (MariaDB error 1292)");
  EXPECT_EQ(text(1142, "INSERT command denied to user 'a'@'b' for table `c`.`d`"),
            "INSERT command denied to user 'a'@'b' for table `c`.`d` (MariaDB error 1142)");
}

TEST(MariadbAccounts, are_quoted) {
  EXPECT_EQ(mariadb::account_sql("service"), "'service'");
  EXPECT_EQ(mariadb::account_sql("service@%"), "'service'@'%'");
  EXPECT_EQ(mariadb::account_sql("'service'@'10.0.0.%'"), "'service'@'10.0.0.%'");
  EXPECT_EQ(mariadb::account_sql("a@b@host"), "'a@b'@'host'");
  for (const char* wrong : {"", "@host", "x@", "'x", "x' TO y", "x\\", "'x'y@z", "'a'@'b'c"})
    EXPECT_FALSE(mariadb::account_sql(wrong)) << wrong;
}

}  // namespace
}  // namespace holdfast::test

#include "nodes/storm.hpp"

#include <gmock/gmock.h>

#include "store/open.hpp"
#include "support/journals/audit.hpp"
#include "support/servers/sql_connection.hpp"

namespace holdfast::test {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

bool definite(const std::optional<Answered>& answered) {
  return answered && answered->status < 500 && answered->status != 429;
}

}  // namespace

void Tester::run(const std::atomic<bool>& enough, int at_least) {
  for (int i = 0; !enough || i < at_least; ++i) {
    const std::string key = "k-" + std::to_string(number_) + "-" + std::to_string(i);
    // Few resources: most of what happens is fought over.
    const std::string resource = "room_" + std::to_string(random_() % 60);
    if (random_() % 4 == 0) {
      change_group(key);
      continue;
    }
    const Told placed = until_definite(
        request_text("POST", "/v1/holds", {{"Idempotency-Key", key}},
                     R"({"resource":")" + resource + R"(","requester":"q","duration":"PT1H"})"));
    if (placed.status != 201) continue;
    const std::string hold = "/v1/holds/" + Json(placed.body).text("/id") + "/";
    if (random_() % 3 == 0) change(hold + "extend", key, R"({"duration":"PT2H"})");
    const bool confirms = random_() % 3 == 0;
    change(hold + (confirms ? "confirm" : "release"), key);
    if (confirms && random_() % 8 != 0) change(hold + "cancel", key);
  }
}

void Tester::change(const std::string& target, const std::string& key, const std::string& body) {
  const std::string verb = target.substr(target.rfind('/'));
  (void)until_definite(request_text("POST", target, {{"Idempotency-Key", key + verb}}, body));
}

void Tester::change_group(const std::string& key) {
  const std::string number = std::to_string(random_() % 30);
  const Told placed = until_definite(
      request_text("POST", "/v1/groups", {{"Idempotency-Key", key}},
                   R"({"requester":"q","duration":"PT1H","holds":[{"resource":"room_)" + number +
                       R"("},{"resource":"twin_)" + number + R"("}]})"));
  if (placed.status != 201) return;
  const std::string group = "/v1/groups/" + Json(placed.body).text("/id") + "/";
  if (random_() % 3 == 0) change(group + "extend", key, R"({"duration":"PT2H"})");
  change(group + "release", key);
}

const Told& Tester::until_definite(const std::string& request) {
  while (true) {
    RawConnection one(any_node());
    RawConnection other(any_node());
    const bool asked_one = one.send(request);
    const bool asked_other = other.send(request);
    if (random_() % 16 == 0) continue;  // goes away without a word, and comes back
    const auto first = asked_one ? one.read(seconds(20)) : std::nullopt;
    const auto second = asked_other ? other.read(seconds(20)) : std::nullopt;
    if (definite(first) && definite(second) &&
        (first->status != second->status || first->body != second->body)) {
      contradictions_.push_back(request + "\n" + first->body + "\n" + second->body);
    }
    const auto& answered = definite(first) ? first : second;
    if (definite(answered)) {
      told_.push_back({request, answered->body, answered->status});
      return told_.back();
    }
    std::this_thread::sleep_for(milliseconds(5 + random_() % 20));
  }
}

Storm::Storm(const std::vector<std::string>& stores) {
  for (const std::string& each : stores) nodes_.push_back(std::make_unique<ServiceProcess>(each));
}

void Storm::rage(int callers, int changes, const std::function<void()>& meanwhile) {
  std::vector<std::uint16_t> ports;
  for (const auto& node : nodes_) ports.push_back(node->port());
  for (int i = 0; i < callers; ++i) callers_.emplace_back(ports, i + 1);
  std::atomic<bool> enough{false};
  std::vector<std::thread> threads;
  for (Tester& each : callers_) threads.emplace_back([&, changes] { each.run(enough, changes); });
  meanwhile();
  enough = true;
  for (std::thread& each : threads) each.join();
  for (const Tester& each : callers_) EXPECT_THAT(each.contradictions(), testing::IsEmpty());
}

void Storm::ask_again() {
  std::size_t next = 0;
  for (const Tester& caller : callers_) {
    RawConnection connection(nodes_[next++ % nodes_.size()]->port());
    for (const Told& told : caller.told()) {
      ASSERT_TRUE(connection.send(told.request));
      const auto again = connection.read(seconds(20));
      ASSERT_TRUE(again);
      EXPECT_EQ(again->status, told.status) << again->body;
      EXPECT_EQ(again->body, told.body);
      EXPECT_EQ(again->header("idempotent-replayed"), "true");
    }
  }
}

void Storm::calm() {
  for (const auto& node : nodes_) EXPECT_EQ(node->terminate(), 0);
}

std::size_t Storm::changes() const {
  std::size_t all = 0;
  for (const Tester& each : callers_) all += each.told().size();
  return all;
}

void expect_clean(const std::string& store) {
  const auto opened = open_store({.store = store, .read_only = true});
  ASSERT_TRUE(opened) << opened.error().message;
  EXPECT_THAT(violations(**opened), testing::IsEmpty());
  EXPECT_EQ(SqlConnection(store)
                .execute("SELECT count(*) FROM state_tokens WHERE seq IS NULL")
                .at(0)
                .at(0),
            "0")
      << "a token without an outcome";
}

void restore_the_beginning(const TestDatabase& database) {
  database.connect().execute(
      "DELETE FROM state_tokens; DELETE FROM state_nonces; DELETE FROM state_holds; "
      "DELETE FROM state_resources; DELETE FROM journal; UPDATE head SET seq = 0, chain = 0, "
      "ordinal = 0, live = 0, confirmed = 0, released = 0, expired = 0, tokens = 0, "
      "resources = 0");
}

}  // namespace holdfast::test

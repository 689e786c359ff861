// The real program with a registry, killed at random while clients submit commands, workers do what
// is leased and die, and senders send webhooks. The provider's own count is the judge.

#include <atomic>
#include <map>
#include <random>
#include <set>

#include "crash/command_server.hpp"
#include "modules/commands/kinds.hpp"
#include "modules/webhooks/kinds.hpp"
#include "support/processes/kills.hpp"

namespace holdfast::test {
namespace {

using std::chrono::milliseconds;

/// Submits one command after the other, and sends webhooks, each until it is answered.
struct Submitter {
  int number = 0;
  std::map<std::string, std::string> commands{};  ///< their ids, by key
  std::map<std::string, std::string> entries{};   ///< ids in the inbox, by source and event

  [[nodiscard]] static std::string shield_of(const std::string& key) { return key.substr(0, 2); }
};

/// Leases work, has the provider do it, and says so. Now and then it dies without a word.
class PullWorker {
 public:
  PullWorker(std::uint16_t server, const std::string& provider, int number)
      : server_(server),
        provider_(static_cast<std::uint16_t>(std::stoi(provider.substr(provider.rfind(':') + 1)))),
        number_(number) {}

  void run(const std::atomic<bool>& over) {
    while (!over) {
      const auto asked = std::chrono::steady_clock::now();
      const Json leased(
          post("/v1/effects/lease", R"({"kinds":["bench"],"max":4,"lease":"PT5S"})").body);
      for (std::size_t i = 0; i < leased.size("/effects"); ++i) {
        // Whoever begins when its lease may have ended acts beside somebody else.
        if (std::chrono::steady_clock::now() - asked > std::chrono::seconds(2)) break;
        work(leased, fmt::format("/effects/{}", i));
      }
      std::this_thread::sleep_for(milliseconds(5));
    }
  }

 private:
  void work(const Json& leased, const std::string& at) {
    const std::string key = leased.text(at + "/request/idempotency_key");
    const std::string header = leased.text(at + "/shield") == "S1" ? "Idempotency-Key" : "X-Key";
    RawConnection connection(provider_);
    if (!connection.send(request_text("POST", "/charges", {{header, key}}, "{}"))) return;
    const auto answered = connection.read(std::chrono::seconds(2));
    const bool dies = ++worked_ % 5 == 0;
    if (!answered || answered->status != 200 || dies) return;
    (void)post(fmt::format("/v1/effects/{}/complete", leased.text(at + "/id")),
               fmt::format(R"({{"fence":{}}})", leased.number(at + "/fence")));
  }
  [[nodiscard]] Answered post(const std::string& target, const std::string& body) {
    return CommandServer::until_definite(
        server_,
        request_text("POST", target,
                     {{"Idempotency-Key", fmt::format("w{}_{}", number_, ++calls_)}}, body));
  }

  const std::uint16_t server_;
  const std::uint16_t provider_;
  const int number_;
  int calls_ = 0;
  int worked_ = 0;
};

class CommandServerKilled : public CommandServer {
 protected:
  static void run(Submitter& who, std::uint16_t port, const std::atomic<bool>& enough) {
    for (int i = 0; !enough || i < 8; ++i) {
      const std::string shield(shields[static_cast<std::size_t>(i) % shields.size()]);
      const std::string entity = i / 4 % 2 == 0 ? "pay" : "work";
      const std::string key = fmt::format("{}_{}_{}_{}", shield, entity, who.number, i);
      const Answered accepted = until_definite(port, submission(shield, key, entity));
      EXPECT_TRUE(accepted.status == 200 || accepted.status == 202) << accepted.body;
      who.commands[key] = Json(accepted.body).text("/command_id");
      const std::string source = i % 2 == 0 ? "bank" : "mirror";
      const std::string event = fmt::format("evt_{}_{}", who.number, i);
      const Answered taken = until_definite(port, webhook(source, event));
      EXPECT_EQ(taken.status, 200) << taken.body;
      who.entries[source + " " + event] = Json(taken.body).text("/id");
    }
  }

  void judge(std::uint16_t port, const Submitter& who) const {
    for (const auto& [key, id] : who.commands)
      expect_kept(Submitter::shield_of(key), key, ended(port, id));
    for (const auto& [what, id] : who.entries) {
      std::string status;
      for (int i = 0; i < 12'000 && status != "done"; ++i) {
        status = Json(get(port, "/v1/inbox/" + id).body).text("/status");
        if (status != "done") std::this_thread::sleep_for(milliseconds(5));
      }
      EXPECT_EQ(status, "done") << what;
      if (what.starts_with("mirror")) {
        EXPECT_EQ(provider_.effects(id), 1) << what;
      }
    }
  }

  /// Nothing but what was asked for is on record, and each once.
  void judge_records(const std::vector<Submitter>& all) const {
    std::size_t commands = 0;
    std::size_t entries = 0;
    std::size_t from_bank = 0;
    for (const Submitter& who : all) {
      commands += who.commands.size();
      entries += who.entries.size();
      for (const auto& [what, id] : who.entries) from_bank += what.starts_with("bank") ? 1U : 0U;
    }
    const auto opened = open_store({.store = place_.name(), .rules = {}, .read_only = true});
    ASSERT_TRUE(opened) << opened.error().message;
    EXPECT_THAT(violations(**opened), testing::IsEmpty());
    std::multiset<std::string> accepted;
    std::multiset<std::string> received;
    for (const Record& each : all_records(**opened)) {
      const bool refunds = each.detail.find("\"refund\"") != std::string::npos;
      if (each.kind == commands::kinds::accepted && !refunds) accepted.insert(each.token);
      if (each.kind == webhooks::kinds::received) received.insert(each.token);
    }
    EXPECT_EQ(std::set<std::string>(accepted.begin(), accepted.end()).size(), accepted.size());
    EXPECT_EQ(received.size(), entries);
    EXPECT_GE(accepted.size(), commands + from_bank);
  }
};

INSTANTIATE_TEST_SUITE_P(on, CommandServerKilled, testing::Values("sqlite", "postgres", "mariadb"),
                         [](const auto& engine) { return engine.param; });

TEST_P(CommandServerKilled, at_random_under_load_makes_each_effect_once_and_leaves_none_stuck) {
  const int kills = std::max(1, kills_wanted(place_.shared()) / 2);
  provider_.set_script([](const std::string& key, int call) {
    if (call > 1) return Trouble::none;
    if (key.ends_with("1")) return Trouble::acts_and_dies;
    return key.ends_with("2") ? Trouble::dies_before : Trouble::slow;
  });
  ServiceProcess server = serve();
  std::atomic<bool> enough{false};
  std::atomic<bool> over{false};
  std::vector<Submitter> submitters(4);
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < submitters.size(); ++i) {
    submitters[i].number = static_cast<int>(i);
    threads.emplace_back([&, i] { run(submitters[i], server.port(), enough); });
  }
  std::vector<std::thread> workers;
  for (int i = 0; i < 2; ++i)
    workers.emplace_back([&, i] { PullWorker(server.port(), provider_.url(), i).run(over); });
  std::minstd_rand random(18);
  for (int i = 0; i < kills; ++i) {
    std::this_thread::sleep_for(milliseconds(20 + random() % 150));
    server.kill();
    server.start();
  }
  enough = true;
  for (std::thread& each : threads) each.join();
  for (const Submitter& each : submitters) judge(server.port(), each);
  over = true;
  for (std::thread& each : workers) each.join();
  EXPECT_EQ(server.terminate(), 0);
  judge_records(submitters);
}

}  // namespace
}  // namespace holdfast::test

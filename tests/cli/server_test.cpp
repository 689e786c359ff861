// The same commands, asked of a server.

#include <fmt/format.h>
#include <sqlite3.h>

#include <fstream>
#include <regex>

#include "cli/runner.hpp"
#include "support/http/certificates.hpp"
#include "support/paths.hpp"
#include "support/processes/child_process.hpp"

namespace holdfast::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

using Words = std::vector<std::string>;

class Server : public CliTest {
 protected:
  /// Starts `holdfast serve` on a store of its own.
  void serve(const Words& more = {}) {
    Words words{HOLDFAST_CLI,
                "serve",
                "--json",
                "--listen",
                "127.0.0.1:0",
                "--store",
                folder.file("served.db")};
    words.insert(words.end(), more.begin(), more.end());
    process_.emplace(words);
    const auto line = process_->read_line();
    ASSERT_TRUE(line) << "the server did not start";
    url_ = Json(*line).text("/listening");
  }

  Ran ask(Words arguments, const RunOptions& options = {}) const {
    arguments.insert(arguments.begin(), {"--server", url_});
    return run(arguments, options);
  }
  Json ask_json(Words arguments, int exit_code = 0) const {
    arguments.insert(arguments.begin(), {"--server", url_});
    return json(arguments, exit_code);
  }
  std::string key_of(const std::string& principal, const std::string& role) const {
    return json({"keys", "create", "--principal", principal, "--role", role, "--store",
                 folder.file("served.db")})
        .text("/answer/credential");
  }

  void expect_usage(const Words& arguments, const std::string& words,
                    const RunOptions& options = {}) const {
    const Ran ran = run(arguments, options);
    EXPECT_EQ(ran.exit_code, 2) << ran.out << ran.err;
    EXPECT_THAT(ran.err, HasSubstr(words));
  }

  std::optional<ChildProcess> process_;
  std::string url_;
};

/// What differs from run to run, in the same words.
std::string timeless(const std::string& text) {
  static const std::vector<std::pair<std::regex, std::string>> words{
      {std::regex("h[0-9a-f]+-[0-9a-f]{15}"), "ID"},
      {std::regex(R"(\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d{6}Z| UTC))"), "INSTANT"},
      {std::regex(R"((in|after|until) [0-9][^\s)]*( [0-9]+[a-z]+)?|just now|[0-9ms ]+ ago)"),
       "THEN"},
      {std::regex("[0-9a-f]{64}"), "DIGEST"}};
  std::string same = text;
  for (const auto& [pattern, word] : words) same = std::regex_replace(same, pattern, word);
  return same;
}

TEST_F(Server, AnswersLikeAStore) {
  serve();
  Words ids{"", ""};  // of the hold that is confirmed: here, and at the server
  const auto both = [&](const std::function<Words(const std::string& id)>& command) {
    for (const bool as_json : {false, true}) {
      Words local = command(ids[0]);
      Words remote = command(ids[1]);
      if (as_json) local.insert(local.begin(), "--json");
      if (as_json) remote.insert(remote.begin(), "--json");
      // The window is part of a new store, and a server's is another.
      local.insert(local.begin(), {"--store", folder.file("local.db")});
      const Ran here = run(local);
      const Ran there = ask(remote);
      EXPECT_EQ(there.exit_code, here.exit_code) << local.at(2);
      EXPECT_EQ(timeless(there.out), timeless(here.out));
      EXPECT_EQ(timeless(there.err), timeless(here.err));
    }
  };
  const auto same = [&](const Words& words) { both([&](const std::string&) { return words; }); };

  run({"--store", folder.file("local.db"), "hold", "first", "q", "1h", "--window", "1d"});
  ask({"hold", "first", "q", "1h"});
  same({"hold", "room", "guest", "24h", "--token", "t1"});
  same({"hold", "room", "other", "24h", "--token", "t2"});
  same({"hold", "other", "guest", "24h", "--token", "t1"});
  same({"hold", " ", "guest", "1h", "--token", "t3"});
  same({"hold", "r", "q", "--token", "t4", "--", "-5m"});
  same({"hold", "r", "q", "soon"});
  same({"hold", "r", "q", "1h", "--quantity", "0", "--token", "t5"});
  same({"resource", "a/b", "--capacity", "5", "--token", "t6"});
  same({"resource", "a/b"});
  same({"resource", "unheard-of"});
  same({"resource"});
  same({"resource", "--limit", "1"});
  const Words seat{"hold", "seat", "q", "1h", "--token", "t0"};
  Words here = seat;
  here.insert(here.end(), {"--store", folder.file("local.db")});
  ids = {json(here).text("/answer/id"), ask_json(seat).text("/answer/id")};
  both([](const std::string& id) { return Words{"show", id}; });
  both([](const std::string& id) { return Words{"expire", id, "--token", "t7"}; });
  both([](const std::string& id) { return Words{"confirm", id, "--token", "t8"}; });
  both([](const std::string& id) { return Words{"release", id, "--token", "t9"}; });
  both([](const std::string& id) { return Words{"show", id}; });
  same({"show", "h99-000000000000001"});
  same({"show", "nonsense"});
  same({"list"});
  same({"list", "--resource", "room", "--state", "held"});
  same({"list", "--requester", "nobody"});
  same({"list", "--cursor", "nonsense"});
  same({"resource", "--cursor", "nonsense"});
  same({"list", "--all"});
  same({"token", "t1"});
  same({"token", "t2"});
  same({"token", "t6"});
  same({"token", "never"});
  // Repeated answers are written down a little later, or with the next change.
  ask({"hold", "last", "q", "1h"});
  run({"hold", "last", "q", "1h", "--store", folder.file("local.db")});
  same({"audit"});
}

TEST_F(Server, AuditsItsOwnStore) {
  const std::string web = key_of("web", "client");
  const std::string eve = key_of("eve", "auditor");
  serve();
  const RunOptions as_client{.environment = {{"HOLDFAST_KEY", web}}};
  const RunOptions as_auditor{.environment = {{"HOLDFAST_KEY", eve}, {"HOLDFAST_SERVER", url_}}};
  EXPECT_EQ(ask({"hold", "room", "q", "1h"}, as_client).exit_code, 0);
  EXPECT_EQ(ask({"audit"}, as_client).exit_code, 27);
  EXPECT_THAT(run({"audit"}, as_auditor).out, HasSubstr("Everything holds"));
  // A store that is named is meant.
  EXPECT_THAT(run({"audit", "elsewhere.db"}, as_auditor).err, HasSubstr("no store at elsewhere"));

  sqlite3* database = nullptr;
  ASSERT_EQ(sqlite3_open(folder.file("served.db").c_str(), &database), SQLITE_OK);
  EXPECT_EQ(sqlite3_exec(database, "UPDATE journal SET quantity = 7", nullptr, nullptr, nullptr),
            SQLITE_OK);
  sqlite3_close(database);
  const Ran ran = run({"audit"}, as_auditor);
  EXPECT_EQ(ran.exit_code, 1);
  EXPECT_THAT(ran.out, AllOf(HasSubstr("CAP-1"), HasSubstr("record 1"), HasSubstr("broken at")));
  const Ran as_json = run({"audit", "--json"}, as_auditor);
  EXPECT_EQ(as_json.exit_code, 1);
  EXPECT_THAT(as_json.out, HasSubstr(R"("clean":false)"));
}

TEST_F(Server, IsListedPageByPage) {
  serve();
  for (int i = 0; i < 5; ++i) ask({"hold", fmt::format("r{}", i), "q", "1h"});
  const Json first = ask_json({"list", "--limit", "3"});
  EXPECT_EQ(first.size("/answer/items"), 3U);
  const Json rest = ask_json({"list", "--cursor", first.text("/answer/next")});
  EXPECT_EQ(rest.size("/answer/items"), 2U);
  EXPECT_THAT(ask({"list", "--all"}).out, HasSubstr("5 holds."));
}

TEST_F(Server, IsFoundByOptionThenEnvironment) {
  serve();
  const RunOptions environment{.environment = {{"HOLDFAST_SERVER", url_}}};
  EXPECT_EQ(run({"hold", "room", "q", "1h"}, environment).exit_code, 0);
  EXPECT_THAT(run({"list"}, environment).out, HasSubstr("1 hold."));
  EXPECT_EQ(run({"hold", "room", "q", "1h", "--store", "here.db"}, environment).exit_code, 0);
  EXPECT_FALSE(std::filesystem::exists(store()));
  const RunOptions both{
      .environment = {{"HOLDFAST_SERVER", "http://127.0.0.1:1"}, {"HOLDFAST_STORE", "here.db"}}};
  EXPECT_THAT(ask({"list"}, both).out, HasSubstr("1 hold."));
}

TEST_F(Server, IsShownTheKey) {
  const std::string ours = key_of("web", "client");
  const std::string eves = key_of("eve", "auditor");
  serve();
  const Json refused = ask_json({"hold", "room", "q", "1h", "--token", "t"}, 26);
  EXPECT_EQ(refused.number("/status"), 401);
  EXPECT_EQ(refused.text("/answer/code"), "unauthenticated");
  EXPECT_THAT(refused.text("/answer/detail"), HasSubstr("--key-file"));
  EXPECT_EQ(ask({"list"}).exit_code, 26);

  std::ofstream(folder.file("key")) << ours << "\n";
  EXPECT_EQ(ask({"hold", "room", "q", "1h", "--key-file", "key", "--token", "t"}).exit_code, 0);
  const RunOptions environment{.environment = {{"HOLDFAST_KEY", eves}}};
  EXPECT_THAT(ask({"token", "t"}, environment).out, HasSubstr("web"));
  const Ran forbidden = ask({"hold", "r", "q", "1h"}, environment);
  EXPECT_EQ(forbidden.exit_code, 27);
  EXPECT_THAT(forbidden.err, AllOf(HasSubstr("forbidden"), Not(HasSubstr(eves))));
}

TEST_F(Server, MayAskForACertificate) {
  const Certificate theirs = make_certificate(folder.file("theirs"));
  const Certificate ours = make_certificate(folder.file("ours"));
  serve({"--tls.certificate", theirs.certificate, "--tls.key", theirs.key, "--tls.client_ca",
         ours.certificate});
  const Words trusting{"hold", "room", "q", "1h", "--ca-file", theirs.certificate};
  EXPECT_EQ(ask(trusting).exit_code, 1) << "without one of ours";
  Words shown = trusting;
  shown.insert(shown.end(),
               {"--certificate-file", ours.certificate, "--certificate-key-file", ours.key});
  const Ran ran = ask(shown);
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  for (const char* option : {"--ca-file", "--certificate-file", "--certificate-key-file"})
    expect_usage({"list", option, "x.pem"}, "--server http://");
}

/// The same refusal, the same exit code.
TEST_F(Server, RefusesTokensThatAreTooLongAsAStoreDoes) {
  serve();
  const Words hold{"hold", "room", "q", "1h", "--token", std::string(257, 'x')};
  const Ran local = run(hold);
  const Ran remote = ask(hold);
  EXPECT_EQ(local.exit_code, 10);
  EXPECT_EQ(remote.exit_code, 10);
  EXPECT_EQ(remote.err, local.err);
}

/// Whoever reads the JSON must be able to go by the status, as over HTTP.
TEST_F(Server, ItsStatusIsPrintedAsItWasSent) {
  serve({"--conflict_status", "422"});
  ask_json({"hold", "room", "guest", "1h", "--token", "t"});
  const Json json = ask_json({"hold", "room", "other", "1h", "--token", "t"}, 16);
  EXPECT_EQ(json.number("/status"), 422);
  EXPECT_EQ(json.number("/answer/status"), 422);
  EXPECT_EQ(json.text("/answer/code"), "protocol.idempotency_conflict");
  EXPECT_EQ(ask_json({"hold", "room", "guest", "1h", "--token", "t"}).number("/status"), 201);
}

TEST_F(Server, ThatIsNotThereLeavesTheOutcomeUnknown) {
  url_ = "http://127.0.0.1:1";
  const Ran ran = ask({"hold", "room", "q", "1h", "--token", "order 1", "--patience", "100ms"});
  EXPECT_EQ(ran.exit_code, 21);
  EXPECT_EQ(ran.out, "");
  EXPECT_THAT(ran.err, AllOf(HasSubstr("outcome unknown, token order 1"),
                             HasSubstr("cannot connect to 127.0.0.1:1"),
                             HasSubstr("repeat with --token 'order 1'")));
  const Json json = ask_json({"hold", "room", "q", "1h", "--patience", "100ms"}, 21);
  EXPECT_EQ(json.text("/answer/token_action"), "reuse");
  EXPECT_EQ(json.text("/answer/effect"), "unknown");
  EXPECT_TRUE(json.truth("/answer/retryable"));
  EXPECT_THAT(json.text("/answer/detail"),
              HasSubstr("outcome unknown, token " + json.text("/token")));
  const Ran watched =
      ask({"hold", "room", "q", "1h", "--token", "t", "--patience", "1s"}, {.terminal = true});
  EXPECT_THAT(watched.out, AllOf(HasSubstr("asking again with --token t"),
                                 HasSubstr("\r\033[Kholdfast: store-unavailable")));
  const Ran read = ask({"list", "--patience", "100ms"});
  EXPECT_EQ(read.exit_code, 1);
  EXPECT_THAT(read.err, HasSubstr("cannot connect to 127.0.0.1:1"));
  EXPECT_TRUE(std::filesystem::is_empty(folder.path())) << "nothing is done here instead";
}

TEST_F(Server, IsNeverMixedUpWithAStore) {
  const std::string url = "http://127.0.0.1:1";
  expect_usage({"list", "--server", url, "--store", "x.db"}, "exclude each other");
  expect_usage({"list", "--server", url, "--tenant", "hotel"}, "the key decides the tenant");
  expect_usage({"list", "--tenant", "hotel"}, "the key decides the tenant",
               {.environment = {{"HOLDFAST_SERVER", url}}});
  expect_usage({"hold", "r", "q", "1h", "--server", url, "--window", "1h"}, "--window");
  expect_usage({"list", "--key-file", "key"}, "--server http://");
  expect_usage({"list", "--server", url, "--key-file", "key"}, "no key in key");
  expect_usage({"list", "--server", "127.0.0.1:8420"}, "http://127.0.0.1:8420");
  expect_usage({"list", "--server", url, "--patience", "soon"}, "--patience 1m");
  for (const Words& command :
       {Words{"evidence", "head"}, Words{"demo"}, Words{"serve"}, Words{"keys", "list"}}) {
    Words words = command;
    words.insert(words.end(), {"--server", url});
    expect_usage(words, fmt::format("holdfast {} works on the store's own file", command[0]));
  }
  expect_usage({"audit", "x.db", "--server", url}, "not both");
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST_F(Server, RefusesTheSameAsAStore) {
  ASSERT_NO_FATAL_FAILURE(serve());
  for (const Words& words :
       {Words{"resource", ""}, Words{"hold", "room", "guest", "1h", "--token", ""}}) {
    EXPECT_EQ(run(words).exit_code, 10) << words.front();
    EXPECT_EQ(ask(words).exit_code, 10) << words.front();
  }
}

}  // namespace
}  // namespace holdfast::test

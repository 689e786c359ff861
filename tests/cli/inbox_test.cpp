// holdfast inbox: webhooks that came in, at a server and in its store afterwards.

#include <fmt/format.h>

#include <filesystem>
#include <fstream>

#include "cli/runner.hpp"
#include "support/http/signed_webhook.hpp"
#include "support/processes/service_process.hpp"

namespace holdfast::test {
namespace {

using testing::HasSubstr;
using Words = std::vector<std::string>;

class InboxCommand : public CliTest {
 protected:
  InboxCommand() {
    std::ofstream(folder.file("r.toml")) << R"(
[[webhook]]
name = "payments"
scheme = "standard"
secrets = ["SECRET"]
pull = "invoices"
[[webhook]]
name = "till"
scheme = "standard"
secrets = ["SECRET"]
pull = "tills"
)";
    std::ofstream(folder.file("secrets")) << "SECRET=" << webhook_secret << "\n";
    using std::filesystem::perms;
    std::filesystem::permissions(folder.file("secrets"), perms::owner_read | perms::owner_write);
    service_.emplace(
        store(), Words{"--registry", folder.file("r.toml"), "--secrets", folder.file("secrets")});
    service_->start();
  }

  Answered call(const std::string& target, Headers headers, const std::string& body) const {
    RawConnection connection(service_->port());
    EXPECT_TRUE(connection.send(request_text("POST", target, headers, body)));
    return connection.read().value_or(Answered{});
  }
  /// The id of the entry.
  std::string sent(const std::string& event, const std::string& body,
                   const std::string& source = "payments") const {
    const Answered taken = call("/v1/webhooks/" + source, signed_webhook(event, body), body);
    EXPECT_EQ(taken.status, 200) << taken.body;
    return Json(taken.body).text("/id");
  }
  std::string died(const std::string& event) const {
    std::string id = sent(event, R"({"n":1})");
    EXPECT_EQ(call("/v1/inbox/lease", {{"Idempotency-Key", "lease-" + event}},
                   R"({"kinds":["invoices"]})")
                  .status,
              200);
    EXPECT_EQ(call("/v1/inbox/" + id + "/fail", {{"Idempotency-Key", "fail-" + event}},
                   R"({"fence":1,"verdict":"dead","error":"no such invoice"})")
                  .status,
              200);
    return id;
  }
  /// A command, of the server as long as there is one, of its store afterwards.
  Json ask(Words arguments, int exit_code = 0) const {
    if (service_)
      arguments.insert(arguments.begin(),
                       {"--server", fmt::format("http://127.0.0.1:{}", service_->port())});
    return json(std::move(arguments), exit_code);
  }
  void stop() {
    EXPECT_EQ(service_->terminate(), 0);
    service_.reset();
  }

  std::optional<ServiceProcess> service_;
};

TEST_F(InboxCommand, ListsAndShowsTheSameAtAServerAndOnItsStore) {
  const std::string dead = died("evt_1");
  const std::string waits = sent("evt_2", R"({"n":2})");
  const std::string till = sent("evt_1", "no JSON", "till");
  const std::vector<Words> asked{{"inbox", "list"},
                                 {"inbox", "list", "--status", "dead"},
                                 {"inbox", "list", "--source", "till"},
                                 {"inbox", "list", "--limit", "1"},
                                 {"inbox", "show", dead},
                                 {"inbox", "show", till}};
  std::vector<std::string> answers;
  for (const Words& each : asked) answers.push_back(ask(each).raw("/answer"));
  EXPECT_EQ(ask({"inbox", "list"}).size("/answer/items"), 3U);
  EXPECT_EQ(ask({"inbox", "list", "--all"}).size("/answer/items"), 3U);
  EXPECT_EQ(ask({"inbox", "list", "--status", "dead"}).text("/answer/items/0/id"), dead);
  EXPECT_EQ(ask({"inbox", "list", "--source", "till"}).text("/answer/items/0/id"), till);
  EXPECT_EQ(ask({"inbox", "show", dead}).text("/answer/last_error"), "no such invoice");
  EXPECT_EQ(ask({"inbox", "show", till}).text("/answer/body"), "no JSON");
  EXPECT_EQ(ask({"inbox", "show", waits}).text("/answer/status"), "received");
  stop();
  for (std::size_t i = 0; i < asked.size(); ++i)
    EXPECT_EQ(ask(asked[i]).raw("/answer"), answers[i]) << asked[i].back();
  EXPECT_THAT(run({"inbox", "list"}).out, HasSubstr("till"));
  EXPECT_THAT(run({"inbox", "show", dead}).out, HasSubstr("no such invoice"));
}

TEST_F(InboxCommand, HasEntriesTriedAgain) {
  const std::string here = died("evt_1");
  const std::string later = died("evt_2");
  EXPECT_EQ(ask({"inbox", "retry", here, "--token", "t-1"}).text("/answer/status"), "received");
  EXPECT_TRUE(ask({"inbox", "retry", here, "--token", "t-1"}).truth("/replayed"));
  EXPECT_EQ(ask({"inbox", "retry", "w-1"}, 42).text("/answer/code"), "inbox-entry-not-known");
  EXPECT_EQ(ask({"inbox", "show", "w-1"}, 42).text("/answer/code"), "inbox-entry-not-known");
  const std::string taken = sent("evt_3", "{}", "till");
  EXPECT_EQ(call("/v1/inbox/lease", {{"Idempotency-Key", "l"}}, R"({"kinds":["tills"]})").status,
            200);
  EXPECT_EQ(ask({"inbox", "retry", taken}, 43).text("/answer/code"), "inbox-entry-not-open");
  stop();
  EXPECT_EQ(ask({"inbox", "retry", later}).text("/answer/status"), "received");
  EXPECT_EQ(ask({"inbox", "show", later}).number("/answer/attempts"), 0);
  EXPECT_EQ(ask({"inbox", "retry", "w-1"}, 42).text("/answer/code"), "inbox-entry-not-known");
  EXPECT_EQ(ask({"inbox", "show", "w-1"}, 42).text("/answer/code"), "inbox-entry-not-known");
  EXPECT_TRUE(json({"audit"}).truth("/answer/clean"));
}

TEST_F(InboxCommand, SaysWhatIsMissing) {
  for (const auto& [arguments, words] : std::vector<std::pair<Words, std::string>>{
           {{"inbox", "retry"}, "which entry?"},
           {{"inbox", "list", "--status", "lost"}, "received, processing, done or dead"},
           {{"inbox", "list", "w-1"}, "one word too many"},
           {{"inbox", "drop", "w-1"}, "try list, show or retry"}}) {
    const Ran ran = run(arguments);
    EXPECT_EQ(ran.exit_code, 2) << words;
    EXPECT_THAT(ran.err, HasSubstr(words));
  }
}

}  // namespace
}  // namespace holdfast::test

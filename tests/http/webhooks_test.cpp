// Webhooks over HTTP: who is let in, what is taken in, and what follows.

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <future>
#include <map>
#include <set>
#include <thread>

#include "signatures/sign.hpp"
#include "support/http/http_server.hpp"

namespace holdfast::test {
namespace {

using signatures::Secret;
using std::chrono::minutes;
using testing::HasSubstr;
using testing::Not;

constexpr std::string_view declared = R"(
[[command]]
entity = "invoice"
action = "settle"
class = "I1"
key_mode = "both"
[command.args]
type = "object"
required = ["amount"]

[[webhook]]
name = "payments"
scheme = "standard"
secrets = ["NEW_SECRET", "OLD_SECRET"]
pull = "invoices"
attempts = 2
backoff = "1ms"
backoff_max = "2ms"

[[webhook]]
name = "ledger"
scheme = "standard"
secrets = ["NEW_SECRET"]
command = "invoice.settle"
args = { amount = "/data/amount" }
)";

Secret new_secret() {
  return *Secret::standard("whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=");
}
Secret old_secret() {
  return *Secret::standard("whsec_YWJjZGVmZ2hpamtsbW5vcHFyc3R1dnd4eXphYmNkZWY=");
}

class WebhooksOverHttp : public HttpTest {
 protected:
  WebhooksOverHttp() {
    write("registry.toml", std::string(declared));
    write("secrets",
          "NEW_SECRET=" + new_secret().text() + "\nOLD_SECRET=" + old_secret().text() + "\n");
    http::Settings settings;
    settings.registry = (dir_.path() / "registry.toml").string();
    settings.secrets = (dir_.path() / "secrets").string();
    start(settings);
  }

  void write(const std::string& name, const std::string& text) const {
    using std::filesystem::perms;
    std::ofstream(dir_.path() / name) << text;
    std::filesystem::permissions(dir_.path() / name, perms::owner_read | perms::owner_write);
  }

  Headers signed_with(const Secret& secret, const std::string& id, const std::string& body,
                      Duration age = {}) const {
    const auto made = signatures::sign_standard(std::vector{secret}, id, clock_->now() - age, body);
    return {{"webhook-id", made->id},
            {"webhook-timestamp", made->timestamp},
            {"webhook-signature", made->signature}};
  }

  Answered send(const std::string& id, const std::string& body = R"({"data":{"amount":"1"}})",
                const std::string& source = "payments") const {
    return call("POST", "/v1/webhooks/" + source, signed_with(new_secret(), id, body), body);
  }

  Answered post(const std::string& target, const std::string& body) {
    return call("POST", target, {{"Idempotency-Key", fmt::format("k{}", ++keys_)}}, body);
  }
  std::string status(const std::string& id) const {
    return Json(get("/v1/inbox/" + id).body).text("/status");
  }

 private:
  int keys_ = 0;
};

TEST_F(WebhooksOverHttp, are_taken_in_once_and_answered_the_same) {
  const Answered first = send("evt_1");
  EXPECT_EQ(first.status, 200);
  EXPECT_EQ(first.header("idempotent-replayed"), "false");
  const Answered again = send("evt_1");
  EXPECT_EQ(again.status, 200);
  EXPECT_EQ(again.body, first.body);
  EXPECT_EQ(again.header("idempotent-replayed"), "true");
  const Answered other = send("evt_1", R"({"attempt":2})");
  EXPECT_EQ(other.body, first.body);
  const std::string id = Json(first.body).text("/id");
  const Json entry(get("/v1/inbox/" + id).body);
  EXPECT_EQ(entry.text("/body"), R"({"data":{"amount":"1"}})");
  EXPECT_EQ(entry.text("/status"), "received");
  EXPECT_EQ(entry.text("/event_id"), "evt_1");
  restart();
  EXPECT_EQ(send("evt_1").body, first.body);
}

/// Economy: a body that was another one the second time went unnoticed.
TEST_F(WebhooksOverHttp, that_bring_another_body_are_on_record_with_both_digests) {
  const Answered first = send("evt_1");
  EXPECT_EQ(send("evt_1").body, first.body);
  for (const bool again : {false, true}) {
    if (again) restart();
    const Answered other = send("evt_1", R"({"data":{"amount":"9"}})");
    EXPECT_EQ(other.status, 200);
    EXPECT_EQ(other.body, first.body);
    EXPECT_EQ(other.header("idempotent-replayed"), "true");
  }
  EXPECT_EQ(send("evt_1").body, first.body);
  EXPECT_THAT(logged(), HasSubstr("a webhook was sent again with another body"));
  EXPECT_EQ(Json(get("/v1/inbox/" + Json(first.body).text("/id")).body).text("/body"),
            R"({"data":{"amount":"1"}})");

  const Json evidence(get("/v1/evidence?limit=1000").body);
  std::map<std::string, int> decisions;
  std::string taken_in;
  for (std::size_t i = 0; i < evidence.size("/items"); ++i) {
    const Json leaf(evidence.raw(fmt::format("/items/{}", i)));
    if (!leaf.has("/operation") || leaf.text("/operation") != "webhook.receive") continue;
    ++decisions[leaf.text("/decision")];
    if (leaf.text("/decision") == "first_seen") taken_in = leaf.text("/digest");
    if (leaf.text("/decision") != "conflict_rejected") continue;
    EXPECT_EQ(leaf.text("/digest_on_record"), taken_in);
    EXPECT_NE(leaf.text("/digest"), taken_in);
  }
  EXPECT_EQ(decisions["first_seen"], 1);
  EXPECT_EQ(decisions["conflict_rejected"], 2);
  EXPECT_EQ(Json(get("/v1/inbox").body).size("/items"), 1U);
}

TEST_F(WebhooksOverHttp, sent_fifty_times_at_once_are_one) {
  const std::size_t before = records();
  std::vector<std::future<std::string>> bodies;
  for (int i = 0; i < 50; ++i)
    bodies.push_back(std::async(std::launch::async, [&] { return send("evt_1").body; }));
  std::set<std::string> different;
  for (auto& each : bodies) different.insert(each.get());
  EXPECT_EQ(different.size(), 1U);
  EXPECT_GT(records(), before);
  EXPECT_EQ(Json(get("/v1/inbox").body).size("/items"), 1U);
}

TEST_F(WebhooksOverHttp, forged_stale_or_unknown_burn_no_id) {
  const std::string body = R"({"data":{"amount":"1"}})";
  const std::size_t before = records();
  const auto sent = [&](const Headers& headers, const std::string& with) {
    return call("POST", "/v1/webhooks/payments", headers, with);
  };
  const Secret stranger = *Secret::standard("whsec_eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHg=");
  const Answered forged = sent(signed_with(stranger, "evt_1", body), body);
  EXPECT_EQ(forged.status, 401);
  EXPECT_EQ(sent(signed_with(new_secret(), "evt_1", body), body + " ").status, 401);
  const Answered stale = sent(signed_with(new_secret(), "evt_1", body, minutes(6)), body);
  EXPECT_EQ(stale.status, 401);
  EXPECT_EQ(Json(stale.body).text("/detail"), Json(forged.body).text("/detail"));
  EXPECT_EQ(sent(signed_with(new_secret(), "evt_1", body, -minutes(6)), body).status, 401);
  EXPECT_EQ(sent({}, body).status, 400);
  Headers twice = signed_with(new_secret(), "evt_1", body);
  twice.push_back(twice.front());
  EXPECT_EQ(sent(twice, body).status, 400);
  EXPECT_EQ(
      call("POST", "/v1/webhooks/nobody", signed_with(new_secret(), "evt_1", body), body).status,
      404);
  EXPECT_EQ(call("GET", "/v1/webhooks/payments").status, 405);
  EXPECT_EQ(records(), before);
  EXPECT_EQ(send("evt_1").header("idempotent-replayed"), "false");
}

TEST_F(WebhooksOverHttp, are_counted_by_source) {
  const std::string body = R"({"data":{"amount":"1"}})";
  (void)send("evt_1");
  (void)send("evt_1");
  (void)send("evt_2");
  const Secret stranger = *Secret::standard("whsec_eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHg=");
  (void)call("POST", "/v1/webhooks/payments", signed_with(stranger, "evt_3", body), body);
  (void)call("POST", "/v1/webhooks/payments", signed_with(new_secret(), "evt_3", body, minutes(6)),
             body);
  (void)call("POST", "/v1/webhooks/payments", {}, body);
  (void)call("POST", "/v1/webhooks/nobody", signed_with(new_secret(), "evt_1", body), body);
  const std::string text = get("/metrics").body;
  const auto counted = [&](const std::string& outcome, int count) {
    EXPECT_THAT(text, HasSubstr(fmt::format("\nholdfast_webhooks_total{{source=\"payments\","
                                            "outcome=\"{}\"}} {}\n",
                                            outcome, count)));
  };
  counted("accepted", 2);
  counted("duplicate", 1);
  counted("forged", 1);
  counted("stale", 1);
  counted("malformed", 1);
  EXPECT_THAT(text, Not(HasSubstr("source=\"nobody\"")));
}

TEST_F(WebhooksOverHttp, wait_by_status) {
  const auto entries = [&](int received, int processing, int dead) {
    EXPECT_THAT(get("/metrics").body,
                HasSubstr(fmt::format("\nholdfast_inbox_entries{{status=\"received\"}} {}\n"
                                      "holdfast_inbox_entries{{status=\"processing\"}} {}\n"
                                      "holdfast_inbox_entries{{status=\"dead\"}} {}\n",
                                      received, processing, dead)));
  };
  entries(0, 0, 0);
  std::string id = Json(send("evt_1").body).text("/id");
  (void)send("evt_2");
  entries(2, 0, 0);
  const Json leased(post("/v1/inbox/lease", R"({"kinds":["invoices"],"max":1})").body);
  id = leased.text("/entries/0/id");
  entries(1, 1, 0);
  EXPECT_EQ(post("/v1/inbox/" + id + "/fail", R"({"fence":1,"verdict":"dead"})").status, 200);
  entries(1, 0, 1);
  EXPECT_EQ(post("/v1/inbox/" + id + "/retry", "").status, 200);
  entries(2, 0, 0);
}

TEST_F(WebhooksOverHttp, of_a_rotated_secret_are_taken_in_with_either) {
  const std::string body = "{}";
  const auto sent = [&](const Secret& secret, const std::string& id) {
    return call("POST", "/v1/webhooks/payments", signed_with(secret, id, body), body).status;
  };
  EXPECT_EQ(sent(old_secret(), "evt_1"), 200);
  EXPECT_EQ(sent(new_secret(), "evt_2"), 200);
  write("secrets", "NEW_SECRET=" + new_secret().text() + "\n");
  server_->reload();
  EXPECT_EQ(sent(old_secret(), "evt_3"), 401);
  EXPECT_EQ(sent(new_secret(), "evt_3"), 200);
}

TEST_F(WebhooksOverHttp, may_be_any_bytes_but_not_too_many) {
  std::string garbage;
  for (int i = 0; i < 256; ++i) garbage += static_cast<char>(i);
  const Answered taken = send("evt_1", garbage);
  EXPECT_EQ(taken.status, 200);
  const Json entry(get("/v1/inbox/" + Json(taken.body).text("/id")).body);
  EXPECT_THAT(entry.text("/body_base64"), testing::StartsWith("AAECAwQF"));
  EXPECT_EQ(send("evt_2", std::string(1024 * 1024, 'x')).status, 200);
  EXPECT_EQ(send("evt_3", std::string(1024 * 1024 + 1, 'x')).status, 413);
}

TEST_F(WebhooksOverHttp, keep_no_signature_and_no_credential) {
  const std::string body = "{}";
  Headers headers = signed_with(new_secret(), "evt_1", body);
  headers.push_back({"Content-Type", "application/json"});
  headers.push_back({"Authorization", "Bearer very_secret"});
  headers.push_back({"Cookie", "very_secret"});
  const Answered taken = call("POST", "/v1/webhooks/payments", headers, body);
  ASSERT_EQ(taken.status, 200);
  const std::string entry = get("/v1/inbox/" + Json(taken.body).text("/id")).body;
  EXPECT_THAT(entry, HasSubstr(R"("Content-Type":"application/json")"));
  EXPECT_THAT(entry, Not(HasSubstr("very_secret")));
  EXPECT_THAT(entry, Not(HasSubstr("signature")));
  const Json events(get("/v1/events").body);
  EXPECT_THAT(events.texts("/items", "type"), testing::Contains("webhook.received"));
  EXPECT_THAT(get("/v1/events").body, Not(HasSubstr("payload")));
}

/// Economy: a webhook that was lost after one failure of its handler.
TEST_F(WebhooksOverHttp, are_pulled_failed_and_pulled_again) {
  const std::string id = Json(send("evt_1").body).text("/id");
  const std::string lease = R"({"kinds": ["invoices"], "max": 10})";
  EXPECT_EQ(Json(post("/v1/inbox/lease", lease).body).text("/entries/0/id"), id);
  EXPECT_EQ(status(id), "processing");
  const std::string address = "/v1/inbox/" + id;
  EXPECT_EQ(post(address + "/fail", R"({"fence": 1, "error": "no database"})").status, 200);
  EXPECT_EQ(Json(get(address).body).text("/last_error"), "no database");
  send("evt_1");
  clock_->advance(minutes(1));
  EXPECT_EQ(Json(post("/v1/inbox/lease", lease).body).number("/entries/0/attempt"), 2);
  EXPECT_EQ(post(address + "/complete", R"({"fence": 1})").status, 409);
  EXPECT_EQ(post(address + "/complete", R"({"fence": 2, "result": {"n": 7}})").status, 200);
  const Json entry(get(address).body);
  EXPECT_EQ(entry.text("/status"), "done");
  EXPECT_EQ(entry.raw("/result"), R"({"n":7})");
  EXPECT_EQ(entry.text("/body"), R"({"data":{"amount":"1"}})");  // the journal has it
}

TEST_F(WebhooksOverHttp, that_are_dead_are_listed_and_have_a_way_back) {
  const std::string id = Json(send("evt_1").body).text("/id");
  const std::string other = Json(send("evt_2").body).text("/id");
  post("/v1/inbox/lease", R"({"kinds": ["invoices"], "max": 10})");
  post("/v1/inbox/" + other + "/complete", R"({"fence": 1})");
  post("/v1/inbox/" + id + "/fail", R"({"fence": 1, "verdict": "dead", "error": "no"})");
  EXPECT_THAT(Json(get("/v1/inbox?status=dead").body).texts("/items", "id"),
              testing::ElementsAre(id));
  EXPECT_THAT(Json(get("/v1/inbox?status=done").body).texts("/items", "event_id"),
              testing::ElementsAre("evt_2"));
  EXPECT_EQ(Json(get("/v1/inbox?source=ledger").body).size("/items"), 0U);
  EXPECT_EQ(get("/v1/inbox?status=what").status, 400);
  const Json page(get("/v1/inbox?limit=1").body);
  EXPECT_THAT(page.texts("/items", "id"), testing::ElementsAre(id));
  const Json rest(get("/v1/inbox?limit=1&cursor=" + page.text("/next")).body);
  EXPECT_THAT(rest.texts("/items", "event_id"), testing::ElementsAre("evt_2"));
  EXPECT_EQ(post("/v1/inbox/" + id + "/retry", "").status, 200);
  EXPECT_EQ(status(id), "received");
  EXPECT_EQ(post("/v1/inbox/w-x/retry", "").status, 404);
  EXPECT_EQ(get("/v1/inbox/w-x").status, 404);
}

TEST_F(WebhooksOverHttp, that_command_run_their_command_once) {
  const std::string id =
      Json(send("evt_1", R"({"data":{"amount":"12"}})", "ledger").body).text("/id");
  EXPECT_TRUE(eventually([&] { return status(id) == "done"; }));
  const Json entry(get("/v1/inbox/" + id).body);
  const Json command(get("/v1/commands/" + entry.text("/result/command_id")).body);
  EXPECT_EQ(command.raw("/args"), R"({"amount":"12"})");
  EXPECT_EQ(command.text("/correlation_id"), id);
  send("evt_1", R"({"data":{"amount":"12"}})", "ledger");
  EXPECT_EQ(Json(get("/v1/commands").body).size("/items"), 1U);
}

TEST_F(WebhooksOverHttp, that_make_no_command_are_dead) {
  const std::string id = Json(send("evt_1", "no JSON", "ledger").body).text("/id");
  EXPECT_TRUE(eventually([&] { return status(id) == "dead"; }));
  EXPECT_THAT(Json(get("/v1/inbox/" + id).body).text("/last_error"), HasSubstr("not JSON"));
  const std::string other = Json(send("evt_2", R"({"data":{}})", "ledger").body).text("/id");
  EXPECT_TRUE(eventually([&] { return status(other) == "dead"; }));
}

/// Economy: an id of an event that was equal to a key of a command.
TEST_F(WebhooksOverHttp, have_ids_that_may_equal_keys) {
  const std::string key = "order-4711";
  const std::string submitted =
      R"({"intent": {"entity": "invoice", "action": "settle"}, "args": {"amount": "1"}})";
  EXPECT_EQ(call("POST", "/v1/commands", {{"Idempotency-Key", key}}, submitted).status, 200);
  EXPECT_EQ(send(key).header("idempotent-replayed"), "false");
  EXPECT_EQ(call("POST", "/v1/commands", {{"Idempotency-Key", key}}, submitted)
                .header("idempotent-replayed"),
            "true");
  EXPECT_TRUE(is_used(key));
}

TEST_F(WebhooksOverHttp, are_received_at_their_address_alone) {
  const Answered batch = call("POST", "/v1/batch", {}, R"({"operations": [
      {"operation": "webhook.receive", "token": "a",
       "params": {"source": "payments", "event_id": "evt_1"}}]})");
  EXPECT_THAT(batch.body, HasSubstr("There is no such operation."));
  EXPECT_EQ(Json(get("/v1/inbox").body).size("/items"), 0U);
}

}  // namespace
}  // namespace holdfast::test

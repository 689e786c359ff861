// The tour through webhooks that come in, the inbox they are kept in, and subscriptions.

#include <fmt/format.h>

#include <array>
#include <filesystem>
#include <fstream>

#include "http/openapi_tour.hpp"
#include "signatures/sign.hpp"

namespace holdfast::test {
namespace {

constexpr std::string_view webhook_secret = "whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=";

/// Two kinds of entries, so that what is leased of one is none of the other.
constexpr std::string_view declared_webhooks = R"(
[[webhook]]
name = "payments"
scheme = "standard"
secrets = ["PAYMENTS"]
pull = "invoices"
backoff = "1ms"
backoff_max = "2ms"

[[webhook]]
name = "parcels"
scheme = "standard"
secrets = ["PAYMENTS"]
pull = "shipments"
)";

const std::string long_name(1'100, 'x');

}  // namespace

void OpenApiTour::declare_webhooks(http::Settings& settings) const {
  using std::filesystem::perms;
  std::ofstream(settings.registry, std::ios::app) << declared_webhooks;
  settings.secrets = dir_.file("tour.secrets");
  std::ofstream(settings.secrets) << "PAYMENTS=" << webhook_secret << "\n";
  std::filesystem::permissions(settings.secrets, perms::owner_read | perms::owner_write);
}

Sent OpenApiTour::webhook(const std::string& source, const std::string& event,
                          const std::string& body) const {
  const std::array secrets{*signatures::Secret::standard(webhook_secret)};
  const auto made = signatures::sign_standard(secrets, event, clock_->now(), body);
  return {.method = "POST",
          .target = "/v1/webhooks/" + source,
          .headers = {{"webhook-id", made->id},
                      {"webhook-timestamp", made->timestamp},
                      {"webhook-signature", made->signature}},
          .body = body};
}

Sent OpenApiTour::on_entry(const std::string& id, const std::string& verb,
                           const std::string& body) {
  return {.method = "POST", .target = fmt::format("/v1/inbox/{}/{}", id, verb), .body = body};
}

Sent OpenApiTour::leasing_entries(const std::string& kind, int max) {
  return {.method = "POST",
          .target = "/v1/inbox/lease",
          .body = fmt::format(R"({{"kinds":["{}"],"max":{},"lease":"PT1H"}})", kind, max)};
}

std::string OpenApiTour::taken_in(const std::string& source) {
  const Answered answered = ask(webhook(source, fmt::format("evt_{}", ++number_)));
  EXPECT_EQ(answered.status, 200) << answered.body;
  return Json(answered.body).text("/id");
}

OpenApiTour::LeasedEntry OpenApiTour::leased_entry() {
  (void)taken_in("payments");
  const Json leased(ask_fresh(leasing_entries("invoices")).body);
  return {.id = leased.text("/entries/0/id"),
          .fence = static_cast<int>(leased.number("/entries/0/fence"))};
}

Sent OpenApiTour::subscribing(const std::string& events) {
  return {.method = "POST",
          .target = "/v1/subscriptions",
          .body = fmt::format(R"({{"url":"http://127.0.0.1:1/{}","events":["{}"]}})", ++number_,
                              events)};
}

Sent OpenApiTour::on_subscription(const std::string& id, const std::string& verb,
                                  const std::string& body) {
  if (verb == "delete") return {.method = "DELETE", .target = "/v1/subscriptions/" + id};
  return {
      .method = "POST", .target = fmt::format("/v1/subscriptions/{}/{}", id, verb), .body = body};
}

std::string OpenApiTour::subscribed() {
  const Answered answered = ask_fresh(subscribing());
  EXPECT_EQ(answered.status, 201) << answered.body;
  return Json(answered.body).text("/id");
}

std::string OpenApiTour::served() {
  const std::string id = subscribed();
  EXPECT_EQ(ask_fresh(on_subscription(id, "serve", R"({"lease":"PT1H"})")).status, 200);
  return id;
}

std::string OpenApiTour::advancing(int fence, const std::string& verdict) {
  return fmt::format(R"({{"fence":{},"cursor":1,"verdict":"{}"}})", fence, verdict);
}

void OpenApiTour::add_webhook_changes(std::vector<Change>& all) {
  const auto held = [](const LeasedEntry& entry) {
    return fmt::format(R"({{"fence":{}}})", entry.fence);
  };
  for (const char* verb : {"complete", "fail"}) {
    const LeasedEntry one = leased_entry();
    const LeasedEntry other = leased_entry();
    all.push_back({on_entry(one.id, verb, held(one)), on_entry(other.id, verb, held(other))});
  }
  for (int i = 0; i < 2; ++i) (void)taken_in("payments");
  all.push_back({leasing_entries("invoices"), leasing_entries("invoices", 2)});
  all.push_back({on_entry(taken_in("parcels"), "retry"), on_entry(taken_in("parcels"), "retry")});
}

void OpenApiTour::add_subscription_changes(std::vector<Change>& all) {
  all.push_back({subscribing(), subscribing()});
  const auto add = [&](const std::string& verb, const std::string& body = {}) {
    all.push_back(
        {on_subscription(subscribed(), verb, body), on_subscription(subscribed(), verb, body)});
  };
  add("delete");
  add("replay", R"({"after":0})");
  add("rotate");
  add("serve", R"({"lease":"PT1H"})");
  all.push_back({on_subscription(served(), "advance", advancing(1)),
                 on_subscription(served(), "advance", advancing(1))});
}

void OpenApiTour::tour_of_webhooks() {
  const Sent sent = webhook("payments", "evt_first");
  const Answered first = ask(sent);
  EXPECT_EQ(first.status, 200);
  EXPECT_EQ(first.header("idempotent-replayed"), "false");
  EXPECT_EQ(ask(sent).header("idempotent-replayed"), "true");
  EXPECT_EQ(ask(webhook("payments", "evt_first", "{}")).body, first.body);
  expect_code(ask(webhook("nobody", "evt_1")), 404, "no-such-address");
  Sent changed = sent;
  changed.body += " ";
  expect_code(ask(changed), 401, "unauthenticated");
  expect_code(ask({"POST", sent.target, {}, sent.body}), 400, "malformed-request");
}

void OpenApiTour::tour_of_the_inbox() {
  const std::string waiting = taken_in("parcels");
  const std::string long_id = "w-" + long_name;
  for (const char* verb : {"complete", "fail"}) {
    const LeasedEntry entry = leased_entry();
    const auto with_fence = [](int fence) { return fmt::format(R"({{"fence":{}}})", fence); };
    const std::string held = with_fence(entry.fence);
    expect_code(ask_fresh(on_entry(entry.id, verb, with_fence(70))), 409, "stale-fence");
    expect_code(ask_fresh(on_entry("nonsense", verb, held)), 404, "inbox-entry-not-known");
    expect_code(ask_fresh(on_entry(long_id, verb, held)), 422, "invalid-request");
    expect_code(ask_fresh(on_entry(entry.id, verb, "{}")), 400, "malformed-request");
    const Sent done = with_token(on_entry(entry.id, verb, held), fresh());
    EXPECT_EQ(ask(done).status, 200);
    EXPECT_EQ(ask(done).header("idempotent-replayed"), "true");
    EXPECT_EQ(ask_get("/v1/tokens/" + done.headers[0].value).status, 200);
    const std::string id = leased_entry().id;
    EXPECT_EQ(ask_fresh(on_entry(id, "complete", R"({"fence":1,"result":{"n":7}})")).status, 200);
    expect_code(ask_fresh(on_entry(id, verb, held)), 409, "inbox-entry-not-open");
    expect_code(ask_fresh(on_entry(id, "retry")), 409, "inbox-entry-not-open");
    EXPECT_EQ(Json(ask_get("/v1/inbox/" + id).body).text("/status"), "done");
  }
  const LeasedEntry dead = leased_entry();
  EXPECT_EQ(ask_fresh(on_entry(dead.id, "fail",
                               fmt::format(R"({{"fence":{},"verdict":"dead","error":"no"}})",
                                           dead.fence)))
                .status,
            200);
  expect_code(ask_fresh(on_entry(leased_entry().id, "fail", R"({"fence":1,"verdict":"lost"})")),
              422, "invalid-request");
  EXPECT_EQ(Json(ask_get("/v1/inbox/" + dead.id).body).text("/status"), "dead");

  const Sent again = with_token(on_entry(dead.id, "retry"), fresh());
  EXPECT_EQ(Json(ask(again).body).text("/status"), "received");
  EXPECT_EQ(ask(again).header("idempotent-replayed"), "true");
  expect_code(ask_fresh(on_entry("nonsense", "retry")), 404, "inbox-entry-not-known");
  expect_code(ask_fresh(on_entry(long_id, "retry")), 422, "invalid-request");

  EXPECT_EQ(Json(ask_fresh(leasing_entries("nothing")).body).size("/entries"), 0U);
  expect_code(ask_fresh(leasing_entries("invoices", 5000)), 422, "invalid-request");
  expect_code(ask_fresh({"POST", "/v1/inbox/lease", {}, R"({"kinds":"invoices"})"}), 400,
              "malformed-request");
  EXPECT_NE(ask_get("/v1/inbox?limit=1").header("link"), "");
  for (const char* status : {"received", "processing", "done", "dead"})
    EXPECT_EQ(ask_get(fmt::format("/v1/inbox?status={}&source=payments", status)).status, 200);
  const std::string cursor = Json(ask_get("/v1/inbox?limit=1").body).text("/next");
  EXPECT_EQ(ask_get("/v1/inbox?limit=1&cursor=" + cursor).status, 200);
  expect_code(ask_get("/v1/inbox?status=lost"), 400, "malformed-request");
  EXPECT_EQ(Json(ask_get("/v1/inbox/" + waiting).body).text("/status"), "received");
  expect_code(ask_get("/v1/inbox/nonsense"), 404, "inbox-entry-not-known");
}

void OpenApiTour::tour_of_subscriptions() {
  const Sent first = with_token(subscribing(), fresh());
  const std::string id = Json(ask(first).body).text("/id");
  EXPECT_EQ(ask(first).header("idempotent-replayed"), "true");
  EXPECT_EQ(ask_get("/v1/tokens/" + first.headers[0].value).status, 200);
  expect_code(ask_fresh({"POST", "/v1/subscriptions", {}, R"({"url":"ftp://example.com"})"}), 422,
              "invalid-request");
  for (const char* body : {"", "{}", R"({"url":7})", R"({"url":"https://a","events":"hold."})",
                           R"({"url":"https://a","secret":"s"})"})
    expect_code(ask_fresh({"POST", "/v1/subscriptions", {}, body}), 400, "malformed-request");

  const std::string after = R"({"after":0})";
  const std::string lease = R"({"lease":"PT1H"})";
  for (const auto& [verb, body] : {std::pair<std::string, std::string>("rotate", ""),
                                   {"replay", after},
                                   {"serve", lease},
                                   {"delete", ""}}) {
    const std::string which = subscribed();
    const Sent change = with_token(on_subscription(which, verb, body), fresh());
    EXPECT_EQ(ask(change).status, 200) << verb;
    EXPECT_EQ(ask(change).header("idempotent-replayed"), "true");
    EXPECT_EQ(ask_get("/v1/tokens/" + change.headers[0].value).status, 200);
    expect_code(ask_fresh(on_subscription("nonsense", verb, body)), 404, "subscription-not-known");
    expect_code(ask_fresh(on_subscription(long_name, verb, body)), 422, "invalid-request");
    if (verb == "delete")
      expect_code(ask_get("/v1/subscriptions/" + which), 404, "subscription-not-known");
  }
  const std::string taken = served();
  EXPECT_EQ(ask_fresh(on_subscription(taken, "serve", lease)).status, 200);
  expect_code(ask_fresh(on_subscription(taken, "advance", advancing(7))), 409, "stale-fence");
  expect_code(ask_fresh(on_subscription("nonsense", "advance", advancing(1))), 404,
              "subscription-not-known");
  expect_code(ask_fresh(on_subscription(long_name, "advance", advancing(1))), 422,
              "invalid-request");
  expect_code(ask_fresh(on_subscription(taken, "advance", advancing(1, "lost"))), 422,
              "invalid-request");
  for (const char* verb : {"replay", "advance"})
    expect_code(ask_fresh(on_subscription(taken, verb, "{}")), 400, "malformed-request");
  const Sent on = with_token(on_subscription(taken, "advance", advancing(1, "on")), fresh());
  EXPECT_EQ(ask(on).status, 200);
  EXPECT_EQ(ask(on).header("idempotent-replayed"), "true");
  EXPECT_EQ(ask_fresh(on_subscription(taken, "advance", advancing(1, "failed"))).status, 200);
  EXPECT_EQ(Json(ask_get("/v1/subscriptions/" + taken).body).text("/status"), "failing");
  const std::string gone = served();
  EXPECT_EQ(ask_fresh(on_subscription(gone, "advance", advancing(1, "gone"))).status, 200);
  EXPECT_EQ(Json(ask_get("/v1/subscriptions/" + gone).body).text("/reason"), "gone");

  EXPECT_EQ(Json(ask_get("/v1/subscriptions/" + id).body).text("/status"), "active");
  EXPECT_EQ(Json(ask_get("/v1/subscriptions/" + id + "/secret").body).size("/secrets"), 1U);
  expect_code(ask_get("/v1/subscriptions/nonsense"), 404, "subscription-not-known");
  expect_code(ask_get("/v1/subscriptions/nonsense/secret"), 404, "subscription-not-known");
  EXPECT_NE(ask_get("/v1/subscriptions?limit=1").header("link"), "");
  EXPECT_EQ(ask_get("/v1/subscriptions?limit=1000").header("link"), "");
  expect_code(ask_get("/v1/subscriptions?limit=0"), 400, "malformed-request");
}

}  // namespace holdfast::test

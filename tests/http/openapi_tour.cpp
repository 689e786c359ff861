// The tour through a service that is well.

#include "http/openapi_tour.hpp"

#include <fmt/format.h>

#include <fstream>
#include <future>
#include <thread>

#include "http/commands_service.hpp"
#include "openapi/document.hpp"
#include "support/calls.hpp"

namespace holdfast::test {

using std::chrono::milliseconds;
using testing::HasSubstr;
using testing::IsEmpty;

Sent with(Sent sent, const Headers& more) {
  sent.headers.insert(sent.headers.end(), more.begin(), more.end());
  return sent;
}

Sent with_token(Sent sent, const std::string& token) {
  return with(std::move(sent), {{"Idempotency-Key", token}});
}

std::string text_of(const Sent& sent) {
  return request_text(sent.method, sent.target, sent.headers, sent.body);
}

OpenApiTour::OpenApiTour() : calls_(http::openapi_json()) {
  observer_ = [gate = gate_](Stage stage) {
    while (stage == Stage::write && gate->held) {
      gate->waiting = true;
      std::this_thread::sleep_for(milliseconds(1));
    }
    gate->waiting = false;
  };
}

void OpenApiTour::begin(const std::string& store, http::Settings settings) {
  stop();
  settings.store = dir_.file(store);
  settings.registry = dir_.file("tour.registry.toml");
  std::ofstream(settings.registry) << declared_commands;
  declare_webhooks(settings);
  start(std::move(settings));
}

void OpenApiTour::go_on(http::Settings settings) {
  stop();
  settings.store = settings_.store;
  settings.registry = settings_.registry;
  settings.secrets = settings_.secrets;
  start(std::move(settings));
}

Answered OpenApiTour::ask(const Sent& sent) {
  Answered answered = call(sent.method, sent.target, sent.headers, sent.body);
  calls_.check(sent, answered);
  return answered;
}

Answered OpenApiTour::ask_get(const std::string& target, const Headers& headers) {
  return ask({"GET", target, headers});
}

Answered OpenApiTour::ask_fresh(const Sent& sent) { return ask(with_token(sent, fresh())); }

Answered OpenApiTour::hear(const Sent& sent, RawConnection& connection) {
  const auto answered = connection.read();
  EXPECT_TRUE(answered) << sent.method << " " << sent.target << " was not answered";
  if (answered) calls_.check(sent, *answered);
  return answered.value_or(Answered{});
}

void OpenApiTour::expect_code(const Answered& answered, int status, const std::string& code) {
  EXPECT_EQ(answered.status, status) << answered.body;
  EXPECT_EQ(Json(answered.body).text("/code"), code);
}

std::string OpenApiTour::fresh() { return fmt::format("t-{}", ++number_); }

Sent OpenApiTour::placing(const std::string& duration) {
  return {.method = "POST",
          .target = "/v1/holds",
          .body = fmt::format(R"({{"resource":"r-{}","requester":"guest_g91","duration":"{}"}})",
                              ++number_, duration)};
}

Sent OpenApiTour::resolving(const std::string& id, const std::string& verb,
                            const std::string& body) {
  return {.method = "POST", .target = fmt::format("/v1/holds/{}/{}", id, verb), .body = body};
}

Sent OpenApiTour::grouping(const std::string& duration) {
  ++number_;
  return {.method = "POST",
          .target = "/v1/groups",
          .body = fmt::format(
              R"({{"requester":"guest_g91","duration":"{}","holds":[{{"resource":"ga-{}"}},)"
              R"({{"resource":"gb-{}","quantity":1}}]}})",
              duration, number_, number_)};
}

Sent OpenApiTour::resolving_group(const std::string& id, const std::string& verb,
                                  const std::string& body) {
  return {.method = "POST", .target = fmt::format("/v1/groups/{}/{}", id, verb), .body = body};
}

Sent OpenApiTour::declaring(const std::string& name, int capacity) {
  return {.method = "PUT",
          .target = "/v1/resources/" + name,
          .body = fmt::format(R"({{"capacity":{}}})", capacity)};
}

std::string OpenApiTour::placed(const std::string& duration) {
  return Json(ask_fresh(placing(duration)).body).text("/id");
}

std::string OpenApiTour::placed_some(int quantity) {
  const std::string name = fmt::format("some-{}", ++number_);
  EXPECT_EQ(ask_fresh(declaring(name, quantity)).status, 200);
  return Json(ask_fresh({"POST",
                         "/v1/holds",
                         {},
                         fmt::format(R"({{"resource":"{}","requester":"q","duration":"PT15M",)"
                                     R"("quantity":{}}})",
                                     name, quantity)})
                  .body)
      .text("/id");
}

std::string OpenApiTour::confirmed() {
  const std::string id = placed();
  EXPECT_EQ(ask_fresh(resolving(id, "confirm")).status, 200);
  return id;
}

std::string OpenApiTour::grouped(const std::string& duration) {
  return Json(ask_fresh(grouping(duration)).body).text("/id");
}

std::vector<OpenApiTour::Change> OpenApiTour::changes() {
  std::vector<Change> all;
  all.push_back({placing(), placing()});
  for (const char* verb : {"confirm", "release"})
    all.push_back({resolving(placed(), verb), resolving(placed(), verb)});
  all.push_back({resolving(placed("PT1S"), "expire"), resolving(placed("PT1S"), "expire")});
  all.push_back({declaring("seats", 5), declaring("seats", 6)});
  const std::string longer = R"({"duration":"PT30M"})";
  all.push_back({resolving(placed(), "extend", longer), resolving(placed(), "extend", longer)});
  all.push_back({resolving(confirmed(), "cancel"), resolving(confirmed(), "cancel")});
  all.push_back({grouping(), grouping()});
  for (const char* verb : {"confirm", "release"})
    all.push_back({resolving_group(grouped(), verb), resolving_group(grouped(), verb)});
  all.push_back(
      {resolving_group(grouped(), "extend", longer), resolving_group(grouped(), "extend", longer)});
  add_command_changes(all);
  add_webhook_changes(all);
  add_subscription_changes(all);
  clock_->advance(std::chrono::seconds(2));
  return all;
}

std::vector<Sent> OpenApiTour::everywhere() const {
  std::vector<Sent> all;
  for (const std::string& each : calls_.operations()) {
    const std::size_t space = each.find(' ');
    std::string target = each.substr(space + 1);
    if (const std::size_t brace = target.find('{'); brace != std::string::npos)
      target.replace(brace, target.find('}') - brace + 1, "h1-000000000000000");
    all.push_back({.method = each.substr(0, space), .target = std::move(target)});
  }
  return all;
}

void OpenApiTour::wait_for_writer() const {
  while (!gate_->waiting) std::this_thread::sleep_for(milliseconds(1));
}

void OpenApiTour::wait_for_queued(std::size_t calls) const {
  while (server_->service().queued() < calls) std::this_thread::sleep_for(milliseconds(1));
}

void OpenApiTour::tour_of_holds() {
  const Sent first = with_token(placing(), "first");
  const std::string id = Json(ask(first).body).text("/id");
  EXPECT_EQ(ask(first).header("idempotent-replayed"), "true");
  expect_code(ask(with_token({"POST", "/v1/holds", {}, first.body}, fresh())), 409,
              "resource-unavailable");
  expect_code(ask(with_token(placing(), "first")), 409, "protocol.idempotency_conflict");
  expect_code(ask_fresh(placing("PT0S")), 422, "invalid-request");
  EXPECT_TRUE(Json(ask_get("/v1/holds/" + id).body).has("/expires_in_ms"));
  expect_code(ask_get("/v1/holds/nonsense"), 404, "not-known");

  const std::string lapsing = placed("PT1S");
  for (const char* verb : {"confirm", "release"})
    EXPECT_EQ(ask_fresh(resolving(placed(), verb)).status, 200);
  clock_->advance(std::chrono::seconds(2));
  EXPECT_TRUE(Json(ask_get("/v1/holds/" + lapsing).body).truth("/lapsed"));
  EXPECT_EQ(ask_fresh(resolving(lapsing, "expire")).status, 200);
  (void)ask_get("/v1/holds/" + lapsing);

  EXPECT_NE(ask_get("/v1/holds?limit=2").header("link"), "");
  EXPECT_EQ(ask_get("/v1/holds?resource=r-1&requester=guest_g91&state=held&limit=1000"
                    "&placed_after=2025-01-01T00:00:00Z")
                .status,
            200);
  const std::string cursor = Json(ask_get("/v1/holds?limit=1").body).text("/next");
  EXPECT_EQ(ask_get("/v1/holds?limit=1&cursor=" + cursor).status, 200);
  for (const char* query : {"?limit=0", "?state=lost", "?cursor=zz!", "?colour=red"})
    expect_code(ask_get(std::string("/v1/holds") + query), 400, "malformed-request");
}

void OpenApiTour::tour_of_resolving(const std::string& verb) {
  const bool expires = verb == "expire";
  const std::string done = placed(expires ? "PT1S" : "PT15M");
  if (expires) clock_->advance(std::chrono::seconds(2));
  const Sent first = with_token(resolving(done, verb), fresh());
  EXPECT_EQ(ask(first).status, 200);
  EXPECT_EQ(ask(first).header("idempotent-replayed"), "true");
  expect_code(ask_fresh(resolving(done, verb)), 409, "not-held");
  expect_code(ask_fresh(resolving("h1-000000000000000", verb)), 404, "not-known");
  const std::string token = first.headers[0].value;
  expect_code(ask(with_token(resolving(placed(), verb), token)), 409,
              "protocol.idempotency_conflict");
  const std::string other = placed("PT1S");
  if (!expires) clock_->advance(std::chrono::seconds(2));
  expect_code(ask_fresh(resolving(other, verb)), 409,
              expires ? "window-not-elapsed" : "window-elapsed");
  Sent body = resolving(done, verb);
  body.body = R"({"why":"because"})";
  expect_code(ask_fresh(body), 400, "malformed-request");
  body.body = "{}";
  EXPECT_EQ(ask_fresh(body).status, 409);
}

void OpenApiTour::tour_of_extending() {
  const std::string id = placed();
  const std::string longer = R"({"duration":"PT30M"})";
  const Sent first = with_token(resolving(id, "extend", longer), fresh());
  EXPECT_EQ(ask(first).status, 200);
  EXPECT_EQ(ask(first).header("idempotent-replayed"), "true");
  const std::string token = first.headers[0].value;
  expect_code(ask(with_token(resolving(id, "extend", R"({"duration":"PT31M"})"), token)), 409,
              "protocol.idempotency_conflict");
  expect_code(ask_fresh(resolving(id, "extend", R"({"duration":"PT0S"})")), 422, "invalid-request");
  for (const char* body : {"", "{}", "[]", R"({"duration":"long"})", R"({"duration":1,"id":"h"})"})
    expect_code(ask_fresh(resolving(id, "extend", body)), 400, "malformed-request");
  clock_->advance(std::chrono::seconds(1));
  expect_code(ask_fresh(resolving(id, "extend", R"({"duration":"P366D"})")), 409,
              "lifetime-exceeded");
  EXPECT_EQ(ask_fresh(resolving(id, "release")).status, 200);
  expect_code(ask_fresh(resolving(id, "extend", longer)), 409, "not-held");
  expect_code(ask_fresh(resolving("nonsense", "extend", longer)), 404, "not-known");
  const std::string lapsing = placed("PT1S");
  clock_->advance(std::chrono::seconds(2));
  expect_code(ask_fresh(resolving(lapsing, "extend", longer)), 409, "window-elapsed");
}

void OpenApiTour::tour_of_parts_and_cancels() {
  const std::string id = placed_some(5);
  const Sent part = with_token(resolving(id, "confirm", R"({"quantity":2})"), fresh());
  EXPECT_EQ(Json(ask(part).body).number("/quantity_confirmed"), 2);
  expect_code(ask_fresh(resolving(id, "confirm", R"({"quantity":4})")), 409, "quantity-exceeded");
  expect_code(ask_fresh(resolving(id, "confirm", R"({"quantity":0})")), 422, "invalid-request");
  for (const char* body : {"[]", R"({"quantity":"2"})", R"({"quantity":1.5})", R"({"final":1})"})
    expect_code(ask_fresh(resolving(id, "confirm", body)), 400, "malformed-request");
  EXPECT_EQ(Json(ask_fresh(resolving(id, "confirm", R"({"quantity":1,"final":true})")).body)
                .text("/state"),
            "confirmed");
  EXPECT_EQ(ask(part).header("idempotent-replayed"), "true");

  const Sent cancel = with_token(resolving(id, "cancel", R"({"quantity":1})"), fresh());
  EXPECT_EQ(Json(ask(cancel).body).number("/quantity_cancelled"), 1);
  EXPECT_EQ(ask(cancel).header("idempotent-replayed"), "true");
  expect_code(ask(with_token(resolving(id, "cancel"), cancel.headers[0].value)), 409,
              "protocol.idempotency_conflict");
  expect_code(ask_fresh(resolving(id, "cancel", R"({"quantity":3})")), 409, "quantity-exceeded");
  expect_code(ask_fresh(resolving(id, "cancel", R"({"quantity":0})")), 422, "invalid-request");
  expect_code(ask_fresh(resolving(id, "cancel", R"({"final":true})")), 400, "malformed-request");
  EXPECT_EQ(ask_fresh(resolving(id, "cancel")).status, 200);
  expect_code(ask_fresh(resolving(id, "cancel", "{}")), 409, "not-confirmed");
  expect_code(ask_fresh(resolving("nonsense", "cancel")), 404, "not-known");
  (void)ask_get("/v1/holds/" + id);
}

void OpenApiTour::tour_of_groups() {
  const Sent first = with_token(grouping(), fresh());
  const std::string id = Json(ask(first).body).text("/id");
  EXPECT_EQ(ask(first).header("idempotent-replayed"), "true");
  expect_code(ask(with_token(grouping(), first.headers[0].value)), 409,
              "protocol.idempotency_conflict");
  const Answered taken = ask_fresh({"POST", "/v1/groups", {}, first.body});
  expect_code(taken, 409, "resource-unavailable");
  EXPECT_EQ(Json(taken.body).size("/short"), 2U);
  expect_code(ask_fresh(grouping("PT0S")), 422, "invalid-request");
  expect_code(
      ask_fresh({"POST", "/v1/groups", {}, R"({"requester":"q","duration":"PT1M","holds":[]})"}),
      422, "invalid-request");
  for (const char* body : {"", "{}", R"({"requester":"q","duration":60})",
                           R"({"requester":"q","duration":60,"holds":{}})",
                           R"({"requester":"q","duration":60,"holds":[{}]})",
                           R"({"requester":"q","duration":60,"holds":[{"resource":7}]})"})
    expect_code(ask_fresh({"POST", "/v1/groups", {}, body}), 400, "malformed-request");

  const std::string longer = R"({"duration":"PT30M"})";
  for (const std::string verb : {"extend", "confirm", "release"}) {
    const std::string body = verb == "extend" ? longer : "";
    const std::string group = grouped();
    const Sent change = with_token(resolving_group(group, verb, body), fresh());
    EXPECT_EQ(Json(ask(change).body).size("/holds"), 2U);
    EXPECT_EQ(ask(change).header("idempotent-replayed"), "true");
    expect_code(ask(with_token(resolving_group(id, verb, body), change.headers[0].value)), 409,
                "protocol.idempotency_conflict");
    (void)ask_fresh(resolving_group(group, "release"));
    expect_code(ask_fresh(resolving_group(group, verb, body)), 409, "not-held");
    expect_code(ask_fresh(resolving_group("g1-000000000000000", verb, body)), 404, "not-known");
    expect_code(ask_fresh(resolving_group("nonsense", verb, body)), 404, "not-known");
    expect_code(ask_fresh(resolving_group(group, verb, R"({"why":"because"})")), 400,
                "malformed-request");
    const std::string lapsing = grouped("PT1S");
    clock_->advance(std::chrono::seconds(2));
    expect_code(ask_fresh(resolving_group(lapsing, verb, body)), 409, "window-elapsed");
  }
  EXPECT_EQ(Json(ask_get("/v1/groups/" + id).body).size("/holds"), 2U);
  expect_code(ask_get("/v1/groups/nonsense"), 404, "not-known");
  expect_code(ask_fresh(resolving_group(id, "extend", R"({"duration":"PT0S"})")), 422,
              "invalid-request");
  expect_code(ask_fresh(resolving_group(id, "extend", R"({"duration":"P366D"})")), 409,
              "lifetime-exceeded");
}

void OpenApiTour::tour_of_changing_batches() {
  const std::string id = placed_some(5);
  const std::string group = grouped();
  const std::string released = grouped();
  const Answered answered = ask({"POST",
                                 "/v1/batch",
                                 {},
                                 fmt::format(R"({{"operations":[
      {{"token":"c-1","operation":"hold.extend","params":{{"id":"{0}","duration":3600}}}},
      {{"token":"c-2","operation":"hold.confirm","params":{{"id":"{0}","quantity":2}}}},
      {{"token":"c-3","operation":"hold.confirm","params":{{"id":"{0}","quantity":1,"final":true}}}},
      {{"token":"c-4","operation":"hold.cancel","params":{{"id":"{0}","quantity":1}}}},
      {{"token":"c-5","operation":"hold.cancel","params":{{"id":"{0}","quantity":9}}}},
      {{"token":"c-6","operation":"group.place","params":{{"requester":"q","duration":60,"holds":[{{"resource":"ca"}},{{"resource":"cb","quantity":1}}]}}}},
      {{"token":"c-7","operation":"group.place","params":{{"requester":"q","duration":60,"holds":[{{"resource":"ca"}}]}}}},
      {{"token":"c-8","operation":"group.extend","params":{{"id":"{1}","duration":"PT1H"}}}},
      {{"token":"c-9","operation":"group.confirm","params":{{"id":"{1}"}}}},
      {{"token":"c-10","operation":"group.release","params":{{"id":"{2}"}}}},
      {{"token":"c-11","operation":"group.release","params":{{"id":"nonsense"}}}}]}})",
                                             id, group, released)});
  ASSERT_EQ(answered.status, 200);
  const Json results(answered.body);
  const std::vector<int> statuses{200, 200, 200, 200, 409, 201, 409, 200, 200, 200, 404};
  for (std::size_t i = 0; i < statuses.size(); ++i) {
    EXPECT_EQ(results.number(fmt::format("/results/{}/status", i)), statuses[i]) << i;
    EXPECT_EQ(ask_get(fmt::format("/v1/tokens/c-{}", i + 1)).status, 200) << i;
  }
  EXPECT_EQ(results.size("/results/6/body/short"), 1U);
}

void OpenApiTour::tour_of_resources() {
  const Sent first = with_token(declaring("seats%20a", 3), "declared");
  EXPECT_EQ(ask(first).header("idempotency-expires"), "never");
  EXPECT_EQ(ask(first).header("idempotent-replayed"), "true");
  expect_code(ask(with_token(declaring("seats%20a", 4), "declared")), 409,
              "protocol.idempotency_conflict");
  expect_code(ask_fresh(declaring("seats", 0)), 422, "invalid-request");
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(ask_fresh({"POST", "/v1/holds", {}, holding("seats a")}).status, 201);
  }
  expect_code(ask_fresh(declaring("seats%20a", 1)), 409, "capacity-in-use");
  EXPECT_EQ(Json(ask_get("/v1/resources/seats%20a").body).number("/available"), 1);
  EXPECT_FALSE(Json(ask_get("/v1/resources/unheard_of").body).truth("/declared"));
  EXPECT_EQ(Json(ask_get("/v1/resources/seats%20a/availability").body).number("/free"), 1);
  EXPECT_TRUE(Json(ask_get("/v1/resources/unheard_of/availability").body).is_null("/next_expiry"));
  EXPECT_EQ(ask_get("/v1/resources?prefix=sea&limit=10").status, 200);
  EXPECT_EQ(ask_get("/v1/holds?resource_prefix=sea&limit=10").status, 200);
  EXPECT_EQ(ask({"POST", "/v1/holds?dry_run=true", {}, holding("seats a")}).status, 200);
  expect_code(ask_get("/v1/resources/%ff"), 400, "malformed-request");
  EXPECT_NE(ask_get("/v1/resources?limit=1").header("link"), "");
  EXPECT_EQ(ask_get("/v1/resources?limit=1000").header("link"), "");
}

void OpenApiTour::tour_of_batches() {
  const std::string id = placed();
  const Answered answered = ask({"POST",
                                 "/v1/batch",
                                 {},
                                 fmt::format(R"({{"operations":[
      {{"token":"b-1","operation":"resource.declare","params":{{"resource":"b","capacity":1}}}},
      {{"token":"b-2","operation":"hold.place","nonce":"n-b","params":{{"resource":"b","requester":"q","duration":60}}}},
      {{"token":"b-2","operation":"hold.place","params":{{"resource":"b","requester":"q","duration":60}}}},
      {{"token":"b-2","operation":"hold.place","params":{{"resource":"c","requester":"q","duration":60}}}},
      {{"token":"b-3","operation":"hold.place","params":{{"resource":"b","requester":"q","duration":60}}}},
      {{"token":"b-4","operation":"hold.confirm","params":{{"id":"{}"}}}},
      {{"token":"b-5","operation":"hold.release","params":{{"id":"nonsense"}}}},
      {{"token":"b-6","operation":"hold.expire","params":{{"id":"{}"}}}}]}})",
                                             id, id)});
  ASSERT_EQ(answered.status, 200);
  const Json results(answered.body);
  for (const auto& [index, status] :
       {std::pair(0, 200), {1, 201}, {2, 201}, {3, 409}, {4, 409}, {5, 200}, {6, 404}, {7, 409}}) {
    EXPECT_EQ(results.number(fmt::format("/results/{}/status", index)), status) << index;
  }
  EXPECT_EQ(ask({"POST", "/v1/batch", {}, R"({"operations":[]})"}).status, 200);
  expect_code(ask({"POST", "/v1/batch", {}, "{}"}), 400, "malformed-request");
}

void OpenApiTour::tour_of_tokens() {
  for (const char* token : {"first", "declared", "b-3", "b-4", "b-5"})
    EXPECT_EQ(ask_get(std::string("/v1/tokens/") + token).status, 200) << token;
  EXPECT_TRUE(Json(ask_get("/v1/tokens/declared").body).is_null("/forgotten_at"));
  expect_code(ask_get("/v1/tokens/never-used"), 404, "not-known");
  expect_code(ask_get("/v1/tokens/%f"), 400, "malformed-request");

  // Callers that share the process may use any bytes.
  std::promise<Answer> answer;
  server_->service().submit(
      ::holdfast::test::place(
          {.resource = "raw", .requester = "q", .duration = std::chrono::hours(1)}, "a\xff"),
      [&](Answer given) { answer.set_value(std::move(given)); });
  const std::string id = answer.get_future().get().hold->id.text();
  EXPECT_EQ(Json(ask_get("/v1/holds/" + id).body).text("/token_hex"), "61ff");
  EXPECT_EQ(Json(ask_get("/v1/tokens/a%ff").body).text("/token_hex"), "61ff");
}

void OpenApiTour::tour_of_events() {
  (void)placed("PT1S");
  clock_->advance(std::chrono::seconds(2));
  EXPECT_GE(server_->service().sweep(), 1U);
  const Answered page = ask_get("/v1/events?after=0&limit=1000");
  EXPECT_THAT(page.body, HasSubstr("\"sweeper\""));
  EXPECT_THAT(page.body, HasSubstr("resource.declared"));
  EXPECT_THAT(page.header("link"), HasSubstr("rel=\"next\""));
  EXPECT_NE(page.header("x-request-id"), "");
  expect_code(ask_get("/v1/events?after=x"), 400, "malformed-request");

  const Sent sent{"GET", "/v1/events", {{"Accept", "text/event-stream"}, {"Last-Event-ID", "0"}}};
  RawConnection connection = connect();
  ASSERT_TRUE(connection.send(text_of(sent)));
  (void)hear(sent, connection);
  const std::size_t events = Json(page.body).size("/items");
  const std::string last =
      fmt::format("id: {}\n", Json(page.body).number(fmt::format("/items/{}/seq", events - 1)));
  std::string stream = connection.read_until(last);
  stream = connection.read_until("\n\n\r\n");
  const auto schema = calls_.document().at("/components/schemas/Event");
  std::size_t seen = 0;
  for (std::size_t at = 0; (at = stream.find("data: ", at)) != std::string::npos; ++seen) {
    at += std::string_view("data: ").size();
    const std::string event = stream.substr(at, stream.find('\n', at) - at);
    EXPECT_THAT(calls_.document().check(schema, event), IsEmpty()) << event;
  }
  EXPECT_GT(seen, 5U);
}

void OpenApiTour::tour_of_evidence() {
  const Answered page = ask_get("/v1/evidence?limit=1000");
  for (const char* decision :
       {"first_seen", "duplicate_replayed", "conflict_rejected", "expired_by_sweep"})
    EXPECT_THAT(page.body, HasSubstr(fmt::format(R"("decision":"{}")", decision)));
  EXPECT_THAT(page.header("link"), HasSubstr("rel=\"next\""));
  expect_code(ask_get("/v1/evidence?after=x"), 400, "malformed-request");
  EXPECT_EQ(ask_get("/v1/evidence/head").status, 200);
  EXPECT_EQ(Json(ask_get("/v1/evidence/head?since=2").body).number("/consistency/since"), 2);
  expect_code(ask_get("/v1/evidence/head?since=9000000"), 400, "malformed-request");
  EXPECT_EQ(ask_get("/v1/evidence/3/proof").status, 200);
  EXPECT_EQ(Json(ask_get("/v1/evidence/3/proof?size=4").body).number("/head/size"), 4);
  expect_code(ask_get("/v1/evidence/3/proof?size=9000000"), 400, "malformed-request");
  expect_code(ask_get("/v1/evidence/9000000/proof"), 404, "not-known");
  expect_code(ask_get("/v1/evidence/three/proof"), 404, "not-known");
}

void OpenApiTour::tour_of_service() {
  for (const char* target : {"/", "/v1/audit", "/livez", "/readyz", "/metrics", "/version"})
    EXPECT_EQ(ask_get(target).status, 200);
  EXPECT_EQ(ask_get("/openapi.json").body, http::openapi_json());
  for (const Sent& each : everywhere()) {
    if (each.method == "GET") (void)ask({"HEAD", each.target});
  }
  // Two audits at once: the second is turned away.
  std::string items;
  for (int i = 0; i < 2000; ++i) {
    items += fmt::format(
        R"({}{{"token":"x{}","operation":"hold.place","params":{{"resource":"x{}","requester":"q","duration":60}}}})",
        i == 0 ? "" : ",", i, i);
  }
  ASSERT_EQ(call("POST", "/v1/batch", {}, R"({"operations":[)" + items + "]}").status, 200);
  const Sent audit{"GET", "/v1/audit"};
  RawConnection connection = connect();
  ASSERT_TRUE(connection.send(text_of(audit) + text_of(audit)));
  EXPECT_EQ(hear(audit, connection).status, 200);
  expect_code(hear(audit, connection), 503, "overloaded");
}

void OpenApiTour::tour_of_other_addresses() {
  for (const char* target : {"//", "/v1", "/v1/", "/v1/holds/", "/v1/nothing", "/v1/holds/a/b"})
    expect_code(ask_get(target), 404, "no-such-address");
  for (const Sent& each : everywhere()) {
    expect_code(ask({"PATCH", each.target}), 405, "method-not-allowed");
    EXPECT_THAT(ask({"OPTIONS", each.target}).header("allow"), HasSubstr(each.method));
  }
}

}  // namespace holdfast::test

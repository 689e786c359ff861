// The tour through commands, their effects, and the registry that declares them.

#include <fmt/format.h>

#include "http/openapi_tour.hpp"

namespace holdfast::test {

Sent OpenApiTour::submitting(const std::string& name, const std::string& args) {
  const std::size_t dot = name.find('.');
  return {.method = "POST",
          .target = "/v1/commands",
          .body = fmt::format(R"({{"intent":{{"entity":"{}","action":"{}"}},"args":{}}})",
                              name.substr(0, dot), name.substr(dot + 1), args)};
}

Sent OpenApiTour::on_effect(const std::string& id, const std::string& verb,
                            const std::string& body) {
  return {.method = "POST", .target = fmt::format("/v1/effects/{}/{}", id, verb), .body = body};
}

Sent OpenApiTour::leasing(const std::string& kind, int max) {
  return {.method = "POST",
          .target = "/v1/effects/lease",
          .body = fmt::format(R"({{"kinds":["{}"],"max":{},"lease":"PT1H"}})", kind, max)};
}

std::string OpenApiTour::submitted(const std::string& name) {
  const Answered answered = ask_fresh(submitting(name, R"({"number":"4"})"));
  EXPECT_EQ(answered.status, 202) << answered.body;
  return Json(answered.body).text("/command_id");
}

std::string OpenApiTour::leased() {
  (void)submitted("parcel.ship");
  return Json(ask_fresh(leasing("warehouse")).body).text("/effects/0/id");
}

void OpenApiTour::add_command_changes(std::vector<Change>& all) {
  all.push_back({submitting("order.note", R"({"note":"a"})"),
                 submitting("order.note", R"({"note":"b"})"), "execution.rejected"});
  const Answered asked = ask_fresh(submitting("account.waive"));
  const auto approving = [&](const std::string& more) {
    return Sent{
        .method = "POST",
        .target = "/v1/commands/" + Json(asked.body).text("/execution/command_id") + "/approve",
        .body = fmt::format(R"({{"confirmation_token":"{}{}"}})",
                            Json(asked.body).text("/execution/confirmation_token"), more)};
  };
  all.push_back({approving(""), approving("0")});
  for (const char* verb : {"renew", "complete", "fail"}) {
    all.push_back(
        {on_effect(leased(), verb, R"({"fence":1})"), on_effect(leased(), verb, R"({"fence":2})")});
  }
  for (int i = 0; i < 2; ++i) (void)submitted("parcel.ship");
  all.push_back({leasing("warehouse"), leasing("warehouse", 2)});
  for (const char* verb : {"retry", "cancel"}) {
    all.push_back(
        {on_effect(submitted("card.charge"), verb), on_effect(submitted("card.charge"), verb)});
  }
  const std::string ended = R"({"status":"executed"})";
  all.push_back({on_effect(submitted("card.charge"), "resolve", ended),
                 on_effect(submitted("card.charge"), "resolve", ended)});
  const auto adopting = [&] {
    return Sent{.method = "POST",
                .target = "/v1/registry",
                .body = fmt::format(R"({{"digest":"{:064x}"}})", ++number_)};
  };
  all.push_back({adopting(), adopting()});
}

void OpenApiTour::tour_of_commands() {
  const Sent ship = with_token(submitting("parcel.ship"), fresh());
  const Answered accepted = ask(ship);
  EXPECT_EQ(accepted.status, 202);
  EXPECT_EQ(ask(ship).header("idempotent-replayed"), "true");
  EXPECT_EQ(ask(with_token({"POST", "/v1/commands?wait=1ms", {}, ship.body}, ship.headers[0].value))
                .status,
            202);
  const std::string id = Json(accepted.body).text("/command_id");
  EXPECT_EQ(ask_get("/v1/commands/" + id).header("retry-after"), "1");
  EXPECT_EQ(ask_get("/v1/commands/" + id + "?wait=1ms").status, 200);
  EXPECT_EQ(ask(submitting("order.tag")).status, 200);  // its key is derived
  EXPECT_EQ(ask_fresh(submitting("order.note", R"({"note":"a"})")).status, 200);
  expect_code(ask_fresh(submitting("order.burn")), 422, "execution.rejected");
  expect_code(ask_fresh(submitting("order.note", R"({"note":7})")), 422, "execution.rejected");
  expect_code(ask_fresh(submitting("order.tag")), 409, "execution.rejected");
  expect_code(ask_fresh(submitting("account.close")), 409, "execution.rejected");
  expect_code(ask_fresh(submitting(" . ")), 422, "invalid-request");
  expect_code(ask(submitting("order.note")), 400, "protocol.idempotency_key_missing");
  for (const char* body : {"", "{}", "[]", R"({"intent":{"entity":"order"}})",
                           R"({"intent":{"entity":"order","action":"note"},"why":1})"})
    expect_code(ask_fresh({"POST", "/v1/commands", {}, body}), 400, "malformed-request");

  EXPECT_NE(ask_get("/v1/commands?limit=1").header("link"), "");
  EXPECT_EQ(ask_get("/v1/commands?status=executed&entity=order&action=note&limit=1000").status,
            200);
  EXPECT_EQ(ask_get("/v1/commands?key=" + ship.headers[0].value).status, 200);
  const std::string cursor = Json(ask_get("/v1/commands?limit=1").body).text("/next");
  EXPECT_EQ(ask_get("/v1/commands?limit=1&cursor=" + cursor).status, 200);
  expect_code(ask_get("/v1/commands?status=lost"), 400, "malformed-request");
  expect_code(ask_get("/v1/commands/nonsense"), 404, "command-not-known");
  expect_code(ask_get("/v1/commands/" + id + "?wait=soon"), 400, "malformed-request");

  const auto approve = [&](const std::string& which, const std::string& token) {
    return ask_fresh({"POST",
                      "/v1/commands/" + which + "/approve",
                      {},
                      fmt::format(R"({{"confirmation_token":"{}"}})", token)});
  };
  const Answered asked = ask_fresh(submitting("account.waive"));
  EXPECT_EQ(approve(Json(asked.body).text("/execution/command_id"),
                    Json(asked.body).text("/execution/confirmation_token"))
                .status,
            200);
  expect_code(approve(id, "ct-0-0"), 409, "execution.rejected");
  expect_code(approve("nonsense", "ct-0-0"), 404, "command-not-known");
  expect_code(approve(id, ""), 422, "invalid-request");
  expect_code(ask_fresh({"POST", "/v1/commands/" + id + "/approve", {}, "{}"}), 400,
              "malformed-request");
}

void OpenApiTour::tour_of_effects() {
  const std::string long_id = "c-" + std::string(1'100, '0');
  for (const char* verb : {"renew", "complete", "fail"}) {
    const std::string id = leased();
    const std::string held = R"({"fence":1})";
    expect_code(ask_fresh(on_effect(id, verb, R"({"fence":7})")), 409, "stale-fence");
    expect_code(ask_fresh(on_effect("nonsense", verb, held)), 404, "command-not-known");
    expect_code(ask_fresh(on_effect(long_id, verb, held)), 422, "invalid-request");
    expect_code(ask_fresh(on_effect(id, verb, "{}")), 400, "malformed-request");
    const Sent done = with_token(on_effect(id, verb, held), fresh());
    EXPECT_EQ(ask(done).status, 200);
    EXPECT_EQ(ask(done).header("idempotent-replayed"), "true");
    expect_code(ask(with_token(on_effect(id, verb, R"({"fence":2})"), done.headers[0].value)), 409,
                "protocol.idempotency_conflict");
    (void)ask_fresh(on_effect(id, "complete", held));
    (void)ask_fresh(on_effect(id, "cancel"));
    expect_code(ask_fresh(on_effect(id, verb, held)), 409, "effect-not-open");
  }
  EXPECT_EQ(Json(ask_fresh(leasing("nothing")).body).size("/effects"), 0U);
  expect_code(ask_fresh({"POST", "/v1/effects/lease", {}, R"({"kinds":["a"],"max":5000})"}), 422,
              "invalid-request");
  expect_code(ask_fresh({"POST", "/v1/effects/lease", {}, R"({"kinds":"a"})"}), 400,
              "malformed-request");

  const std::string ended = R"({"status":"executed","result":{"charge":"ch_1"}})";
  for (const std::string verb : {"retry", "cancel", "resolve"}) {
    const std::string body = verb == "resolve" ? ended : "";
    const std::string id = submitted("card.charge");
    EXPECT_EQ(ask_fresh(on_effect(id, verb, body)).status, 200);
    expect_code(ask_fresh(on_effect("nonsense", verb, body)), 404, "command-not-known");
    expect_code(ask_fresh(on_effect(long_id, verb, body)), 422, "invalid-request");
    (void)ask_fresh(on_effect(id, "resolve", ended));
    expect_code(ask_fresh(on_effect(id, verb, body)), 409, "effect-not-open");
  }
  expect_code(ask_fresh(on_effect(submitted("card.charge"), "resolve", R"({"status":"lost"})")),
              422, "invalid-request");

  const std::string id = submitted("card.charge");
  EXPECT_EQ(ask_get("/v1/effects/" + id).status, 200);
  (void)leased();
  EXPECT_NE(ask_get("/v1/effects?limit=1").header("link"), "");
  for (const char* status : {"waiting", "leased", "unknown", "dead"})
    EXPECT_EQ(ask_get(std::string("/v1/effects?status=") + status).status, 200);
  expect_code(ask_get("/v1/effects?status=lost"), 400, "malformed-request");
  expect_code(ask_get("/v1/effects/nonsense"), 404, "command-not-known");
}

void OpenApiTour::tour_of_registries() {
  EXPECT_NE(ask_get("/v1/registry").header("etag"), "");
  expect_code(ask_get("/v1/registry?colour=red"), 400, "malformed-request");
  const std::string digest(64, 'a');
  EXPECT_EQ(ask_fresh({"POST", "/v1/registry", {}, R"({"digest":")" + digest + "\"}"}).status, 200);
  EXPECT_EQ(ask_fresh({"POST", "/v1/registry", {}, R"({"digest":")" + digest + "\"}"})
                .header("idempotency-expires"),
            "");
  expect_code(ask_fresh({"POST", "/v1/registry", {}, R"({"digest":"short"})"}), 422,
              "invalid-request");
  expect_code(ask_fresh({"POST", "/v1/registry", {}, "{}"}), 400, "malformed-request");
}

}  // namespace holdfast::test

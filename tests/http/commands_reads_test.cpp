// Looking at commands, effects and the registry over HTTP: who sees what.

#include "http/commands_service.hpp"

#include <iterator>

namespace holdfast::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class CommandReads : public CommandsService {
 protected:
  /// The keys of a list of commands, page by page.
  [[nodiscard]] std::vector<std::string> listed(const std::string& query, int limit) const {
    std::vector<std::string> keys;
    std::string cursor;
    do {
      const Answered page = get(fmt::format("/v1/commands?limit={}{}{}", limit, query,
                                            cursor.empty() ? "" : "&cursor=" + cursor));
      EXPECT_EQ(page.status, 200) << page.body;
      for (const std::string& each : Json(page.body).texts("/items", "idempotency_key"))
        keys.push_back(each);
      EXPECT_EQ(page.header("link").empty(), Json(page.body).is_null("/next"));
      cursor = Json(page.body).is_null("/next") ? "" : Json(page.body).text("/next");
    } while (!cursor.empty());
    return keys;
  }
};

TEST_F(CommandReads, ListAllStatusesNewestFirst) {
  begin();
  ASSERT_EQ(submit("a", envelope("order.note")).status, 200);
  ASSERT_EQ(ship("b").status, 202);
  clock_->advance(std::chrono::milliseconds(1));
  ASSERT_EQ(submit("c", envelope("order.note", R"({"note":7})")).status, 422);
  const std::string id = Json(ship("d").body).text("/command_id");
  ASSERT_EQ(submit("e", envelope("order.tag")).status, 409);
  ASSERT_EQ(submit("f", envelope("order.note")).status, 200);
  ASSERT_EQ(lease("w-1", "warehouse").status, 200);
  const std::string first = Json(get("/v1/commands?key=b").body).text("/items/0/command_id");
  ASSERT_EQ(on_effect("w-2", first, "fail", R"({"fence":1,"verdict":"refused"})").status, 200);
  for (const int limit : {1, 2, 3, 100})
    EXPECT_THAT(listed("", limit), ElementsAre("f", "e", "d", "c", "b", "a")) << limit;
  EXPECT_THAT(listed("&status=executed", 1), ElementsAre("f", "a"));
  EXPECT_THAT(listed("&status=rejected", 10), ElementsAre("e", "c"));
  EXPECT_THAT(listed("&status=failed", 10), ElementsAre("b"));
  EXPECT_THAT(listed("&entity=parcel", 1), ElementsAre("d", "b"));
  EXPECT_THAT(listed("&entity=order&action=tag", 1), ElementsAre("e"));
  EXPECT_THAT(listed("&key=a", 1), ElementsAre("a"));
  EXPECT_THAT(listed("&key=a&status=failed", 1), ElementsAre());
  EXPECT_THAT(listed("&key=nobody", 1), ElementsAre());
  EXPECT_EQ(Json(get("/v1/commands/" + id).body).text("/idempotency_key"), "d");
  for (const char* query :
       {"?status=lost", "?limit=0", "?cursor=zz", "?cursor=m-1.0g", "?colour=x"})
    EXPECT_EQ(get(std::string("/v1/commands") + query).status, 400) << query;
}

TEST_F(CommandReads, KnowNoOtherCommands) {
  begin();
  const std::string id = Json(ship("a").body).text("/command_id");
  for (const std::string& each : {std::string("nonsense"), id + "0", id.substr(0, id.size() - 1),
                                  "c-" + std::string(40, '0') + "-1", std::string("lease")}) {
    EXPECT_EQ(get("/v1/commands/" + each).status, 404) << each;
    EXPECT_EQ(get("/v1/effects/" + each).status, 404) << each;
  }
  EXPECT_EQ(Json(get("/v1/commands/x").body).text("/code"), "command-not-known");
  EXPECT_EQ(get("/v1/commands/%ff").status, 400);
}

TEST_F(CommandReads, ShowEffectsAndWhyTheyWait) {
  begin();
  const std::string id = Json(ship("a").body).text("/command_id");
  Answered effect = get("/v1/effects/" + id);
  ASSERT_EQ(effect.status, 200) << effect.body;
  EXPECT_EQ(Json(effect.body).text("/status"), "waiting");
  EXPECT_EQ(Json(effect.body).text("/provider"), "warehouse");
  EXPECT_THAT(Json(effect.body).text("/why"), HasSubstr("a worker leases it"));

  ASSERT_EQ(lease("w-1", "warehouse").status, 200);
  effect = get("/v1/effects/" + id);
  EXPECT_EQ(Json(effect.body).text("/status"), "leased");
  EXPECT_EQ(Json(effect.body).number("/fence"), 1);
  EXPECT_TRUE(Json(effect.body).has("/holder"));
  EXPECT_TRUE(Json(effect.body).has("/lease_until"));
  EXPECT_EQ(Json(get("/v1/effects?status=leased").body).size("/items"), 1U);
  EXPECT_EQ(Json(get("/v1/effects?status=waiting").body).size("/items"), 0U);

  ASSERT_EQ(on_effect("w-2", id, "fail", R"({"fence":1,"error":"no paper"})").status, 200);
  effect = get("/v1/effects/" + id);
  EXPECT_EQ(Json(effect.body).text("/error"), "no paper");
  EXPECT_THAT(Json(effect.body).text("/why"), HasSubstr("no paper"));
  clock_->advance(std::chrono::seconds(1));
  ASSERT_EQ(lease("w-3", "warehouse").status, 200);
  ASSERT_EQ(on_effect("w-4", id, "fail", R"({"fence":2,"error":"no ink"})").status, 200);
  effect = get("/v1/effects/" + id);
  EXPECT_EQ(Json(effect.body).text("/status"), "dead");
  EXPECT_EQ(Json(effect.body).text("/reason"), "attempts_exhausted");
  EXPECT_EQ(Json(get("/v1/effects?status=dead").body).size("/items"), 1U);
  EXPECT_EQ(Json(ship("a").body).text("/status"), "failed");

  ASSERT_EQ(on_effect("o-1", id, "retry", "").status, 200);
  EXPECT_EQ(Json(get("/v1/effects/" + id).body).text("/status"), "waiting");
  ASSERT_EQ(lease("w-5", "warehouse").status, 200);
  ASSERT_EQ(on_effect("w-6", id, "fail", R"({"fence":3,"verdict":"unknown"})").status, 200);
  EXPECT_EQ(Json(get("/v1/effects?status=unknown").body).size("/items"), 1U);
  ASSERT_EQ(
      on_effect("o-2", id, "resolve", R"({"status":"executed","result":{"label":"L"}})").status,
      200);
  EXPECT_EQ(get("/v1/effects/" + id).status, 404);
  EXPECT_EQ(Json(get("/v1/effects").body).size("/items"), 0U);
  EXPECT_EQ(Json(ship("a").body).text("/outcome/label"), "L");
  EXPECT_EQ(get("/v1/effects?status=lost").status, 400);
}

/// A command that has none, or none any more, is no error.
TEST_F(CommandReads, FindAnEffectByItsCommand) {
  begin();
  const std::string id = Json(ship("a").body).text("/command_id");
  ASSERT_EQ(ship("b").status, 202);
  const auto found = [&](const std::string& query) {
    return Json(get("/v1/effects?command_id=" + query).body).texts("/items", "id");
  };
  EXPECT_THAT(found(id), ElementsAre(id));
  EXPECT_EQ(Json(get("/v1/effects?command_id=" + id).body).raw("/items/0"),
            get("/v1/effects/" + id).body);
  EXPECT_THAT(found(id + "&status=waiting"), ElementsAre(id));
  EXPECT_THAT(found(id + "&status=dead"), IsEmpty());
  EXPECT_THAT(found("nonsense"), IsEmpty());
  EXPECT_THAT(found(""), IsEmpty());
  EXPECT_EQ(get("/v1/effects?command_id=" + id + "&cursor=0").status, 400);
  ASSERT_EQ(lease("w-1", "warehouse").status, 200);
  ASSERT_EQ(on_effect("w-2", id, "complete", R"({"fence":1})").status, 200);
  const Answered settled = get("/v1/effects?command_id=" + id);
  EXPECT_EQ(settled.status, 200);
  EXPECT_EQ(settled.body, R"({"items":[],"next":null})");
}

TEST_F(CommandReads, PageThroughEffects) {
  begin();
  for (const char* key : {"a", "b", "c", "d"}) {
    ASSERT_EQ(ship(key).status, 202);
    clock_->advance(std::chrono::milliseconds(1));
  }
  ASSERT_EQ(lease("w-1", "warehouse").status, 200);  // of a
  std::vector<std::string> keys;
  std::string target = "/v1/effects?limit=1&status=waiting";
  while (!target.empty()) {
    const Answered page = get(target);
    for (const std::string& each : Json(page.body).texts("/items", "idempotency_key"))
      keys.push_back(each);
    const bool more = !Json(page.body).is_null("/next");
    target =
        more ? "/v1/effects?limit=1&status=waiting&cursor=" + Json(page.body).text("/next") : "";
  }
  EXPECT_THAT(keys, ElementsAre("d", "c", "b"));
}

TEST_F(CommandReads, AreForOneTenantAndEveryRole) {
  const Headers alice = with_key(new_key("north", "alice", http::Role::client));
  const Headers audrey = with_key(new_key("north", "audrey", http::Role::auditor));
  const Headers olga = with_key(new_key("north", "olga", http::Role::operator_role));
  const Headers carl = with_key(new_key("south", "carl", http::Role::operator_role));
  begin();
  const std::string id = Json(ship("a", alice).body).text("/command_id");
  for (const std::string& each :
       {"/v1/commands/" + id, std::string("/v1/commands?key=a"), "/v1/effects/" + id,
        std::string("/v1/effects"), std::string("/v1/registry")}) {
    EXPECT_EQ(get(each, audrey).status, 200) << each;
    EXPECT_EQ(get(each).status, 401) << each;
    if (each.find(id) != std::string::npos) {
      EXPECT_EQ(get(each, carl).status, 404) << each;
    } else if (each != "/v1/registry") {
      EXPECT_EQ(Json(get(each, carl).body).size("/items"), 0U) << each;
    }
  }
  EXPECT_EQ(ship("b", audrey).status, 403);
  EXPECT_EQ(lease("w", "warehouse", audrey).status, 403);
  for (const char* verb : {"retry", "cancel"}) {
    EXPECT_EQ(on_effect("o", id, verb, "", alice).status, 403);
    EXPECT_EQ(on_effect(std::string("s-") + verb, id, verb, "", carl).status, 404);
  }
  EXPECT_EQ(on_effect("o-3", id, "resolve", R"({"status":"failed"})", alice).status, 403);
  EXPECT_EQ(Json(lease("w-1", "warehouse", carl).body).size("/effects"), 0U);
  EXPECT_EQ(Json(lease("w-1", "warehouse", alice).body).size("/effects"), 1U);
  EXPECT_EQ(on_effect("s-1", id, "complete", R"({"fence":1})", carl).status, 404);
  EXPECT_EQ(on_effect("w-2", id, "complete", R"({"fence":1})", alice).status, 200);
  const std::string digest(64, '0');
  EXPECT_EQ(
      call("POST", "/v1/registry", keyed("r", alice), R"({"digest":")" + digest + "\"}").status,
      403);
  EXPECT_EQ(call("POST", "/v1/registry", keyed("r", olga), R"({"digest":"x"})").status, 422);
}

TEST_F(CommandReads, NeverShowSecretsButToTheWorker) {
  const std::string secret = "4242424242424242";
  http::Settings settings;
  settings.log_level = http::LogLevel::debug;
  settings.log_requests = true;
  begin(settings);
  const std::string args = fmt::format(R"({{"number":"{}","amount":"1.00"}})", secret);
  const Answered first = submit("k-1", envelope("card.charge", args));
  ASSERT_EQ(first.status, 202) << first.body;
  EXPECT_EQ(Json(first.body).text("/args/number"), "[secret]");
  EXPECT_EQ(Json(first.body).text("/args/amount"), "1.00");
  const std::string id = Json(first.body).text("/command_id");
  EXPECT_EQ(submit("k-1", envelope("card.charge", args)).body, first.body);
  expect_refused(submit("k-1", envelope("card.charge", R"({"number":"4","amount":"1.00"})")), 409,
                 "idempotency_conflict");  // it counts for the key
  const Answered misfit =
      submit("k-2", envelope("card.charge", fmt::format(R"({{"number":"x{}"}})", secret)));
  expect_refused(misfit, 422, "invalid_arguments");

  const Answered leased = lease("w-1", "cards");
  EXPECT_EQ(Json(leased.body).text("/effects/0/request/args/number"), secret);
  EXPECT_EQ(lease("w-1", "cards").body, leased.body);
  const Answered batch = call(
      "POST", "/v1/batch", {},
      R"({"operations":[{"token":"w-1","operation":"effect.lease","params":{"kinds":["cards"],"lease":60}}]})");
  EXPECT_EQ(Json(batch.body).raw("/results/0/body"), Json(leased.body).raw(""));
  const Answered looked_up = get("/v1/tokens/w-1");
  EXPECT_EQ(Json(looked_up.body).text("/answer/effects/0/request/args/number"), "[secret]");

  ASSERT_EQ(on_effect("w-2", id, "fail", R"({"fence":1,"verdict":"refused"})").status, 200);
  for (const std::string& target :
       {std::string("/v1/commands"), "/v1/commands/" + id, std::string("/v1/effects"),
        "/v1/effects/" + id, std::string("/v1/events?after=0&limit=1000"),
        std::string("/v1/evidence?after=0&limit=1000"), std::string("/v1/tokens/k-1"),
        std::string("/v1/tokens/k-2"), std::string("/v1/tokens/w-1"), std::string("/v1/tokens/w-2"),
        std::string("/v1/registry"), std::string("/v1/audit"), std::string("/metrics")}) {
    const Answered answered = get(target);
    EXPECT_EQ(answered.status, 200) << target;
    EXPECT_THAT(answered.body, Not(HasSubstr(secret))) << target;
    if (target.starts_with("/v1/evidence")) continue;  // it is what was hashed
    EXPECT_THAT(answered.body, Not(HasSubstr("$sealed"))) << target;
  }
  EXPECT_THAT(misfit.body, Not(HasSubstr(secret)));
  EXPECT_THAT(logged(), Not(HasSubstr(secret)));
  stop();
  std::ifstream file(settings_.store, std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  EXPECT_THAT(bytes, Not(HasSubstr(secret)));
}

class RegistryInForce : public CommandsService {
 protected:
  [[nodiscard]] std::size_t changes() const {
    std::size_t found = 0;
    const Answered events = get("/v1/events?after=0&limit=1000");
    for (const std::string& each : Json(events.body).texts("/items", "type"))
      found += each == "registry.changed" ? 1U : 0U;
    return found;
  }
  [[nodiscard]] std::string etag() const { return get("/v1/registry").header("etag"); }
};

TEST_F(RegistryInForce, IsPublishedAndInTheJournalOnce) {
  begin();
  const Answered shown = get("/v1/registry");
  ASSERT_EQ(shown.status, 200);
  EXPECT_THAT(shown.body, HasSubstr("warehouse"));
  EXPECT_THAT(shown.body, HasSubstr(R"("declared_by":"holds")"));
  const std::string etag = shown.header("etag");
  EXPECT_EQ(etag.size(), 66U);
  EXPECT_EQ(changes(), 1U);
  const Answered events = get("/v1/events?after=0");
  EXPECT_EQ(Json(events.body).text("/items/0/subject"), "registry");
  EXPECT_EQ('"' + Json(events.body).text("/items/0/data/digest") + '"', etag);
  restart();
  EXPECT_EQ(changes(), 1U);
  EXPECT_EQ(this->etag(), etag);
}

TEST_F(RegistryInForce, IsReadAgainAndABadOneIsRefusedWhole) {
  begin();
  const std::string before = etag();
  expect_refused(submit("k-1", envelope("order.burn")), 422, "unregistered_command");
  declare(std::string(declared_commands) + "[[command]]\nentity = \"order\"\naction = \"burn\"\n");
  server_->reload();
  EXPECT_NE(etag(), before);
  EXPECT_EQ(submit("k-1", envelope("order.burn")).status, 200);
  EXPECT_EQ(changes(), 2U);

  const std::string good = etag();
  declare("[[command]]\nentity = \"order\"\naktion = \"burn\"\n");
  server_->reload();
  EXPECT_EQ(etag(), good);
  EXPECT_EQ(submit("k-2", envelope("order.burn")).status, 200);
  EXPECT_THAT(logged(), HasSubstr("test.registry.toml:3:1"));
  EXPECT_EQ(changes(), 2U);

  clock_->advance(std::chrono::seconds(1));
  declare(declared_commands);  // back, and forth again: each is a change
  server_->reload();
  EXPECT_EQ(etag(), before);
  declare(std::string(declared_commands) + "[[command]]\nentity = \"order\"\naction = \"burn\"\n");
  server_->reload();
  EXPECT_EQ(changes(), 4U);
  EXPECT_TRUE(Json(get("/v1/audit").body).truth("/clean"));
}

TEST_F(RegistryInForce, MustBeGoodAtTheStart) {
  declare("[[command]]\nentity = \"order\"\naktion = \"burn\"\n");
  http::Settings settings;
  settings.store = dir_.file("bad.db");
  settings.listen = "127.0.0.1:0";
  settings.registry = registry_file();
  const auto server = http::Server::start(settings);
  ASSERT_FALSE(server.has_value());
  EXPECT_THAT(server.error(), HasSubstr("test.registry.toml:3:1: "));
  settings.registry = dir_.file("nowhere.toml");
  EXPECT_FALSE(http::Server::start(settings).has_value());
}

TEST_F(RegistryInForce, MayBeLeftOut) {
  start();
  EXPECT_EQ(changes(), 0U);
  EXPECT_THAT(get("/v1/registry").body, HasSubstr(R"("declared_by":"holds")"));
  expect_refused(submit("k-1", envelope("order.note")), 422, "unregistered_command");
  server_->reload();
  EXPECT_EQ(records(), 0U);
}

}  // namespace
}  // namespace holdfast::test

// What the service answers to requests of every shape, good and bad, header by header and byte by
// byte, is what it was when it was recorded.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <regex>

#include "golden/kept.hpp"
#include "golden/recorded_run.hpp"
#include "golden/recorded_service.hpp"
#include "support/json.hpp"
#include "support/temp_dir.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;

/// A member of a body and a value that fits it.
struct Fitting {
  std::string name;
  std::string value;
};
using Body = std::vector<Fitting>;

const Body placing_body{{"resource", R"("room_307")"},
                        {"requester", R"("guest_g91")"},
                        {"duration", R"("PT15M")"},
                        {"quantity", "1"}};
const Body declaring_body{{"capacity", "5"}};
const Body declaring_params{{"resource", R"("row_12")"}, {"capacity", "5"}};
const Body ending_params{{"id", R"("h1-0f3c9d1e5b7a842")"}};

const std::vector<std::string> values{"null",
                                      "true",
                                      "0",
                                      "1",
                                      "-1",
                                      "3",
                                      "1.5",
                                      "1e3",
                                      "1e400",
                                      "1.0",
                                      "0.000001",
                                      "0.0000001",
                                      "9007199254740991",
                                      "9007199254740993",
                                      "-9007199254740993",
                                      "18446744073709551616",
                                      R"("")",
                                      R"(" ")",
                                      R"("text")",
                                      R"("PT15M")",
                                      R"("PT1.5S")",
                                      R"("P1DT12H")",
                                      R"("P2W")",
                                      R"("P1Y")",
                                      R"("PT")",
                                      R"("-PT5M")",
                                      R"("PT0.0000001S")",
                                      R"("PT99999999999999999H")",
                                      R"("P400D")",
                                      R"("\ud800")",
                                      R"("\u0000")",
                                      R"("caf\u00e9 \ud83d\udecf")",
                                      R"("h1-0f3c9d1e5b7a842")",
                                      "[]",
                                      "{}",
                                      "[[[[[[[[1]]]]]]]]"};

const std::vector<std::string> no_objects{"null", "[]", "7", R"("text")", "true"};

std::string object_of(const Body& body) {
  std::string text;
  for (const Fitting& each : body)
    text += fmt::format(R"({}"{}":{})", text.empty() ? "" : ",", each.name, each.value);
  return "{" + text + "}";
}

/// Every way in which an object can be something else than it should be.
std::vector<std::string> misshapen(const Body& body) {
  std::vector<std::string> all{object_of(body), "{}"};
  for (std::size_t i = 0; i < body.size(); ++i) {
    Body less = body;
    less.erase(less.begin() + static_cast<std::ptrdiff_t>(i));
    all.push_back(object_of(less));
    for (const std::string& value : values) {
      Body other = body;
      other[i].value = value;
      all.push_back(object_of(other));
    }
  }
  Body more = body;
  more.push_back({"dry_run", "true"});
  all.push_back(object_of(more));
  more.back() = body.front();
  all.push_back(object_of(more));
  Body backwards(body.rbegin(), body.rend());
  all.push_back(object_of(backwards));
  return all;
}

/// Bodies that are no JSON, or none that may be sent.
std::vector<std::string> unreadable(const Body& body) {
  const std::string good = object_of(body);
  std::vector<std::string> all = no_objects;
  for (const char* each : {"", " ", "{", "nul", "{\"a\":1,}", "{'a':1}", "// no", "\xff", "NaN"})
    all.emplace_back(each);
  all.push_back(good + "x");
  all.push_back(good + good);
  all.push_back("\xef\xbb\xbf" + good);
  all.push_back(" \n\t" + good + "\r\n ");
  all.push_back(std::regex_replace(good, std::regex("r"), "\\u0072"));
  all.push_back(std::string(40, '[') + std::string(40, ']'));
  all.push_back(R"({"\ud800":1})");
  all.push_back(R"({"a/b~c":1,"é":2})");
  return all;
}

class GoldenService : public ::testing::Test {
 protected:
  RecordedService& service() {
    if (!service_) service_.emplace(served_);
    return *service_;
  }
  void serve_anew(const std::string& file) {
    service_.reset();
    served_.file = dir_.file(file);
  }
  std::string fresh() { return fmt::format("k-{}", ++keys_used_); }
  std::string change(const std::string& method, const std::string& target,
                     const std::string& body = {}, const std::string& key = {}) {
    return service().ask({.method = method,
                          .target = target,
                          .body = body,
                          .headers = {{"Idempotency-Key", key.empty() ? fresh() : key}}});
  }
  std::string get(const std::string& target, const std::string& key = {}) {
    return service().ask({.method = "GET", .target = target, .key = key});
  }
  std::string place(const std::string& resource, const std::string& duration = "PT15M") {
    const std::string body = fmt::format(
        R"({{"resource":"{}","requester":"guest_g91","duration":"{}"}})", resource, duration);
    return change("POST", "/v1/holds", body);
  }
  std::string placed(const std::string& resource, const std::string& duration = "PT15M") {
    return Json(place(resource, duration)).text("/id");
  }
  void compare(const std::string& name) {
    expect_as_kept(name, service().text(), Piece::paragraph);
  }

  const TempDir dir_ = TempDir::in_memory();
  ServedStore served_{.file = dir_.file("holdfast.db")};

 private:
  std::optional<RecordedService> service_;
  std::size_t keys_used_ = 0;
};

TEST_F(GoldenService, reads_bodies_as_it_did) {
  for (const std::string& body : misshapen(placing_body)) change("POST", "/v1/holds", body);
  for (const std::string& body : misshapen(declaring_body))
    change("PUT", "/v1/resources/row_12", body);
  for (const Body& body : {placing_body, declaring_body}) {
    const bool places = body.size() > 1;
    for (const std::string& text : unreadable(body))
      change(places ? "POST" : "PUT", places ? "/v1/holds" : "/v1/resources/row_12", text);
  }
  const std::string id = placed("bodies");
  for (const std::string verb : {"confirm", "release", "expire"}) {
    for (const std::string& text : unreadable(Body{}))
      change("POST", "/v1/holds/" + id + "/" + verb, text);
    for (const std::string& text : misshapen(ending_params))
      change("POST", "/v1/holds/h1-0f3c9d1e5b7a842/" + verb, text);
  }
  compare("service_bodies.gz");
}

TEST_F(GoldenService, reads_batches_as_it_did) {
  const auto batch = [&](const std::string& operations) {
    service().ask({.method = "POST", .target = "/v1/batch", .body = operations});
  };
  const auto item = [&](const std::string& operation, const std::string& params) {
    return fmt::format(R"({{"token":"{}","operation":"{}","params":{}}})", fresh(), operation,
                       params);
  };
  for (const std::string operation : {"hold.place", "hold.confirm", "hold.release", "hold.expire",
                                      "resource.declare", "hold.extend", "none", "sweep"}) {
    const Body& params = operation == "hold.place"         ? placing_body
                         : operation == "resource.declare" ? declaring_params
                                                           : ending_params;
    std::string items;
    for (const std::string& each : misshapen(params)) {
      if (each.find("1e400") != std::string::npos || each.find("ud800") != std::string::npos ||
          each.find("18446744073709551616") != std::string::npos) {
        batch(R"({"operations":[)" + item(operation, each) + "]}");
        continue;
      }
      items += (items.empty() ? "" : ",") + item(operation, each);
    }
    for (const std::string& each : no_objects) items += "," + item(operation, each);
    batch(R"({"operations":[)" + items + "]}");
  }
  const Body whole{{"token", R"("b-1")"},
                   {"operation", R"("hold.place")"},
                   {"params", object_of(placing_body)},
                   {"nonce", R"("n-1")"},
                   {"confirmation", R"("c")"}};
  for (const std::string& each : misshapen(whole)) batch(R"({"operations":[)" + each + "]}");
  for (const std::string& each : misshapen({{"operations", "[]"}})) batch(each);
  for (const std::string& each : unreadable({{"operations", "[]"}})) batch(each);
  for (const std::string& each : no_objects) batch(R"({"operations":[)" + each + "]}");
  compare("service_batches.gz");
}

TEST_F(GoldenService, reads_headers_as_it_did) {
  const std::vector<std::string> targets{"/v1/holds", "/v1/resources/row_12",
                                         "/v1/holds/h1-0f3c9d1e5b7a842/confirm", "/v1/batch"};
  const std::vector<std::map<std::string, std::string>> all{
      {},
      {{"Idempotency-Key", ""}},
      {{"Idempotency-Key", "\"quoted\""}},
      {{"Idempotency-Key", "\"open"}},
      {{"Idempotency-Key", "two words"}},
      {{"Idempotency-Key", "ü"}},
      {{"Idempotency-Key", std::string(256, 'k')}},
      {{"Idempotency-Key", std::string(257, 'k')}},
      {{"Idempotency-Key", "a"}, {"idempotency-key", "b"}},
      {{"Idempotency-Key", "h-1"}, {"Content-Type", "application/json"}},
      {{"Idempotency-Key", "h-2"}, {"Content-Type", "application/json; charset=utf-8"}},
      {{"Idempotency-Key", "h-3"}, {"Content-Type", "application/x-www-form-urlencoded"}},
      {{"Idempotency-Key", "h-4"}, {"Content-Type", "text/plain"}},
      {{"Idempotency-Key", "h-5"}, {"X-Nonce", "n-1"}},
      {{"Idempotency-Key", "h-6"}, {"X-Nonce", "n-1"}},
      {{"Idempotency-Key", "h-5"}, {"X-Nonce", "n-2"}},
      {{"Idempotency-Key", "h-7"}, {"X-Nonce", ""}},
      {{"Idempotency-Key", "h-8"}, {"X-Nonce", std::string(257, 'n')}},
      {{"Idempotency-Key", "h-9"}, {"X-Nonce", "a"}, {"x-nonce", "b"}},
      {{"Idempotency-Key", "h-10"}, {"X-Confirmation", "c"}},
      {{"Idempotency-Key", "h-11"}, {"X-Confirmation", "c"}, {"x-confirmation", "d"}},
      {{"Idempotency-Key", "h-12"}, {"Origin", "http://elsewhere.example"}},
      {{"Idempotency-Key", "h-13"}, {"Origin", "http://localhost"}},
      {{"Idempotency-Key", "h-14"}, {"Expect", "miracles"}},
      {{"Idempotency-Key", "h-15"}, {"Authorization", "Bearer hf_nobody_nothing"}},
      {{"Idempotency-Key", "h-16"}, {"X-Long", std::string(20'000, 'x')}},
  };
  for (const std::string& target : targets) {
    const std::string body = target == "/v1/holds"         ? object_of(placing_body)
                             : target == "/v1/batch"       ? R"({"operations":[]})"
                             : target.ends_with("confirm") ? ""
                                                           : object_of(declaring_body);
    for (const auto& headers : all) {
      std::map<std::string, std::string> own = headers;
      for (auto& [name, value] : own) {
        if (name == "Idempotency-Key" && value.starts_with("h-")) value += target;
      }
      service().ask({.method = target.ends_with("row_12") ? "PUT" : "POST",
                     .target = target,
                     .body = body,
                     .headers = own});
    }
    for (const char* query : {"?dry_run=1", "?", "?%zz", "#x"})
      change(target.ends_with("row_12") ? "PUT" : "POST", target + query, body);
  }
  compare("service_headers.gz");
}

constexpr std::array addresses{"/v1/holds",
                               "/v1/holds/h1-0f3c9d1e5b7a842",
                               "/v1/holds/h1-0f3c9d1e5b7a842/confirm",
                               "/v1/holds/h1-0f3c9d1e5b7a842/release",
                               "/v1/holds/h1-0f3c9d1e5b7a842/expire",
                               "/v1/resources",
                               "/v1/resources/row_12",
                               "/v1/batch",
                               "/v1/tokens/k-1",
                               "/v1/events",
                               "/v1/evidence",
                               "/v1/evidence/head",
                               "/v1/evidence/1/proof",
                               "/v1/audit",
                               "/livez",
                               "/readyz",
                               "/version"};

TEST_F(GoldenService, has_the_addresses_it_had) {
  for (const std::string method :
       {"GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "BREW"}) {
    for (const char* address : addresses) {
      const bool takes_key = method == "POST" || method == "PUT";
      if (takes_key) {
        change(method, address);
      } else {
        service().ask({.method = method, .target = address});
      }
    }
    service().ask({.method = method, .target = "/", .status_only = true});
    service().ask({.method = method, .target = "/metrics", .status_only = true});
    service().ask({.method = method, .target = "/openapi.json", .status_only = true});
  }
  for (const char* address : {"/v1", "/v1/", "/v1/holds/", "/v1/holds//confirm", "/v2/holds",
                              "/v1/holds/x/extend", "/v1/Holds", "/v1/%68olds", "/v1/holds/%", "*",
                              "/v1/resources/a%2Fb", "/v1/resources/", "/v1/tokens/", "//v1/holds"})
    get(address);
  compare("service_addresses.gz");
}

TEST_F(GoldenService, answers_a_life_as_it_did) {
  std::string text;
  for (const int conflict_status : {409, 422}) {
    serve_anew(fmt::format("life_{}.db", conflict_status));
    served_.conflict_status = conflict_status;
    const std::string body = object_of(placing_body);
    for (int i = 0; i < 2; ++i) change("POST", "/v1/holds", body, "p-1");
    change("POST", "/v1/holds", R"({"duration":900,"requester":"guest_g91","resource":"room_307"})",
           "p-1");
    change("POST", "/v1/holds", object_of(declaring_body), "p-1");
    change("POST", "/v1/holds", R"({"resource":"room_308","requester":"q","duration":1})", "p-1");
    change("PUT", "/v1/resources/room_307", object_of(declaring_body), "p-1");
    for (int i = 0; i < 2; ++i) change("POST", "/v1/holds", body, "p-2");
    const std::string id = placed("room_309");
    for (const std::string verb : {"expire", "confirm", "confirm", "release", "expire"}) {
      service().advance(1s);
      change("POST", "/v1/holds/" + id + "/" + verb, "", verb + "-1");
      change("POST", "/v1/holds/" + id + "/" + verb);
      change("POST", "/v1/holds/" + id + "0/" + verb);
      change("POST", "/v1/holds/nothing/" + verb);
    }
    const std::string short_one = placed("room_310", "PT1S");
    service().advance(1s);
    for (const std::string verb : {"confirm", "release", "expire", "release"})
      change("POST", "/v1/holds/" + short_one + "/" + verb);
    place("room_311", "PT1S");
    for (const char* capacity : {"5", "3", "1", "9007199254740991"}) {
      change("PUT", "/v1/resources/room_307", fmt::format(R"({{"capacity":{}}})", capacity));
      place("room_307");
    }
    service().advance(1h);
    service().sweep();
    get("/v1/holds");
    get("/v1/holds/" + id);
    get("/v1/holds/" + short_one);
    get("/v1/resources");
    get("/v1/resources/room_307");
    get("/v1/tokens/p-1");
    get("/v1/tokens/p-2");
    get("/v1/tokens/confirm-1");
    get("/v1/events");
    get("/v1/evidence");
    get("/v1/evidence/head");
    get("/v1/evidence/head?since=3");
    for (int i = 1; i <= 20; ++i) get(fmt::format("/v1/evidence/{}/proof?size=20", i));
    get("/v1/audit");
    text += service().text();
  }
  expect_as_kept("service_life.gz", text, Piece::paragraph);
}

TEST_F(GoldenService, lets_in_whom_it_did) {
  struct Who {
    const char* name;
    const char* tenant;
    const char* role;
  };
  constexpr std::array everybody{Who{"olga", "north", "operator"}, Who{"carol", "north", "client"},
                                 Who{"audrey", "north", "auditor"}, Who{"ünal", "süd", "client"}};
  for (const Who& who : everybody) service().make_key(who.name, who.tenant, who.name, who.role);
  std::vector<std::string> names{""};
  for (const Who& who : everybody) names.emplace_back(who.name);
  for (const std::string& name : names) {
    const auto ask = [&](const std::string& method, const std::string& target,
                         const std::string& body) {
      return service().ask({.method = method,
                            .target = target,
                            .body = body,
                            .headers = {{"Idempotency-Key", "same-for-all" + body}},
                            .key = name});
    };
    const std::string id = "h1-0f3c9d1e5b7a842";
    ask("POST", "/v1/holds", object_of(placing_body));
    ask("PUT", "/v1/resources/row_12", object_of(declaring_body));
    for (const std::string verb : {"confirm", "release", "expire"})
      ask("POST", "/v1/holds/" + id + "/" + verb, "{}");
    service().ask({.method = "POST",
                   .target = "/v1/batch",
                   .body = R"({"operations":[{"token":"b","operation":"hold.place","params":)" +
                           object_of(placing_body) +
                           R"(},{"token":"c","operation":"resource.declare","params":)" +
                           object_of(declaring_params) + "}]}",
                   .key = name});
    for (const char* address : addresses) get(address, name);
    for (const char* address : {"/", "/metrics", "/openapi.json"}) {
      service().ask({.method = "GET", .target = address, .key = name, .status_only = true});
    }
  }
  compare("service_keys.gz");
}

TEST_F(GoldenService, follows_policies_as_it_did) {
  served_.policies[Operation::hold_confirm].confirmation = Confirmation::required;
  served_.policies[Operation::hold_place].key_mode = KeyMode::derived;
  served_.policies[Operation::hold_release].on_reject = OnReject::release;
  const auto place_derived = [&](const std::string& resource) {
    return service().ask({.method = "POST",
                          .target = "/v1/holds",
                          .body = R"({"resource":")" + resource +
                                  R"(","requester":"guest_g91","duration":"PT15M"})"});
  };
  const std::string id = Json(place_derived("room_307")).text("/id");
  place_derived("room_307");
  change("POST", "/v1/holds", object_of(placing_body));
  const std::string confirm = "/v1/holds/" + id + "/confirm";
  const Json asked(change("POST", confirm, "", "c-1"));
  const auto with_code = [&](const std::string& key, const std::string& code) {
    service().ask({.method = "POST",
                   .target = confirm,
                   .headers = {{"Idempotency-Key", key}, {"X-Confirmation", code}}});
  };
  const std::string code = asked.text("/confirmation");
  with_code("c-2", code);
  with_code("c-1", code + "0");
  with_code("c-1", code);
  with_code("c-1", code);
  with_code("c-1", "");
  change("POST", confirm, "", "c-1");
  change("POST", "/v1/holds/" + id + "/release", "", "r-1");
  const std::string other = Json(place_derived("room_308")).text("/id");
  change("POST", "/v1/holds/" + other + "/release", "", "r-1");
  for (const std::string operation : {"hold.place", "hold.confirm", "hold.release"}) {
    const std::string params =
        operation == "hold.place"
            ? R"({"resource":"room_309","requester":"guest_g91","duration":"PT15M"})"
            : R"({"id":")" + other + R"("})";
    for (const std::string& token : {std::string(), std::string(R"("token":"b-1",)")}) {
      service().ask({.method = "POST",
                     .target = "/v1/batch",
                     .body = fmt::format(R"({{"operations":[{{{}"operation":"{}","params":{}}}]}})",
                                         token, operation, params)});
    }
  }
  get("/v1/evidence");
  compare("service_policies.gz");
}

TEST_F(GoldenService, refuses_too_much_as_it_did) {
  served_.small_limits = true;
  const std::string deep = R"({"resource":[[[[1]]]],"requester":"q","duration":1})";
  change("POST", "/v1/holds", deep);
  change("POST", "/v1/holds", R"({"resource":")" + std::string(1'200, 'r') + R"("})");
  const std::string item =
      R"({"token":"b","operation":"resource.declare","params":{"resource":"r","capacity":1}})";
  std::string items = item;
  for (int i = 0; i < 4; ++i) {
    service().ask(
        {.method = "POST", .target = "/v1/batch", .body = R"({"operations":[)" + items + "]}"});
    items += "," + item;
  }
  service().ask({.method = "POST",
                 .target = "/v1/batch",
                 .body = R"({"operations":[)" + std::string(3'000, ' ') + "]}"});
  compare("service_limits.gz");
}

TEST_F(GoldenService, shows_what_a_run_left_behind_as_it_did) {
  serve_anew("run.db");
  (void)play(run_named("calls"), served_.file);
  served_.policies = run_named("calls").policies;
  service().advance(24h);
  const auto pages = [&](const std::string& address) {
    for (std::string target = address; !target.empty();) {
      const Json page(get(target));
      const bool more = !page.is_null("/next") && (!page.has("/more") || page.truth("/more"));
      const std::string sign = address.find('?') == std::string::npos ? "?" : "&";
      const std::string name = page.has("/more") ? "after=" : "cursor=";
      target = more ? address + sign + name + page.text("/next") : "";
    }
  };
  for (const char* address :
       {"/v1/holds", "/v1/holds?limit=7&state=held", "/v1/holds?state=expired",
        "/v1/holds?state=confirmed&requester=guest_g91", "/v1/holds?resource=room_307",
        "/v1/holds?placed_after=2026-01-01T01:00:00Z", "/v1/resources", "/v1/resources?limit=3",
        "/v1/events", "/v1/events?limit=13", "/v1/evidence", "/v1/evidence?limit=1000"})
    pages(address);
  for (const char* address :
       {"/v1/holds?state=lost", "/v1/holds?limit=0", "/v1/holds?limit=1001", "/v1/holds?limit=x",
        "/v1/holds?cursor=x", "/v1/holds?resource=a&resource=b", "/v1/holds?placed_after=now",
        "/v1/resources?cursor=x", "/v1/resources?state=held", "/v1/events?after=x",
        "/v1/events?after=999999", "/v1/events?limit=0", "/v1/evidence?after=999999",
        "/v1/evidence/head?since=999999", "/v1/evidence/999999/proof", "/v1/evidence/x/proof",
        "/v1/evidence/1/proof?size=999999", "/v1/audit", "/v1/audit?x=1"})
    get(address);
  for (int i = 1; i <= 300; ++i) get(fmt::format("/v1/tokens/t{}", i));
  for (int i = 1; i <= 40; ++i) get(fmt::format("/v1/resources/unit_{}", i));
  for (const char* name : {"room_307", "席%2F東京%5C", "bed%09tab%0Aline", "%F0%9F%9B%8F"})
    get(std::string("/v1/resources/") + name);
  compare("service_reads.gz");
}

/// Their values are what a process went through; that they are there, and with which labels, is
/// what others rely on.
TEST_F(GoldenService, has_the_metrics_it_had) {
  place("room_307");
  place("room_307");
  std::istringstream lines(service().raw("/metrics"));
  std::string text;
  for (std::string line; std::getline(lines, line);)
    text += line.starts_with('#') ? line + "\n" : line.substr(0, line.rfind(' ')) + "\n";
  expect_as_kept("metrics.txt", text);
}

TEST_F(GoldenService, is_described_as_it_was) {
  expect_as_kept("openapi.json", service().raw("/openapi.json"));
}

}  // namespace
}  // namespace holdfast::test

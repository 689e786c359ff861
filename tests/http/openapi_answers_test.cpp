// A live service, made to give every answer the document describes, each held against it.

#include <fmt/format.h>

#include "http/openapi_tour.hpp"

namespace holdfast::test {
namespace {

using testing::IsEmpty;

class OpenApiAnswers : public OpenApiTour {};

TEST_F(OpenApiAnswers, AreAllDescribedAndAllDescribedOnesAreGiven) {
  begin("ordinary.db");
  tour_of_holds();
  for (const char* verb : {"confirm", "release", "expire"}) tour_of_resolving(verb);
  tour_of_extending();
  tour_of_parts_and_cancels();
  tour_of_groups();
  tour_of_changing_batches();
  tour_of_resources();
  tour_of_batches();
  tour_of_commands();
  tour_of_effects();
  tour_of_registries();
  tour_of_webhooks();
  tour_of_the_inbox();
  tour_of_subscriptions();
  tour_of_tokens();
  tour_of_events();
  tour_of_evidence();
  tour_of_service();
  tour_of_other_addresses();
  tour_of_keys_and_nonces();
  tour_of_unreadable_requests();
  tour_of_slow_requests();
  tour_of_credentials();
  tour_of_foreign_pages();
  tour_of_rates();
  tour_of_policies();
  tour_of_calls_in_flight();
  tour_of_overload();
  tour_of_a_failing_disk();
  EXPECT_THAT(calls_.unseen(), IsEmpty());
}

TEST_F(OpenApiAnswers, RefuseTheBodiesThatSchemasRefuse) {
  begin("bodies.db");
  const auto place_with = [&](const std::string& body) {
    return ask_fresh({"POST", "/v1/holds", {}, body});
  };
  for (const char* body :
       {"",
        "{",
        "[]",
        "null",
        "7",
        R"({"requester":"q","duration":1})",
        R"({"resource":"r","duration":1})",
        R"({"resource":"r","requester":"q"})",
        R"({"resource":7,"requester":"q","duration":1})",
        R"({"resource":"r","requester":null,"duration":1})",
        R"({"resource":"r","requester":"q","duration":"15m"})",
        R"({"resource":"r","requester":"q","duration":"P"})",
        R"({"resource":"r","requester":"q","duration":"PT"})",
        R"({"resource":"r","requester":"q","duration":"P1DT"})",
        R"({"resource":"r","requester":"q","duration":"P1M"})",
        R"({"resource":"r","requester":"q","duration":"PT1M1H"})",
        R"({"resource":"r","requester":"q","duration":"PT0.1234567S"})",
        R"({"resource":"r","requester":"q","duration":1e300})",
        R"({"resource":"r","requester":"q","duration":true})",
        R"({"resource":"r","requester":"q","duration":1,"quantity":"1"})",
        R"({"resource":"r","requester":"q","duration":1,"quantity":1.5})",
        R"({"resource":"r","requester":"q","duration":1,"quantity":9007199254740992})",
        R"({"resource":"r","requester":"q","duration":1,"colour":"red"})"}) {
    expect_code(place_with(body), 400, "malformed-request");
  }
  for (const char* duration : {"\"PT15M\"", "\"P1W\"", "\"P1DT12H\"", "\"PT0.5S\"",
                               "\"PT1H2M3,25S\"", "900", "0.5", "1e3"}) {
    EXPECT_EQ(place_with(fmt::format(R"({{"resource":"r{}","requester":"q","duration":{}}})",
                                     fresh(), duration))
                  .status,
              201)
        << duration;
  }
  for (const char* body : {"", "{}", "[]", R"({"capacity":"1"})", R"({"capacity":1.5})",
                           R"({"capacity":1,"name":"r"})"}) {
    expect_code(ask_fresh({"PUT", "/v1/resources/r", {}, body}), 400, "malformed-request");
  }
  EXPECT_EQ(ask_fresh({"PUT", "/v1/resources/r", {}, R"({"capacity":2.0})"}).status, 200);
}

TEST_F(OpenApiAnswers, RefuseTheOperationsOfABatchThatSchemasRefuse) {
  begin("batches.db");
  const std::string params = R"("params":{"resource":"r","requester":"q","duration":1})";
  for (const std::string& item :
       {std::string("7"), std::string("{}"),
        R"({"token":"k","operation":"hold.fold",)" + params + "}",
        R"({"operation":"hold.place",)" + params + "}",
        R"({"token":"","operation":"hold.place",)" + params + "}",
        R"({"token":")" + std::string(257, 'k') + R"(","operation":"hold.place",)" + params + "}",
        R"({"token":"k","operation":"hold.confirm",)" + params + "}",
        R"({"token":"k","operation":"hold.place",)" + params + R"(,"note":"n"})",
        R"({"token":"k","operation":"hold.place",)" + params + R"(,"nonce":7})",
        R"({"token":"k","operation":"hold.place",)" + params + R"(,"nonce":""})",
        R"({"token":"k","operation":"hold.place",)" + params + R"(,"nonce":"a\nb"})",
        R"({"token":"k","operation":"hold.place",)" + params + R"(,"nonce":")" +
            std::string(257, 'n') + R"("})",
        std::string(R"({"token":"k","operation":"hold.place","params":{"resource":"r"}})"),
        std::string(R"({"token":"k","operation":"hold.expire","params":{"id":7}})"),
        std::string(R"({"token":"k","operation":"resource.declare","params":{"capacity":1}})")}) {
    const Answered answered = ask({"POST", "/v1/batch", {}, R"({"operations":[)" + item + "]}"});
    ASSERT_EQ(answered.status, 200) << answered.body;
    EXPECT_EQ(Json(answered.body).number("/results/0/status"), 400) << item;
  }
  for (const char* body : {"", "[]", R"({"operations":{}})", R"({"operations":[],"atomic":true})"})
    expect_code(ask({"POST", "/v1/batch", {}, body}), 400, "malformed-request");
}

}  // namespace
}  // namespace holdfast::test

// What holds answers against the document lets nothing wrong pass.

#include "support/http/checked_calls.hpp"

#include <gtest/gtest-spi.h>

#include "openapi/document.hpp"

namespace holdfast::test {
namespace {

using testing::Contains;
using testing::Not;

class OpenApiCheckedCalls : public testing::Test {
 protected:
  OpenApiCheckedCalls() : calls_(http::openapi_json()) {}

  /// A right answer to `sent_`, for tests to spoil.
  [[nodiscard]] static Answered placed() {
    return {.status = 201,
            .headers = {{"content-type", "application/json"},
                        {"content-length", "200"},
                        {"location", "/v1/holds/h1-0f3c9d1e5b7a842"},
                        {"idempotent-replayed", "false"},
                        {"idempotency-key", "k-1"},
                        {"idempotency-expires", "2026-01-02T00:00:00.000000Z"},
                        {"x-request-id", "0f3c9d1e-1"}},
            .body = R"({"id":"h1-0f3c9d1e5b7a842","resource":"r","requester":"q","quantity":1,)"
                    R"("state":"held","placed_at":"2026-01-01T00:00:00.000000Z",)"
                    R"("expires_at":"2026-01-01T00:15:00.000000Z","quantity_confirmed":0,)"
                    R"("quantity_released":0,"quantity_cancelled":0,"fence":1})"};
  }

  const Sent sent_{.method = "POST",
                   .target = "/v1/holds",
                   .headers = {{"Idempotency-Key", "k-1"}},
                   .body = R"({"resource":"r","requester":"q","duration":"PT15M"})"};
  CheckedCalls calls_;
};

TEST_F(OpenApiCheckedCalls, LetRightAnswersPassAndRememberThem) {
  const std::string shape = "POST /v1/holds 201 application/json";
  EXPECT_THAT(calls_.unseen(), Contains(shape));
  calls_.check(sent_, placed());
  EXPECT_THAT(calls_.unseen(), Not(Contains(shape)));
}

TEST_F(OpenApiCheckedCalls, RefuseWhatIsNotDescribed) {
  Answered answered = placed();
  answered.status = 202;
  EXPECT_NONFATAL_FAILURE(calls_.check(sent_, answered), "status 202 is not described");
  answered = placed();
  answered.headers["x-extra"] = "1";
  EXPECT_NONFATAL_FAILURE(calls_.check(sent_, answered), "x-extra is not described");
  answered = placed();
  answered.headers["content-type"] = "text/html";
  EXPECT_NONFATAL_FAILURE(calls_.check(sent_, answered), "media type text/html");
  answered = placed();
  answered.body.insert(1, R"("colour":"red",)");
  EXPECT_NONFATAL_FAILURE(calls_.check(sent_, answered), "/colour");
}

TEST_F(OpenApiCheckedCalls, RefuseWhatIsMissingOrWrong) {
  for (const char* name : {"location", "idempotent-replayed", "idempotency-key", "x-request-id"}) {
    Answered answered = placed();
    answered.headers.erase(name);
    EXPECT_NONFATAL_FAILURE(calls_.check(sent_, answered), "no header");
  }
  Answered answered = placed();
  answered.headers["idempotency-expires"] = "tomorrow";
  EXPECT_NONFATAL_FAILURE(calls_.check(sent_, answered), "header Idempotency-Expires");
  answered = placed();
  answered.headers["idempotency-key"] = "k-2";
  EXPECT_NONFATAL_FAILURE(calls_.check(sent_, answered), "k-2");
  answered = placed();
  answered.body.replace(answered.body.find("held"), 4, "lost");
  EXPECT_NONFATAL_FAILURE(calls_.check(sent_, answered), "lost");
}

TEST_F(OpenApiCheckedCalls, RefuseRequestsThatShouldHaveBeenRefused) {
  Sent sent = sent_;
  sent.body = R"({"resource":"r","requester":"q","duration":"15m"})";
  EXPECT_NONFATAL_FAILURE(calls_.check(sent, placed()), "although its schema refuses it");
}

}  // namespace
}  // namespace holdfast::test

#include "browser/commands_page.hpp"

#include <fmt/format.h>

#include <fstream>

namespace holdfast::test {
namespace {

constexpr std::string_view declared = R"(
[[command]]
entity = "order"
action = "note"
args = '{"type": "object", "properties": {"note": {"type": "string"}}}'

[[command]]
entity = "parcel"
action = "ship"
class = "I3"
[command.effect]
kind = "pull"
shield = "S2"
provider = "warehouse"
attempts = 3
backoff = "1ms"
backoff_max = "2ms"

[[command]]
entity = "account"
action = "waive"
confirmation = "required"
confirm_by = "other"
)";

/// A key for each call.
Headers keyed() {
  static int number = 0;
  return {{"Idempotency-Key", fmt::format("worker-{}", ++number)}};
}

}  // namespace

void ConsoleCommands::SetUp() {
  ConsolePage::SetUp();
  if (IsSkipped()) return;
  const std::string file = store() + ".registry.toml";
  std::ofstream(file) << declared;
  restart({"--registry", file});
}

std::string ConsoleCommands::submitted(const std::string& key, const std::string& name,
                                       const std::string& more) const {
  const std::size_t dot = name.find('.');
  const std::string target = more.starts_with(R"("target")") ? "," + more : "";
  const std::string rest = target.empty() && !more.empty() ? "," + more : "";
  const Answered answered =
      call("POST", "/v1/commands", {{"Idempotency-Key", key}},
           fmt::format(R"({{"intent":{{"entity":"{}","action":"{}"{}}}{}}})", name.substr(0, dot),
                       name.substr(dot + 1), target, rest));
  EXPECT_THAT(answered.status, testing::AnyOf(200, 202)) << answered.body;
  return Json(answered.body).text("/command_id");
}

void ConsoleCommands::note(int count, const std::string& named) const {
  std::string operations;
  for (int i = 0; i < count; ++i) {
    operations += fmt::format(
        R"({}{{"token":"{}-{}","operation":"command.submit","params":{{"intent":{{"entity":"order","action":"note"}}}}}})",
        i == 0 ? "" : ",", named, i);
  }
  const Answered answered = call("POST", "/v1/batch", {}, R"({"operations":[)" + operations + "]}");
  ASSERT_EQ(answered.status, 200) << answered.body;
}

void ConsoleCommands::lease() const {
  const Answered answered =
      call("POST", "/v1/effects/lease", keyed(), R"({"kinds":["warehouse"],"max":10,"lease":60})");
  ASSERT_EQ(answered.status, 200) << answered.body;
  ASSERT_GT(Json(answered.body).size("/effects"), 0U) << answered.body;
}

void ConsoleCommands::fail(const std::string& id, const std::string& body) const {
  const Answered answered = call("POST", "/v1/effects/" + id + "/fail", keyed(), body);
  ASSERT_EQ(answered.status, 200) << answered.body;
}

void ConsoleCommands::complete(const std::string& id, const std::string& body) const {
  const Answered answered = call("POST", "/v1/effects/" + id + "/complete", keyed(), body);
  ASSERT_EQ(answered.status, 200) << answered.body;
}

std::string ConsoleCommands::status_of(const std::string& id) const {
  return Json(call("GET", "/v1/commands/" + id).body).text("/status");
}

void ConsoleCommands::expect_only_text() const {
  EXPECT_TRUE(browser().value("window.ran === undefined").truth("/value"));
  EXPECT_EQ(count("img, script"), 1);
  EXPECT_THAT(browser().console(), testing::IsEmpty());
}

std::int64_t ConsoleCommands::count(const std::string& selector) const {
  return browser().number(
      fmt::format("document.querySelectorAll({}).length", as_literal(selector)));
}

void ConsoleCommands::wait_for_count(const std::string& selector, int count) const {
  browser().wait_for(
      fmt::format("document.querySelectorAll({}).length === {}", as_literal(selector), count));
}

void ConsoleCommands::choose(const std::string& select, const std::string& value) const {
  (void)browser().value(
      fmt::format("(document.querySelector({0}).value = {1}, "
                  "document.querySelector({0}).dispatchEvent(new Event('change', "
                  "{{bubbles: true}})))",
                  as_literal(select), as_literal(value)));
}

}  // namespace holdfast::test

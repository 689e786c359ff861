#pragma once

#include <fmt/format.h>

#include <fstream>
#include <string>

#include "support/http/http_server.hpp"

namespace holdfast::test {

/// What the tests of commands declare: a change without an effect, effects that workers lease under
/// two shields, keys of every origin, secrets, and confirmation by the caller and by another.
inline constexpr std::string_view declared_commands = R"(
[[command]]
entity = "order"
action = "note"
args = '{"type": "object", "properties": {"note": {"type": "string", "maxLength": 10}}, "additionalProperties": false}'

[[command]]
entity = "order"
action = "tag"
key_mode = "derived"

[[command]]
entity = "order"
action = "mark"
key_mode = "both"
on_reject = "release"
args = '{"type": "object", "required": ["mark"]}'

[[command]]
entity = "parcel"
action = "ship"
class = "I3"
[command.effect]
kind = "pull"
shield = "S2"
provider = "warehouse"
attempts = 2
backoff = "1ms"
backoff_max = "2ms"

[[command]]
entity = "card"
action = "charge"
class = "I3"
[command.args]
type = "object"
required = ["number"]
[command.args.properties]
number = { type = "string", pattern = "^[0-9]+$", secret = true }
amount = { type = "string" }
[command.effect]
kind = "pull"
shield = "S1"
provider = "cards"

[[command]]
entity = "account"
action = "close"
confirmation = "required"

[[command]]
entity = "account"
action = "waive"
confirmation = "required"
confirm_by = "other"
confirmation_lifetime = "1m"
)";

/// A service with commands. Requests are on connections of their own.
class CommandsService : public HttpTest {
 protected:
  void declare(std::string_view toml) const { std::ofstream(registry_file()) << toml; }
  [[nodiscard]] std::string registry_file() const { return dir_.file("test.registry.toml"); }

  void begin(http::Settings settings = {}) {
    declare(declared_commands);
    settings.registry = registry_file();
    start(std::move(settings));
  }

  [[nodiscard]] static Headers keyed(const std::string& key, Headers more = {}) {
    more.push_back({"Idempotency-Key", key});
    return more;
  }

  /// `name` is the entity and the action: `order.note`.
  [[nodiscard]] static std::string envelope(const std::string& name, const std::string& args = "{}",
                                            const std::string& more = {}) {
    const std::size_t dot = name.find('.');
    return fmt::format(R"({{"intent":{{"entity":"{}","action":"{}"}},"args":{}{}}})",
                       name.substr(0, dot), name.substr(dot + 1), args, more);
  }

  [[nodiscard]] Answered submit(const std::string& key, const std::string& body,
                                const Headers& more = {}, const std::string& query = {}) const {
    return call("POST", "/v1/commands" + query, key.empty() ? more : keyed(key, more), body);
  }
  [[nodiscard]] Answered ship(const std::string& key, const Headers& more = {}) const {
    return submit(key, envelope("parcel.ship", R"({"to":"Ada"})"), more);
  }

  [[nodiscard]] Answered lease(const std::string& key, const std::string& kind,
                               const Headers& more = {}) const {
    return call("POST", "/v1/effects/lease", keyed(key, more),
                fmt::format(R"({{"kinds":["{}"],"lease":60}})", kind));
  }
  [[nodiscard]] Answered on_effect(const std::string& key, const std::string& id,
                                   const std::string& verb, const std::string& body,
                                   const Headers& more = {}) const {
    return call("POST", fmt::format("/v1/effects/{}/{}", id, verb), keyed(key, more), body);
  }

  static void expect_refused(const Answered& answered, int status, const std::string& reason) {
    EXPECT_EQ(answered.status, status) << answered.body;
    EXPECT_EQ(Json(answered.body).text("/code"), "execution.rejected") << answered.body;
    EXPECT_EQ(Json(answered.body).text("/reason"), reason) << answered.body;
  }
};

}  // namespace holdfast::test

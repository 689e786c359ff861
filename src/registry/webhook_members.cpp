#include <algorithm>
#include <array>

#include "outbound/url.hpp"
#include "registry/drafts.hpp"
#include "registry/values.hpp"

namespace holdfast::registry {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using toml::node;

constexpr std::string_view plain_name = "a name of small letters, digits and _, at most 64";
constexpr std::string_view a_header = "the name of a header";
constexpr std::size_t forward_bytes_max = 1024;
constexpr std::size_t secrets_max = 16;

/// As a line of the file of secrets begins.
bool is_secret_name(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
  });
}

bool take_secrets(const node& value, WebhookDraft& into) {
  const toml::array* const list = value.as_array();
  if (list == nullptr || list->empty() || list->size() > secrets_max) return false;
  std::vector<std::string> names;
  for (const node& each : *list) {
    std::string name;
    if (!take_line(each, name_bytes_max, name) || !is_secret_name(name)) return false;
    names.push_back(std::move(name));
  }
  into.source.secrets = std::move(names);
  return true;
}

bool take_arguments(const node& value, WebhookDraft& into) {
  const toml::table* const table = value.as_table();
  if (table == nullptr || table->empty()) return false;
  NamedTexts args;
  for (const auto& [key, each] : *table) {
    std::optional<std::string> pointer;
    if (!take_pointer(each, pointer)) return false;
    args.emplace_back(std::string(key.str()), std::move(*pointer));
  }
  into.source.args = std::move(args);
  return true;
}

constexpr std::array webhook_table{
    Member<WebhookDraft>{
        "name", needed, plain_name, "Who sends: the last step of `/v1/webhooks/{source}`.",
        [](const node& value, WebhookDraft& into) { return take_name(value, into.source.name); }},
    Member<WebhookDraft>{
        "tenant", "`\"default\"`", "a line of at most 1024 bytes", "Whose webhooks they are.",
        [](const node& value, WebhookDraft& into) {
          return take_line(value, 1024, into.source.tenant) && !into.source.tenant.empty();
        }},
    Member<WebhookDraft>{"scheme", needed, "\"standard\", \"timestamped\", \"github\" or \"hmac\"",
                         "How they are signed: see [webhooks.md](webhooks.md).",
                         [](const node& value, WebhookDraft& into) {
                           return take_choice(value,
                                              {SchemeName::standard, SchemeName::timestamped,
                                               SchemeName::github, SchemeName::hmac},
                                              into.scheme);
                         }},
    Member<WebhookDraft>{"secrets", needed, "a list of 1 to 16 names of secrets",
                         "Names in the file of secrets. One that fits is enough: while a secret is "
                         "rotated, both are here.",
                         take_secrets},
    Member<WebhookDraft>{
        "header", "`timestamped`: `\"Stripe-Signature\"`", a_header,
        "`timestamped`, and `hmac`, which needs it: where the signature is.",
        [](const node& value, WebhookDraft& into) { return take_line(value, 64, into.header); }},
    Member<WebhookDraft>{"hash", "`\"sha256\"`", "\"sha256\" or \"sha512\"", "`hmac`.",
                         [](const node& value, WebhookDraft& into) {
                           return take_either(value, "sha256", "sha512", into.sha512);
                         }},
    Member<WebhookDraft>{"encoding", "`\"hex\"`", "\"hex\" or \"base64\"", "`hmac`.",
                         [](const node& value, WebhookDraft& into) {
                           return take_either(value, "hex", "base64", into.base64);
                         }},
    Member<WebhookDraft>{
        "prefix", "–", "a line of at most 64 bytes, such as \"sha256=\"",
        "`hmac`: what stands before the signature.",
        [](const node& value, WebhookDraft& into) { return take_line(value, 64, into.prefix); }},
    Member<WebhookDraft>{"timestamp_header", "–", a_header,
                         "`hmac`: seconds since 1970, which are signed before the body.",
                         [](const node& value, WebhookDraft& into) {
                           return take_line(value, 64, into.timestamp_header);
                         }},
    Member<WebhookDraft>{
        "event_id", "`\"/id\"`", "a JSON pointer, such as \"/id\"",
        "`timestamped`, `hmac`: where the event id is in the body.",
        [](const node& value, WebhookDraft& into) { return take_pointer(value, into.event_id); }},
    Member<WebhookDraft>{"event_id_header", "–", a_header,
                         "`timestamped`, `hmac`: it is this header instead, which is not signed.",
                         [](const node& value, WebhookDraft& into) {
                           return take_line(value, 64, into.event_id_header);
                         }},
    Member<WebhookDraft>{
        "tolerance", "`\"5m\"`", "a duration from \"1s\" to \"24h\"",
        "How far the time that was signed may be from now.",
        [](const node& value, WebhookDraft& into) {
          return take_duration(value, {seconds(1), hours(24)}, into.source.tolerance);
        }},
    Member<WebhookDraft>{
        "window", "`\"7d\"`", "a duration from \"1h\" to \"3660d\"",
        "How long an event id is recognised. At least twice `tolerance`.",
        [](const node& value, WebhookDraft& into) {
          return take_duration(value, {hours(1), hours(24 * 3660)}, into.source.window);
        }},
    Member<WebhookDraft>{"command", "–", "a command of this file, \"entity.action\"",
                         "What follows: this command is submitted.",
                         [](const node& value, WebhookDraft& into) {
                           return take_line(value, 2 * name_bytes_max + 1, into.command);
                         }},
    Member<WebhookDraft>{
        "args", "the body", "a table of JSON pointers, such as { amount = \"/n\" }",
        "`command`: its arguments, each from its place in the body.", take_arguments},
    Member<WebhookDraft>{"forward", "–",
                         "http:// or https://, a host, and a path, at most 1024 bytes in quotes",
                         "What follows: the webhook is sent on to this URL.",
                         [](const node& value, WebhookDraft& into) {
                           return take_text(value, forward_bytes_max, into.forward) &&
                                  outbound::parse_url(into.forward).has_value();
                         }},
    Member<WebhookDraft>{
        "timeout", "`\"10s\"`", "a duration from \"100ms\" to \"10m\"",
        "`forward`: how long a call may take, connecting included.",
        [](const node& value, WebhookDraft& into) {
          return take_duration(value, {milliseconds(100), minutes(10)}, into.source.timeout);
        }},
    Member<WebhookDraft>{
        "pull", "–", plain_name, "What follows: workers lease the webhook by this name.",
        [](const node& value, WebhookDraft& into) { return take_name(value, into.pull); }},
    Member<WebhookDraft>{"attempts", "`20`", "a whole number from 1 to 10000",
                         "After so many it is a dead letter.",
                         [](const node& value, WebhookDraft& into) {
                           return take_count(value, 1, 10'000, into.source.attempts_max);
                         }},
    Member<WebhookDraft>{
        "backoff", "`\"1s\"`", "a duration from \"1ms\" to \"1h\"",
        "The pause after the first attempt; it doubles, with jitter.",
        [](const node& value, WebhookDraft& into) {
          return take_duration(value, {milliseconds(1), hours(1)}, into.source.backoff);
        }},
    Member<WebhookDraft>{
        "backoff_max", "`\"30m\"`", "a duration from \"1ms\" to \"7d\"",
        "The longest pause. No shorter than `backoff`.", [](const node& value, WebhookDraft& into) {
          return take_duration(value, {milliseconds(1), hours(24 * 7)}, into.source.backoff_max);
        }}};

}  // namespace

std::string_view name(SchemeName scheme) {
  constexpr std::array names{"standard", "timestamped", "github", "hmac"};
  return names.at(static_cast<std::size_t>(scheme));
}

std::span<const Member<WebhookDraft>> webhook_members() { return webhook_table; }

}  // namespace holdfast::registry

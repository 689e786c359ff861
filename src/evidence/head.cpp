#include "evidence/head.hpp"

#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>

#include "base/json_members.hpp"
#include "base/time_text.hpp"
#include "evidence/strict_json.hpp"

namespace holdfast::evidence {
namespace {

constexpr std::string_view for_ever = "forever";
constexpr std::string_view made_member = "windows_made";

/// In the order of their names, as RFC 8785 has members.
void sort_by_name(Windows& windows) {
  std::sort(windows.begin(), windows.end(),
            [](const Window& a, const Window& b) { return name(a.operation) < name(b.operation); });
}

void write_windows(JsonWriter& json, std::string_view member, const Windows& windows) {
  json.key(member);
  json.begin_object();
  for (const Window& each : windows) {
    const std::string text = each.kept ? to_short_text(*each.kept) : std::string(for_ever);
    text_member(json, name(each.operation), text);
  }
  json.end_object();
}

/// What is not signed, and is left out of what is.
struct Unsigned {
  std::string_view consistency{};  ///< JSON; empty: none
  const Signature* signature = nullptr;
};

void write_members(JsonWriter& json, const Head& head, const PublicKey& key,
                   const Unsigned& besides) {
  text_member(json, "at", time_text(head.at));
  if (!besides.consistency.empty()) {
    json.key("consistency");
    json.raw(besides.consistency);
  }
  text_member(json, "digest", digest_function);
  text_member(json, "format", format_name);
  if (head.of) integer_member(json, "of", static_cast<std::int64_t>(*head.of));
  text_member(json, "public_key", key.hex());
  text_member(json, "root", head.root.hex());
  if (besides.signature != nullptr) text_member(json, "signature", besides.signature->hex());
  integer_member(json, "size", static_cast<std::int64_t>(head.size));
  write_windows(json, "windows", head.windows);
  if (!head.made.empty()) write_windows(json, made_member, head.made);
}

std::string signed_text(const Head& head, const PublicKey& key) {
  std::string text;
  JsonWriter json(text);
  json.begin_object();
  write_members(json, head, key, {});
  json.end_object();
  return text;
}

/// All that follow the store's window were of one, and are of one.
bool made_fits(const Windows& made, const Windows& windows) {
  std::optional<Duration> now;
  for (const Window& each : made) {
    const auto found = std::find_if(windows.begin(), windows.end(), [&](const Window& other) {
      return other.operation == each.operation;
    });
    if (!each.kept || each.kept != made.front().kept || found == windows.end() || !found->kept)
      return false;
    if (now && now != found->kept) return false;
    now = found->kept;
  }
  return true;
}

/// A head from before some operation was there has no window of it.
bool read_windows(const simdjson::dom::element& json, Windows& windows) {
  simdjson::dom::object object;
  if (json.get(object) != simdjson::SUCCESS) return false;
  for (const auto& [key, value] : object) {
    const auto operation = operation_named(key);
    std::string_view text;
    if (!operation || value.get(text) != simdjson::SUCCESS) return false;
    Window& window = windows.emplace_back(Window{*operation});
    if (text == for_ever) continue;
    window.kept = parse_duration(text);
    if (!window.kept || to_short_text(*window.kept) != text) return false;
  }
  sort_by_name(windows);
  const auto same = [](const Window& a, const Window& b) { return a.operation == b.operation; };
  return !windows.empty() &&
         std::adjacent_find(windows.begin(), windows.end(), same) == windows.end();
}

}  // namespace

Windows windows_of(const Rules& rules) {
  Windows windows;
  for (const OperationRow& each : operations()) {
    windows.push_back({each.id, rules.window_of(each.id)});
  }
  sort_by_name(windows);
  return windows;
}

Windows windows_made(const Rules& rules) {
  Windows made;
  if (!rules.history.made) return made;
  for (const OperationRow& each : operations()) {
    if (rules.follows(each.id)) made.push_back({each.id, rules.history.made});
  }
  sort_by_name(made);
  return made;
}

Rules rules_of(const Windows& windows, const Windows& made) {
  Rules rules;
  for (const Window& each : windows) {
    Policy& policy = rules.policies[each.operation];
    policy.token_class = each.kept ? TokenClass::i2_windowed : TokenClass::i1_strict;
    policy.window = each.kept;
  }
  if (made.empty()) return rules;
  rules.history.made = made.front().kept;
  rules.history.own = ~std::uint64_t{0};
  for (const Window& each : made) {
    rules.history.own &= ~(std::uint64_t{1} << static_cast<unsigned>(each.operation));
    rules.window = *rules.policies[each.operation].window;
  }
  return rules;
}

SignedHead sign(const Head& head, const SigningKey& key) {
  return {head, key.public_key(), key.sign(signed_text(head, key.public_key()))};
}

bool is_signed_by(const SignedHead& signed_head, const PublicKey& key) {
  return key.verifies(signed_text(signed_head.head, key), signed_head.signature);
}

void write_head(JsonWriter& json, const SignedHead& signed_head, std::string_view consistency) {
  json.begin_object();
  write_members(json, signed_head.head, signed_head.key, {consistency, &signed_head.signature});
  json.end_object();
}

tl::expected<SignedHead, std::string> read_head(const simdjson::dom::element& json) {
  constexpr std::size_t members = 8;
  simdjson::dom::object object;
  if (json.get(object) != simdjson::SUCCESS) return wrong("the head is not an object");
  const auto text = [&](std::string_view name) {
    std::string_view value;
    return object[name].get(value) == simdjson::SUCCESS ? value : std::string_view();
  };
  if (text("format") != format_name)
    return wrong(fmt::format("the head is not of the format {}", format_name));
  if (text("digest") != digest_function)
    return wrong(fmt::format("the head speaks of digests other than {}", digest_function));
  SignedHead read;
  const auto at = parse_rfc3339(text("at"));
  const auto root = Digest::from_hex(text("root"));
  const auto key = PublicKey::from_hex(text("public_key"));
  const auto signature = Signature::from_hex(text("signature"));
  if (!at || !root || !key || !signature)
    return wrong("the head lacks its instant, root, key or signature");
  if (object["size"].get(read.head.size) != simdjson::SUCCESS || read.head.size > INT64_MAX)
    return wrong("the head does not say how many records it is over");
  const auto windows = object["windows"];
  if (windows.error() != simdjson::SUCCESS ||
      !read_windows(windows.value_unsafe(), read.head.windows))
    return wrong("the head does not say the window of each operation");
  const auto made = object[made_member];
  const bool changed = made.error() == simdjson::SUCCESS;
  if (changed && (!read_windows(made.value_unsafe(), read.head.made) ||
                  !made_fits(read.head.made, read.head.windows)))
    return wrong("the head does not say which windows the store was made with");
  const bool has_path = object["consistency"].error() == simdjson::SUCCESS;
  const bool within = object["of"].error() == simdjson::SUCCESS;
  if (within) {
    std::uint64_t all = 0;
    if (object["of"].get(all) != simdjson::SUCCESS || all > INT64_MAX || all < read.head.size)
      return wrong("the head does not say what it is a part of");
    read.head.of = all;
  }
  if (object.size() != members + (has_path ? 1U : 0U) + (within ? 1U : 0U) + (changed ? 1U : 0U))
    return wrong("the head has a member that heads do not have");
  read.head.at = *at;
  read.head.root = *root;
  read.key = *key;
  read.signature = *signature;
  return read;
}

}  // namespace holdfast::evidence

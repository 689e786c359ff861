#include "keys/key_text.hpp"

#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>
#include <set>

#include "base/json_writer.hpp"
#include "base/time_text.hpp"
#include "domain/canonical.hpp"
#include "domain/digest.hpp"

namespace holdfast::http {
namespace {

namespace dom = simdjson::dom;

constexpr std::int64_t format_version = 1;

tl::unexpected<std::string> nonsense(std::string why) { return tl::unexpected(std::move(why)); }

void member(JsonWriter& json, std::string_view name, std::string_view text) {
  json.key(name);
  json.string(text);
}

std::string text_of(const Key& key) {
  std::string text;
  JsonWriter json(text);
  json.begin_object();
  member(json, "id", key.id);
  member(json, "tenant", key.tenant);
  member(json, "principal", key.principal);
  member(json, "role", name(key.role));
  member(json, "secret_sha256", key.secret_sha256);
  member(json, "created_at", to_rfc3339(key.created_at));
  if (key.revoked_at) member(json, "revoked_at", to_rfc3339(*key.revoked_at));
  json.end_object();
  return text;
}

bool is_id(std::string_view text) {
  return text.size() == 12 && text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

bool set_role(Key& key, std::string_view text) {
  const auto role = role_named(text);
  if (role) key.role = *role;
  return role.has_value();
}

bool set_instant(Instant& instant, std::string_view text) {
  const auto parsed = parse_rfc3339(text);
  if (parsed) instant = *parsed;
  return parsed.has_value();
}

/// Whether the member is one of a key and its text makes sense.
bool set_member(Key& key, std::string_view name, std::string_view text) {
  if (name == "id") return is_id(key.id = text);
  if (name == "tenant") return !(key.tenant = text).empty();
  if (name == "principal") return !(key.principal = text).empty();
  if (name == "role") return set_role(key, text);
  if (name == "secret_sha256") return Digest::from_hex(key.secret_sha256 = text).has_value();
  if (name == "created_at") return set_instant(key.created_at, text);
  if (name == "revoked_at") return set_instant(key.revoked_at.emplace(), text);
  return false;
}

tl::expected<Key, std::string> parse_key(const dom::element& element) {
  dom::object object;
  if (element.get(object) != simdjson::SUCCESS) return nonsense("is not an object");
  Key key;
  for (const auto& [name, value] : object) {
    std::string_view text;
    if (value.get(text) != simdjson::SUCCESS || !set_member(key, name, text)) {
      return nonsense(fmt::format("has a \"{}\" that makes no sense", name));
    }
  }
  for (const char* needed : {"id", "tenant", "principal", "role", "secret_sha256", "created_at"}) {
    if (object[needed].error() != simdjson::SUCCESS) {
      return nonsense(fmt::format("has no \"{}\"", needed));
    }
  }
  return key;
}

tl::expected<std::vector<Key>, std::string> parse_list(const dom::array& list) {
  std::vector<Key> keys;
  std::set<std::string> ids;
  for (const dom::element element : list) {
    auto key = parse_key(element);
    if (key && !ids.insert(key->id).second) {
      key = tl::unexpected(fmt::format("has the id {} of an earlier one", key->id));
    }
    if (!key) return nonsense(fmt::format("key {} {}", keys.size() + 1, key.error()));
    keys.push_back(std::move(*key));
  }
  return keys;
}

}  // namespace

std::string text_of_keys(const std::vector<Key>& keys) {
  std::string text = fmt::format("{{\"version\":{},\"keys\":[", format_version);
  for (const Key& key : keys) {
    text += &key == keys.data() ? "\n" : ",\n";
    text += text_of(key);
  }
  return text + "\n]}\n";
}

tl::expected<std::vector<Key>, std::string> parse_keys(std::string_view text) {
  // The canonical form is asked for because it exists only for text that means one thing: no member
  // twice, no broken UTF-8.
  const auto canonical = canonicalize(text, {.depth = 8, .bytes = text.size()});
  if (!canonical) {
    return nonsense("is not a file of keys: " + canonical.error().message);
  }
  dom::parser parser;
  dom::object root;
  std::int64_t version = 0;
  dom::array list;
  if (parser.parse(*canonical).get(root) != simdjson::SUCCESS ||
      root["version"].get(version) != simdjson::SUCCESS) {
    return nonsense("is not a file of keys: it has no version");
  }
  if (version != format_version) {
    return nonsense(fmt::format("is of version {}, and this program knows only version {}", version,
                                format_version));
  }
  if (root["keys"].get(list) != simdjson::SUCCESS || root.size() != 2) {
    return nonsense("is not a file of keys: it should have \"version\", \"keys\" and no more");
  }
  return parse_list(list);
}

}  // namespace holdfast::http

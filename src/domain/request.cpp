#include "domain/request.hpp"

#include <algorithm>
#include <array>

#include "base/json_writer.hpp"
#include "base/process_key.hpp"
#include "base/utf8.hpp"
#include "domain/id_text.hpp"
#include "domain/operation.hpp"

namespace holdfast {
namespace {

constexpr HashKey fingerprint_key{0x686f6c6466617374ULL, 0x66696e6765727031ULL};

/// Integers that JSON numbers cannot carry exactly are digested as strings. Such a request is
/// out of bounds anyway, but its rejection is recorded, and so it needs a digest.
void canonical_integer(JsonWriter& json, std::string_view key, std::int64_t number) {
  json.key(key);
  if (number >= -quantity_max && number <= quantity_max) return json.integer(number);
  json.string(std::to_string(number));
}

/// A name that is not UTF-8 has no canonical form; its bytes in hexadecimal have one.
void canonical_name(JsonWriter& json, std::string_view key, std::string_view name) {
  json.key(key);
  if (is_valid_utf8(name)) return json.string(name);
  json.begin_array();
  for (const char byte : name) json.integer(static_cast<unsigned char>(byte));
  json.end_array();
}

void canonical_items(JsonWriter& json, std::string_view key, const std::vector<GroupItem>& items) {
  json.key(key);
  json.begin_array();
  for (const GroupItem& each : items) {
    json.begin_object();
    canonical_integer(json, "quantity", each.quantity);
    canonical_name(json, "resource", each.resource);
    json.end_object();
  }
  json.end_array();
}

void canonical_names(JsonWriter& json, std::string_view key,
                     const std::vector<std::string>& names) {
  json.key(key);
  json.begin_array();
  for (const std::string& each : names) json.string(each);
  json.end_array();
}

void write_field(JsonWriter& json, const Parameter& field, const void* parameters) {
  switch (field.type) {
    case ParameterType::name:
      return canonical_name(json, field.canonical, field.of<std::string>(parameters));
    case ParameterType::integer:
      return canonical_integer(json, field.canonical, field.of<std::int64_t>(parameters));
    case ParameterType::duration:
      return canonical_integer(json, field.canonical, field.of<Duration>(parameters).count());
    case ParameterType::hold:
      json.key(field.canonical);
      return json.string(text_of(field.of<HoldId>(parameters)));
    case ParameterType::group:
      json.key(field.canonical);
      return json.string(field.of<GroupId>(parameters).text());
    case ParameterType::part:
      return canonical_integer(json, field.canonical,
                               *field.of<std::optional<std::int64_t>>(parameters));
    case ParameterType::flag:
      json.key(field.canonical);
      return json.boolean(field.of<bool>(parameters));
    case ParameterType::items:
      return canonical_items(json, field.canonical, field.of<std::vector<GroupItem>>(parameters));
    case ParameterType::text:
      return canonical_name(json, field.canonical, field.of<std::string>(parameters));
    case ParameterType::json:
      json.key(field.canonical);
      return json.raw(field.of<std::string>(parameters));
    case ParameterType::names:
      return canonical_names(json, field.canonical, field.of<std::vector<std::string>>(parameters));
  }
}

void write_parameters(JsonWriter& json, const Command& command) {
  json.begin_object();
  for (const Parameter* each : canonical_fields(command.operation())) {
    if (!is_left_out(*each, command.parameters())) write_field(json, *each, command.parameters());
  }
  json.end_object();
}

}  // namespace

std::string canonical_parameters(const Command& command) {
  std::string text;
  JsonWriter json(text);
  write_parameters(json, command);
  return text;
}

Hash128 key_of(std::string_view tenant, std::string_view token) {
  return siphash128(process_key(), tenant, token);
}

Hash128 nonce_key_of(std::string_view tenant, std::string_view nonce) {
  HashKey key = process_key();
  key[1] ^= 0x6e6f6e6365ULL;
  return siphash128(key, tenant, nonce);
}

Hash128 fingerprint_of(Operation operation, std::string_view principal, const Digest& digest) {
  std::array<char, 33> bytes{};
  bytes[0] = static_cast<char>(operation);
  std::copy(digest.bytes.begin(), digest.bytes.end(), bytes.begin() + 1);
  return siphash128(fingerprint_key, principal, {bytes.data(), bytes.size()});
}

namespace {

Digest digest_of(const Command& command) {
  const OperationSpec* const spec = find_spec(command.operation());
  if (spec != nullptr && spec->canonical != nullptr)
    return sha256(spec->canonical(command.parameters()));
  thread_local std::string text;
  text.clear();
  JsonWriter json(text);
  write_parameters(json, command);
  return sha256(text);
}

}  // namespace

void digest(Request& request) {
  request.digest = digest_of(request.command());
  request.key = key_of(request.tenant(), request.token());
  request.fingerprint =
      fingerprint_of(request.command().operation(), request.call.caller.principal, request.digest);
  if (!request.call.nonce.empty()) {
    request.nonce_key = nonce_key_of(request.tenant(), request.call.nonce);
  }
}

Request make_request(Call call) {
  Request request{.call = std::move(call)};
  digest(request);
  return request;
}

Token derive_token(const Caller& caller, const Command& command) {
  std::string text;
  JsonWriter json(text);
  json.begin_object();
  json.key("actor");
  json.string(caller.principal);
  json.key("args");
  write_parameters(json, command);
  json.key("operation");
  json.string(name(command.operation()));
  json.key("tenant");
  json.string(caller.tenant);
  json.end_object();
  return Token(sha256(text).hex());
}

}  // namespace holdfast

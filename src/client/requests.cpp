#include "client/requests.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/json_members.hpp"
#include "base/time_text.hpp"
#include "client/token_text.hpp"
#include "client/url.hpp"

namespace holdfast::client {
namespace {

constexpr std::int64_t second_us = 1'000'000;
constexpr std::size_t page_items_max = 1000;  // a server refuses to be asked for more

/// ISO 8601 is exact to the microsecond. It knows nothing below zero; that is for the engine to
/// refuse, so it goes as a number.
void write_duration(JsonWriter& json, Duration duration) {
  const std::int64_t us = duration.count();
  json.key("duration");
  if (us < 0) return json.number(static_cast<double>(us) / second_us);
  json.string(us % second_us == 0 ? fmt::format("PT{}S", us / second_us)
                                  : fmt::format("PT{}.{:06}S", us / second_us, us % second_us));
}

/// `in_batch`: with what otherwise stands in the address.
void write_parameters(JsonWriter& json, const Command& command, bool in_batch) {
  json.begin_object();
  switch (command.operation) {
    case Operation::hold_place:
      text_member(json, "resource", command.resource);
      text_member(json, "requester", command.requester);
      write_duration(json, command.duration);
      integer_member(json, "quantity", command.quantity);
      break;
    case Operation::resource_declare:
      if (in_batch) text_member(json, "resource", command.resource);
      integer_member(json, "capacity", command.capacity);
      break;
    default:
      if (in_batch) text_member(json, "id", command.hold.text());
  }
  json.end_object();
}

Request address_of(const Command& command) {
  const auto resolving = [&](std::string_view verb) {
    return Request{.method = "POST",
                   .target = fmt::format("/v1/holds/{}/{}", command.hold.text(), verb)};
  };
  switch (command.operation) {
    case Operation::hold_confirm:
      return resolving("confirm");
    case Operation::hold_release:
      return resolving("release");
    case Operation::hold_expire:
      return resolving("expire");
    case Operation::resource_declare:
      return {.method = "PUT", .target = "/v1/resources/" + percent_encoded(command.resource)};
    default:
      return {.method = "POST", .target = "/v1/holds"};
  }
}

}  // namespace

Request request_of(const Call& call) {
  Request request = address_of(call.command);
  JsonWriter json(request.body);
  write_parameters(json, call.command, false);
  const auto add = [&](std::string_view name, std::string value) {
    if (!value.empty()) request.headers.emplace_back(name, std::move(value));
  };
  add("Idempotency-Key", to_key(call.token.bytes()));
  add("X-Confirmation", call.confirmation);
  add("X-Nonce", call.nonce);
  return request;
}

std::string batch_item(const Call& call) {
  std::string text;
  JsonWriter json(text);
  json.begin_object();
  if (!call.token.bytes().empty()) text_member(json, "token", call.token.bytes());
  text_member(json, "operation", name(call.command.operation));
  json.key("params");
  write_parameters(json, call.command, true);
  if (!call.nonce.empty()) text_member(json, "nonce", call.nonce);
  if (!call.confirmation.empty()) text_member(json, "confirmation", call.confirmation);
  json.end_object();
  return text;
}

Request batch_request(std::span<const std::string> items) {
  Request request{.method = "POST", .target = "/v1/batch"};
  JsonWriter json(request.body);
  json.begin_object();
  json.key("operations");
  json.begin_array();
  for (const std::string& each : items) json.raw(each);
  json.end_array();
  json.end_object();
  return request;
}

Request hold_request(HoldId id) { return {.target = "/v1/holds/" + id.text()}; }

Request holds_request(const HoldQuery& query) {
  std::string target = "/v1/holds";
  if (query.resource) add_query(target, "resource", *query.resource);
  if (query.requester) add_query(target, "requester", *query.requester);
  if (query.state) add_query(target, "state", name(*query.state));
  if (query.placed_after) add_query(target, "placed_after", to_rfc3339(*query.placed_after));
  if (!query.cursor.empty()) add_query(target, "cursor", query.cursor);
  add_query(target, "limit", std::to_string(std::min(query.limit, page_items_max)));
  return {.target = std::move(target)};
}

Request token_request(const Token& token) {
  return {.target = "/v1/tokens/" + percent_encoded(token.bytes())};
}

Request resource_request(std::string_view name) {
  return {.target = "/v1/resources/" + percent_encoded(name)};
}

Request resources_request(const ResourceQuery& query) {
  std::string target = "/v1/resources";
  if (!query.cursor.empty()) add_query(target, "cursor", query.cursor);
  add_query(target, "limit", std::to_string(std::min(query.limit, page_items_max)));
  return {.target = std::move(target)};
}

std::optional<Request> document_request(std::string_view address) {
  const bool sound = address.starts_with('/') &&
                     std::all_of(address.begin(), address.end(),
                                 [](char c) { return c > ' ' && c < '\x7f' && c != '#'; });
  if (!sound) return std::nullopt;
  return Request{.target = std::string(address)};
}

}  // namespace holdfast::client

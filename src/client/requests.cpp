#include "client/requests.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/json_members.hpp"
#include "base/time_text.hpp"
#include "client/token_text.hpp"
#include "client/url.hpp"
#include "domain/operation.hpp"

namespace holdfast::client {
namespace {

constexpr std::int64_t second_us = 1'000'000;

/// ISO 8601 is exact to the microsecond. It knows nothing below zero; that is for the engine to
/// refuse, so it goes as a number.
void write_duration(JsonWriter& json, Duration duration) {
  const std::int64_t us = duration.count();
  if (us < 0) return json.number(static_cast<double>(us) / second_us);
  json.string(us % second_us == 0 ? fmt::format("PT{}S", us / second_us)
                                  : fmt::format("PT{}.{:06}S", us / second_us, us % second_us));
}

void write_items(JsonWriter& json, const std::vector<GroupItem>& items) {
  json.begin_array();
  for (const GroupItem& each : items) {
    json.begin_object();
    text_member(json, "resource", each.resource);
    integer_member(json, "quantity", each.quantity);
    json.end_object();
  }
  json.end_array();
}

void write_names(JsonWriter& json, const std::vector<std::string>& names) {
  json.begin_array();
  for (const std::string& each : names) json.string(each);
  json.end_array();
}

void write_field(JsonWriter& json, const Parameter& field, const void* parameters) {
  json.key(field.name);
  switch (field.type) {
    case ParameterType::name:
      return json.string(field.of<std::string>(parameters));
    case ParameterType::integer:
      return json.integer(field.of<std::int64_t>(parameters));
    case ParameterType::duration:
      return write_duration(json, field.of<Duration>(parameters));
    case ParameterType::hold:
      return json.string(field.of<HoldId>(parameters).text());
    case ParameterType::group:
      return json.string(field.of<GroupId>(parameters).text());
    case ParameterType::part:
      return json.integer(*field.of<std::optional<std::int64_t>>(parameters));
    case ParameterType::flag:
      return json.boolean(field.of<bool>(parameters));
    case ParameterType::items:
      return write_items(json, field.of<std::vector<GroupItem>>(parameters));
    case ParameterType::text:
      return json.string(field.of<std::string>(parameters));
    case ParameterType::json:
      return json.raw(field.of<std::string>(parameters));
    case ParameterType::names:
      return write_names(json, field.of<std::vector<std::string>>(parameters));
  }
}

/// `in_batch`: with what otherwise stands in the address.
void write_parameters(JsonWriter& json, const Command& command, bool in_batch) {
  std::string_view within;  // fields of one object follow each other
  json.begin_object();
  for (const Parameter& each : spec_of(command.operation()).fields) {
    const bool written = in_batch || each.position == Position::body;
    if (!written || is_left_out(each, command.parameters())) continue;
    if (each.within != within) {
      if (!within.empty()) json.end_object();
      if (!each.within.empty()) {
        json.key(each.within);
        json.begin_object();
      }
      within = each.within;
    }
    write_field(json, each, command.parameters());
  }
  if (!within.empty()) json.end_object();
  json.end_object();
}

std::string path_text(const Parameter& field, const void* parameters) {
  if (field.type == ParameterType::hold) return field.of<HoldId>(parameters).text();
  if (field.type == ParameterType::group) return field.of<GroupId>(parameters).text();
  return percent_encoded(field.of<std::string>(parameters));
}

/// The pattern, with the parameters that stand in the path in place of its braces.
std::string target_of(const Command& command) {
  const OperationSpec& spec = spec_of(command.operation());
  std::string target(spec.address.pattern);
  for (const Parameter& each : spec.fields) {
    if (each.position != Position::path) continue;
    const std::size_t open = target.find('{');
    target.replace(open, target.find('}', open) + 1 - open, path_text(each, command.parameters()));
  }
  return target;
}

Request address_of(const Command& command) {
  return {.method = spec_of(command.operation()).address.method, .target = target_of(command)};
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
  text_member(json, "operation", name(call.command.operation()));
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
  if (query.resource_prefix) add_query(target, "resource_prefix", *query.resource_prefix);
  if (query.requester) add_query(target, "requester", *query.requester);
  if (query.state) add_query(target, "state", name(*query.state));
  if (query.placed_after) add_query(target, "placed_after", to_rfc3339(*query.placed_after));
  if (!query.cursor.empty()) add_query(target, "cursor", query.cursor);
  add_query(target, "limit", std::to_string(page_items(query.limit)));
  return {.target = std::move(target)};
}

Request token_request(const Token& token) {
  return {.target = "/v1/tokens/" + percent_encoded(token.bytes())};
}

Request resource_request(std::string_view name) {
  return {.target = "/v1/resources/" + percent_encoded(name)};
}

/// Written as the call would be, but for the token.
Request try_request(const Placing& what) {
  const Command command(what);
  Request request = address_of(command);
  request.target += "?dry_run=true";
  JsonWriter json(request.body);
  write_parameters(json, command, false);
  return request;
}

Request availability_request(std::string_view name) {
  return {.target = "/v1/resources/" + percent_encoded(name) + "/availability"};
}

Request group_request(GroupId id) { return {.target = "/v1/groups/" + id.text()}; }

Request resources_request(const ResourceQuery& query) {
  std::string target = "/v1/resources";
  if (query.prefix) add_query(target, "prefix", *query.prefix);
  if (!query.cursor.empty()) add_query(target, "cursor", query.cursor);
  add_query(target, "limit", std::to_string(page_items(query.limit)));
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

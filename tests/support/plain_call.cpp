#include "support/plain_call.hpp"

#include <charconv>
#include <stdexcept>

#include "base/hex.hpp"
#include "base/json_members.hpp"
#include "base/utf8.hpp"

namespace holdfast::test {
namespace {

using simdjson::dom::element;

void bytes_in_json(JsonWriter& json, std::string_view member, std::string_view bytes) {
  json.key(member);
  if (is_valid_utf8(bytes)) return json.string(bytes);
  json.begin_object();
  text_member(json, "hex", to_hex(bytes));
  json.end_object();
}

std::string bytes_from(const element& json) {
  std::string_view text;
  if (json.get(text) == simdjson::SUCCESS) return std::string(text);
  const std::string_view digits = json["hex"];
  std::string bytes(digits.size() / 2, '\0');
  if (!from_hex(digits, bytes)) throw std::runtime_error("these are no bytes in hexadecimal");
  return bytes;
}

std::uint64_t hex_number(std::string_view digits) {
  std::uint64_t number = 0;
  const auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), number, 16);
  if (error != std::errc() || end != digits.data() + digits.size() || digits.empty())
    throw std::runtime_error("this is no number in hexadecimal");
  return number;
}

/// Also of ids that are never given out, which `HoldId::parse` refuses.
HoldId id_from(std::string_view text) {
  const std::size_t dash = text.find('-');
  if (!text.starts_with('h') || dash == std::string_view::npos)
    throw std::runtime_error("this is no id of a hold");
  return {hex_number(text.substr(1, dash - 1)), hex_number(text.substr(dash + 1))};
}

void write_items(JsonWriter& json, const std::vector<GroupItem>& items) {
  json.key("items");
  json.begin_array();
  for (const GroupItem& each : items) {
    json.begin_object();
    bytes_in_json(json, "resource", each.resource);
    integer_member(json, "quantity", each.quantity);
    json.end_object();
  }
  json.end_array();
}

std::vector<GroupItem> items_from(const element& json) {
  std::vector<GroupItem> items;
  for (const element& each : json.get_array())
    items.push_back({bytes_from(each["resource"]), std::int64_t(each["quantity"])});
  return items;
}

void write_parameters_of(JsonWriter& json, const PlainCall& plain) {
  switch (plain.operation) {
    case Operation::hold_place:
      bytes_in_json(json, "resource", plain.resource);
      bytes_in_json(json, "requester", plain.requester);
      integer_member(json, "duration_us", plain.duration_us);
      return integer_member(json, "quantity", plain.quantity);
    case Operation::hold_confirm:
    case Operation::hold_cancel:
      text_member(json, "hold", plain.hold.text());
      if (plain.part) integer_member(json, "part", *plain.part);
      if (!plain.final) return;
      json.key("final");
      return json.boolean(true);
    case Operation::hold_release:
    case Operation::hold_expire:
    case Operation::group_confirm:
    case Operation::group_release:
      return text_member(json, "hold", plain.hold.text());
    case Operation::hold_extend:
    case Operation::group_extend:
      text_member(json, "hold", plain.hold.text());
      return integer_member(json, "duration_us", plain.duration_us);
    case Operation::group_place:
      bytes_in_json(json, "requester", plain.requester);
      integer_member(json, "duration_us", plain.duration_us);
      return write_items(json, plain.items);
    case Operation::resource_declare:
      bytes_in_json(json, "resource", plain.resource);
      return integer_member(json, "capacity", plain.capacity);
    case Operation::none:
      return;
  }
}

}  // namespace

Call call_of(const PlainCall& plain) {
  Call call;
  call.token = Token(plain.token);
  call.caller = plain.caller;
  call.nonce = plain.nonce;
  call.confirmation = plain.confirmation;
  switch (plain.operation) {
    case Operation::hold_place:
      call.command = Command::place({.resource = plain.resource,
                                     .requester = plain.requester,
                                     .duration = Duration(plain.duration_us),
                                     .quantity = plain.quantity});
      break;
    case Operation::hold_confirm:
      call.command =
          Command(Confirming{.hold = plain.hold, .quantity = plain.part, .final = plain.final});
      break;
    case Operation::hold_release:
      call.command = Command::release(plain.hold);
      break;
    case Operation::hold_expire:
      call.command = Command::expire(plain.hold);
      break;
    case Operation::resource_declare:
      call.command = Command::declare(plain.resource, plain.capacity);
      break;
    case Operation::hold_extend:
      call.command =
          Command(Extending{.hold = plain.hold, .duration = Duration(plain.duration_us)});
      break;
    case Operation::hold_cancel:
      call.command = Command(Cancelling{.hold = plain.hold, .quantity = plain.part});
      break;
    case Operation::group_place:
      call.command = Command(Grouping{.requester = plain.requester,
                                      .duration = Duration(plain.duration_us),
                                      .holds = plain.items});
      break;
    case Operation::group_confirm:
      call.command = Command(GroupConfirming{{plain.hold}});
      break;
    case Operation::group_release:
      call.command = Command(GroupReleasing{{plain.hold}});
      break;
    case Operation::group_extend:
      call.command =
          Command(GroupExtending{.group = {plain.hold}, .duration = Duration(plain.duration_us)});
      break;
    case Operation::none:
      break;
  }
  return call;
}

std::string json_of(const PlainCall& plain) {
  std::string text;
  JsonWriter json(text);
  json.begin_object();
  text_member(json, "operation",
              plain.operation == Operation::none ? "none" : name(plain.operation));
  write_parameters_of(json, plain);
  bytes_in_json(json, "tenant", plain.caller.tenant);
  bytes_in_json(json, "principal", plain.caller.principal);
  bytes_in_json(json, "token", plain.token);
  if (!plain.nonce.empty()) bytes_in_json(json, "nonce", plain.nonce);
  if (!plain.confirmation.empty()) bytes_in_json(json, "confirmation", plain.confirmation);
  json.end_object();
  return text;
}

PlainCall plain_call_of(const element& json) {
  PlainCall plain;
  for (const auto& [member, value] : json.get_object()) {
    if (member == "operation") {
      plain.operation = operation_named(std::string_view(value)).value_or(Operation::none);
    } else if (member == "resource") {
      plain.resource = bytes_from(value);
    } else if (member == "requester") {
      plain.requester = bytes_from(value);
    } else if (member == "duration_us") {
      plain.duration_us = value;
    } else if (member == "quantity") {
      plain.quantity = value;
    } else if (member == "hold") {
      plain.hold = id_from(std::string_view(value));
    } else if (member == "part") {
      plain.part = std::int64_t(value);
    } else if (member == "final") {
      plain.final = bool(value);
    } else if (member == "items") {
      plain.items = items_from(value);
    } else if (member == "capacity") {
      plain.capacity = value;
    } else if (member == "tenant") {
      plain.caller.tenant = bytes_from(value);
    } else if (member == "principal") {
      plain.caller.principal = bytes_from(value);
    } else if (member == "token") {
      plain.token = bytes_from(value);
    } else if (member == "nonce") {
      plain.nonce = bytes_from(value);
    } else if (member == "confirmation") {
      plain.confirmation = bytes_from(value);
    } else {
      throw std::runtime_error("a call has no member " + std::string(member));
    }
  }
  return plain;
}

}  // namespace holdfast::test

#include "domain/group_document.hpp"

#include <fmt/format.h>
#include <simdjson.h>

#include "base/json_members.hpp"
#include "base/time_text.hpp"
#include "domain/answer.hpp"
#include "domain/id_text.hpp"

namespace holdfast {
namespace {

namespace dom = simdjson::dom;

/// A hold as answers show it, members in the order of RFC 8785.
void write_hold(JsonWriter& json, const Hold& hold) {
  const std::string resolved =
      hold.resolved_at ? fmt::format("{}_at", name(hold.state)) : std::string();
  json.begin_object();
  if (hold.state == HoldState::confirmed) text_member(json, resolved, time_text(*hold.resolved_at));
  if (hold.state == HoldState::expired) text_member(json, resolved, time_text(*hold.resolved_at));
  text_member(json, "expires_at", time_text(hold.expires_at));
  integer_member(json, "fence", static_cast<std::int64_t>(hold.fence()));
  if (hold.group) text_member(json, "group", hold.group->text());
  text_member(json, "id", text_of(hold.id));
  text_member(json, "placed_at", time_text(hold.placed_at));
  integer_member(json, "quantity", hold.quantity);
  integer_member(json, "quantity_cancelled", hold.quantity_cancelled);
  integer_member(json, "quantity_confirmed", hold.quantity_confirmed);
  integer_member(json, "quantity_released", hold.quantity_released());
  if (hold.state == HoldState::released) text_member(json, resolved, time_text(*hold.resolved_at));
  text_member(json, "requester", hold.requester);
  text_member(json, "resource", hold.resource);
  text_member(json, "state", name(hold.state));
  json.end_object();
}

template <typename T>
std::optional<T> value_in(const dom::element& object, std::string_view name) {
  T value{};
  if (object[name].get(value) != simdjson::SUCCESS) return std::nullopt;
  return value;
}

std::optional<Instant> instant_in(const dom::element& object, std::string_view name) {
  const auto text = value_in<std::string_view>(object, name);
  return text ? parse_rfc3339(*text) : std::nullopt;
}

std::optional<Hold> read_hold(const dom::element& object) {
  using Text = std::string_view;
  const auto id = HoldId::parse(value_in<Text>(object, "id").value_or(""));
  const auto state = hold_state_named(value_in<Text>(object, "state").value_or(""));
  const auto placed_at = instant_in(object, "placed_at");
  const auto expires_at = instant_in(object, "expires_at");
  if (!id || !state || !placed_at || !expires_at) return std::nullopt;
  const auto number = [&](Text name) { return value_in<std::int64_t>(object, name).value_or(0); };
  return Hold{.id = *id,
              .resource = std::string(value_in<Text>(object, "resource").value_or("")),
              .requester = std::string(value_in<Text>(object, "requester").value_or("")),
              .quantity = number("quantity"),
              .state = *state,
              .placed_at = *placed_at,
              .expires_at = *expires_at,
              .resolved_at = instant_in(object, fmt::format("{}_at", name(*state))),
              .quantity_confirmed = number("quantity_confirmed"),
              .quantity_cancelled = number("quantity_cancelled"),
              .group = GroupId::parse(value_in<Text>(object, "group").value_or(""))};
}

}  // namespace

std::string group_document(GroupId group, std::span<const HoldRow> holds) {
  std::string text;
  JsonWriter json(text);
  json.begin_object();
  json.key("holds");
  json.begin_array();
  for (const HoldRow& each : holds) write_hold(json, hold_of(each));
  json.end_array();
  text_member(json, "id", group.text());
  json.end_object();
  return text;
}

std::string shortage_document(const std::vector<Shortage>& shortages) {
  std::string text;
  JsonWriter json(text);
  json.begin_object();
  json.key("short");
  json.begin_array();
  for (const Shortage& each : shortages) {
    json.begin_object();
    integer_member(json, "asked", each.asked);
    integer_member(json, "free", each.free);
    text_member(json, "resource", each.resource);
    json.end_object();
  }
  json.end_array();
  json.end_object();
  return text;
}

std::string_view shortages_in(std::string_view document) {
  constexpr std::string_view before = R"({"short":)";
  if (!document.starts_with(before)) return {};
  return document.substr(before.size(), document.size() - before.size() - 1);
}

std::vector<Shortage> shortages_of(std::string_view document) {
  thread_local dom::parser parser;
  std::vector<Shortage> shortages;
  dom::array all;
  if (shortages_in(document).empty() ||
      parser.parse(document.data(), document.size())["short"].get(all) != simdjson::SUCCESS) {
    return shortages;
  }
  for (const dom::element& each : all) {
    shortages.push_back({std::string(value_in<std::string_view>(each, "resource").value_or("")),
                         value_in<std::int64_t>(each, "asked").value_or(0),
                         value_in<std::int64_t>(each, "free").value_or(0)});
  }
  return shortages;
}

std::optional<Group> group_in(const Answer& answer) {
  thread_local dom::parser parser;
  dom::element root;
  dom::array holds;
  if (parser.parse(answer.document).get(root) != simdjson::SUCCESS ||
      root["holds"].get(holds) != simdjson::SUCCESS) {
    return std::nullopt;
  }
  const auto id = GroupId::parse(value_in<std::string_view>(root, "id").value_or(""));
  if (!id) return std::nullopt;
  Group group{.id = *id, .holds = {}};
  for (const dom::element& each : holds) {
    auto hold = read_hold(each);
    if (!hold) return std::nullopt;
    group.holds.push_back(std::move(*hold));
  }
  return group;
}

}  // namespace holdfast

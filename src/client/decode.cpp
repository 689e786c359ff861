#include "client/decode.hpp"

#include <fmt/format.h>

namespace holdfast::client {
namespace {

template <typename Item, typename Decode>
std::optional<Page<Item>> decode_page(const Json& json, const Decode& decode) {
  const auto items = json.array("items");
  if (!items) return std::nullopt;
  Page<Item> page{.items = {}, .next = json.text("next").value_or("")};
  page.items.reserve(items->size());
  for (const Json& each : *items) {
    auto item = decode(each);
    if (!item) return std::nullopt;
    page.items.push_back(std::move(*item));
  }
  return page;
}

}  // namespace

std::optional<Hold> decode_hold(const Json& json) {
  const auto id = HoldId::parse(json.text("id").value_or(""));
  auto resource = json.text("resource");
  auto requester = json.text("requester");
  const auto quantity = json.integer("quantity");
  const auto state = hold_state_named(json.text("state").value_or(""));
  const auto placed_at = json.instant("placed_at");
  const auto expires_at = json.instant("expires_at");
  if (!id || !resource || !requester || !quantity || !state || !placed_at || !expires_at) {
    return std::nullopt;
  }
  Hold hold{.id = *id,
            .resource = std::move(*resource),
            .requester = std::move(*requester),
            .quantity = *quantity,
            .state = *state,
            .placed_at = *placed_at,
            .expires_at = *expires_at,
            .resolved_at = std::nullopt,
            .quantity_confirmed = json.integer("quantity_confirmed").value_or(0),
            .quantity_cancelled = json.integer("quantity_cancelled").value_or(0),
            .group = GroupId::parse(json.text("group").value_or(""))};
  if (*state == HoldState::held) return hold;
  hold.resolved_at = json.instant(fmt::format("{}_at", name(*state)));
  return hold.resolved_at ? std::optional(std::move(hold)) : std::nullopt;
}

std::optional<HoldDetails> decode_hold_details(const Json& json) {
  auto hold = decode_hold(json);
  if (!hold) return std::nullopt;
  return HoldDetails{.hold = std::move(*hold),
                     .token = json.bytes("token").value_or(""),
                     .lapsed = json.truth("lapsed").value_or(false)};
}

std::optional<Resource> decode_resource(const Json& json) {
  auto name = json.text("name");
  const auto capacity = json.integer("capacity");
  const auto declared = json.truth("declared");
  if (!name || !capacity || !declared) return std::nullopt;
  return Resource{.name = std::move(*name),
                  .capacity = *capacity,
                  .in_use = json.integer("in_use").value_or(0),
                  .declared = *declared};
}

std::optional<Availability> decode_availability(const Json& json) {
  auto resource = json.text("resource");
  const auto capacity = json.integer("capacity");
  const auto held = json.integer("held");
  const auto confirmed = json.integer("confirmed");
  if (!resource || !capacity || !held || !confirmed) return std::nullopt;
  return Availability{.resource = std::move(*resource),
                      .capacity = *capacity,
                      .held = *held,
                      .confirmed = *confirmed,
                      .next_expiry = json.instant("next_expiry")};
}

std::optional<Answer> decode_tried(const Json& json) {
  auto resource = json.text("resource");
  auto requester = json.text("requester");
  const auto quantity = json.integer("quantity");
  const auto placed_at = json.instant("placed_at");
  const auto expires_at = json.instant("expires_at");
  if (!resource || !requester || !quantity || !placed_at || !expires_at) return std::nullopt;
  Answer answer;
  answer.operation = Placing::operation;
  answer.hold = Hold{.id = {},
                     .resource = std::move(*resource),
                     .requester = std::move(*requester),
                     .quantity = *quantity,
                     .state = HoldState::held,
                     .placed_at = *placed_at,
                     .expires_at = *expires_at,
                     .resolved_at = std::nullopt};
  return answer;
}

std::optional<Group> decode_group(const Json& json) {
  const auto id = GroupId::parse(json.text("id").value_or(""));
  const auto holds = json.array("holds");
  if (!id || !holds) return std::nullopt;
  Group group{.id = *id, .holds = {}};
  for (const Json& each : *holds) {
    auto hold = decode_hold(each);
    if (!hold) return std::nullopt;
    group.holds.push_back(std::move(*hold));
  }
  return group;
}

std::optional<Page<HoldDetails>> decode_holds(const Json& json) {
  return decode_page<HoldDetails>(json, decode_hold_details);
}

std::optional<Page<Resource>> decode_resources(const Json& json) {
  return decode_page<Resource>(json, decode_resource);
}

}  // namespace holdfast::client

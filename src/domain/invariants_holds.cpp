#include "domain/invariants_holds.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "domain/operation.hpp"

namespace holdfast::audit {
namespace {

constexpr std::uint64_t ordinal_max = INT64_MAX;
constexpr std::uint64_t salt_end = std::uint64_t{1} << 60U;

bool is_id(const HoldId& id) {
  return id.ordinal >= 1 && id.ordinal <= ordinal_max && id.salt < salt_end;
}

bool is_name(std::string_view name) {
  return name.size() <= name_bytes_max &&
         name.find_first_not_of(" \t\r\n\v\f") != std::string_view::npos;
}

bool is_quantity(std::int64_t number) { return number >= 1 && number <= quantity_max; }

/// What a hold takes away from its resource: a damaged quantity takes nothing.
std::int64_t weight(std::int64_t quantity) { return is_quantity(quantity) ? quantity : 0; }

bool frees(HoldState state) { return state == HoldState::released || state == HoldState::expired; }

}  // namespace

void HoldBooks::see(const Record& record) {
  switch (record.kind) {
    case RecordKind::placed:
      return place(record);
    case RecordKind::confirmed:
      return resolve(record, HoldState::confirmed);
    case RecordKind::released:
      return resolve(record, HoldState::released);
    case RecordKind::expired:
      return resolve(record, HoldState::expired);
    case RecordKind::extended:
      return extend(record);
    case RecordKind::partly_confirmed:
      return confirm_part(record);
    case RecordKind::cancelled:
      return cancel(record);
    case RecordKind::declared:
      return declare(record);
    case RecordKind::rejected:
      return refuse(record);
    default:
      return;  // nothing about holds
  }
}

void HoldBooks::place(const Record& record) {
  const std::int64_t at_us = us(record.at);
  findings_.check(Invariant::pc_4, is_id(record.hold), record,
                  [] { return "a hold was placed under something that is no id"; });
  findings_.check(Invariant::pc_6, at_us < us(record.expires_at), record, [&] {
    return fmt::format("placed at {}, to expire at {}", when(at_us), when(us(record.expires_at)));
  });
  const bool sound = is_name(record.resource) && is_name(record.requester) &&
                     is_quantity(record.quantity) && !record.rejection;
  findings_.check(Invariant::ir_5, sound, record, [&] {
    return fmt::format("placed what cannot be: {} of {} for {}", record.quantity,
                       in_quotes(record.resource), in_quotes(record.requester));
  });

  const auto [found, fresh] = holds_.try_emplace(record.hold.ordinal);
  HoldBook& hold = found->second;
  findings_.check(Invariant::pc_9, fresh, record,
                  [] { return "this id already names another hold"; });
  if (!fresh) return check_unchanged(record, hold);

  hold = {.salt = record.hold.salt,
          .requester = names_.of(record.requester),
          .placed_us = at_us,
          .expires_us = us(record.expires_at),
          .quantity = record.quantity,
          .resource = resource_of(record)};
  ResourceBook& resource = resources_[hold.resource];
  let_lapse(resource, at_us);
  if (at_us < hold.expires_us) occupy(hold, record.hold.ordinal);
  check_capacity(record, resource);
}

HoldBooks::HoldBook* HoldBooks::changed(const Record& record, std::string_view how) {
  const auto found = holds_.find(record.hold.ordinal);
  const bool known = found != holds_.end();
  findings_.check(Invariant::pc_2, known, record,
                  [&] { return fmt::format("{}, but no record before this one placed it", how); });
  if (!known) return nullptr;
  check_unchanged(record, found->second);
  let_lapse(resources_[found->second.resource], us(record.at));
  return &found->second;
}

void HoldBooks::resolve(const Record& record, HoldState to) {
  if (frees(to)) {
    const auto found = holds_.find(record.hold.ordinal);
    const bool known = found != holds_.end();
    const bool held = known && found->second.state == HoldState::held;
    findings_.check(Invariant::cap_2, held, record, [&] {
      const auto from = known ? name(found->second.state) : "never held";
      return fmt::format("{} returns a quantity, but the hold was {}", name(to), from);
    });
  }
  HoldBook* const hold = changed(record, name(to));
  if (hold == nullptr) return;
  check_resolution(record, *hold, to);
  if (hold->state != HoldState::held) return;

  ResourceBook& resource = resources_[hold->resource];
  const std::int64_t rest = hold->held();
  const bool whole = to == HoldState::confirmed && record.quantity == 0;
  const std::int64_t kept = whole ? rest : to == HoldState::confirmed ? record.quantity : 0;
  if (to == HoldState::confirmed && !whole) check_taken(record, rest, "confirms");
  vacate(*hold);  // what was held of it; confirmed after it had lapsed is wrong, but it keeps it
  hold->state = to;
  const std::int64_t taken = std::min(weight(kept), rest);  // no more than was there
  hold->confirmed += taken;
  resource.occupied += taken;
  if (!frees(to)) check_capacity(record, resource);
}

void HoldBooks::extend(const Record& record) {
  HoldBook* const hold = changed(record, "extended");
  if (hold == nullptr) return;
  check_still_held(record, *hold, "extended");
  const std::int64_t expires_us = us(record.expires_at);
  findings_.check(Invariant::pc_5, expires_us >= hold->expires_us, record, [&] {
    return fmt::format("extended to {}, before {}", when(expires_us), when(hold->expires_us));
  });
  if (hold->state != HoldState::held || expires_us <= hold->expires_us) return;
  const bool lapsed = !hold->occupies;
  hold->expires_us = expires_us;
  if (!lapsed) return await_lapse(*hold, record.hold.ordinal);
  occupy(*hold, record.hold.ordinal);  // wrong, but from here on it is held
  check_capacity(record, resources_[hold->resource]);
}

void HoldBooks::confirm_part(const Record& record) {
  HoldBook* const hold = changed(record, "partly confirmed");
  if (hold == nullptr) return;
  check_still_held(record, *hold, "partly confirmed");
  check_taken(record, hold->held() - 1, "confirms a part of");  // the whole of it is its end
  const std::int64_t part = std::min(weight(record.quantity), hold->held());
  ResourceBook& resource = resources_[hold->resource];
  if (!hold->occupies) resource.occupied += part;
  hold->confirmed += part;
  check_capacity(record, resource);
}

void HoldBooks::cancel(const Record& record) {
  HoldBook* const hold = changed(record, "cancelled");
  if (hold == nullptr) return;
  check_taken(record, hold->kept(), "cancels");
  const std::int64_t part = std::min(weight(record.quantity), hold->kept());
  hold->cancelled += part;
  resources_[hold->resource].occupied -= part;
}

/// What is extended or confirmed in part must still be held.
void HoldBooks::check_still_held(const Record& record, const HoldBook& hold, std::string_view how) {
  findings_.check(Invariant::pc_3, hold.state == HoldState::held, record,
                  [&] { return fmt::format("{} after it was {}", how, name(hold.state)); });
  findings_.check(Invariant::pc_7, us(record.at) < hold.expires_us, record, [&] {
    return fmt::format("{} at {}, expiry at {}", how, when(us(record.at)), when(hold.expires_us));
  });
}

/// No part of a hold is confirmed twice, or given back twice.
void HoldBooks::check_taken(const Record& record, std::int64_t there, std::string_view how) {
  findings_.check(Invariant::cap_2, is_quantity(record.quantity) && record.quantity <= there,
                  record, [&] { return fmt::format("{} {} of {}", how, record.quantity, there); });
}

void HoldBooks::check_resolution(const Record& record, const HoldBook& hold, HoldState to) {
  const std::int64_t at_us = us(record.at);
  const bool held = hold.state == HoldState::held;
  findings_.check(Invariant::pc_1, held || hold.state == to, record,
                  [&] { return fmt::format("{} and {} as well", name(hold.state), name(to)); });
  findings_.check(Invariant::pc_3, held, record,
                  [&] { return fmt::format("{} after it was {}", name(to), name(hold.state)); });
  const bool lapsed = at_us >= hold.expires_us;
  findings_.check(Invariant::pc_7, lapsed == (to == HoldState::expired), record, [&] {
    return fmt::format("{} at {}, expiry at {}", name(to), when(at_us), when(hold.expires_us));
  });
  findings_.check(Invariant::pc_8, hold.placed_us <= at_us, record, [&] {
    return fmt::format("{} at {}, placed at {}", name(to), when(at_us), when(hold.placed_us));
  });
}

/// A record about a placed hold carries its id and tenant; of the rest it may carry nothing, or
/// what was placed.
void HoldBooks::check_unchanged(const Record& record, const HoldBook& hold) {
  findings_.check(Invariant::pc_4, record.hold.salt == hold.salt, record, [&] {
    return fmt::format("placed as {}", HoldId{record.hold.ordinal, hold.salt}.text());
  });
  const ResourceBook& placed_on = resources_[hold.resource];
  const auto same_resource = [&] {
    const auto number = resource_numbers_.find(names_.of(record.tenant, record.resource));
    return number != resource_numbers_.end() && number->second == hold.resource;
  };
  const bool unchanged =
      names_.of(record.tenant) == placed_on.tenant &&
      (record.resource.empty() || same_resource()) &&
      (record.requester.empty() || names_.of(record.requester) == hold.requester) &&
      (record.kind != RecordKind::placed || record.quantity == hold.quantity) &&
      (record.kind == RecordKind::extended || us(record.expires_at) == 0 ||
       us(record.expires_at) == hold.expires_us);
  findings_.check(Invariant::pc_5, unchanged, record, [&] {
    return fmt::format(
        "tenant {}, resource {}, requester {}, quantity {} or expiry {} is not as placed",
        in_quotes(record.tenant), in_quotes(record.resource), in_quotes(record.requester),
        record.quantity, when(us(record.expires_at)));
  });
}

void HoldBooks::declare(const Record& record) {
  const bool sound = is_name(record.resource) && is_quantity(record.capacity) && !record.rejection;
  findings_.check(Invariant::ir_5, sound, record, [&] {
    return fmt::format("declared what cannot be: a capacity of {} for {}", record.capacity,
                       in_quotes(record.resource));
  });
  ResourceBook& resource = resources_[resource_of(record)];
  let_lapse(resource, us(record.at));
  resource.capacity = record.capacity;
  check_capacity(record, resource);
}

void HoldBooks::check_capacity(const Record& record, const ResourceBook& resource) {
  findings_.check(Invariant::cap_1, resource.occupied <= resource.capacity, record, [&] {
    const Sum shown = std::min<Sum>(resource.occupied, INT64_MAX);
    return fmt::format("{} held or confirmed of a capacity of {}", static_cast<std::int64_t>(shown),
                       resource.capacity);
  });
}

void HoldBooks::refuse(const Record& record) {
  if (!record.rejection) return;  // the token's books report it
  const char* const untrue = why_untrue(record);
  findings_.check(Invariant::ir_5, untrue == nullptr, record, [&] {
    return fmt::format("{} refused as {}, but {}", operation_text(record.operation),
                       rejection_text(*record.rejection), untrue);
  });
}

const char* HoldBooks::why_untrue(const Record& record) {
  const Rejection rejection = *record.rejection;
  if (rejection == Rejection::nonce_replay) return nullptr;  // the books of nonces judge it
  const OperationSpec* spec = find_spec(record.operation);
  if (spec == nullptr || !spec->refuses(rejection))
    return "this operation is never refused for that";
  switch (rejection) {
    case Rejection::resource_unavailable:
    case Rejection::capacity_in_use:
      return why_untrue_of_resource(record);
    case Rejection::not_known:
    case Rejection::not_held:
    case Rejection::window_elapsed:
    case Rejection::window_not_elapsed:
    case Rejection::not_confirmed:
    case Rejection::quantity_exceeded:
    case Rejection::lifetime_exceeded:
      return why_untrue_of_hold(record);
    default:
      return nullptr;  // the request was not valid, and is not there any more to be looked at
  }
}

const char* HoldBooks::why_untrue_of_resource(const Record& record) {
  const bool placing = *record.rejection == Rejection::resource_unavailable;
  const auto number = resource_numbers_.find(names_.of(record.tenant, record.resource));
  Sum occupied = 0;
  Sum capacity = 1;
  if (number != resource_numbers_.end()) {
    ResourceBook& resource = resources_[number->second];
    let_lapse(resource, us(record.at));
    occupied = resource.occupied;
    capacity = resource.capacity;
  }
  const bool fits = placing ? occupied + record.quantity <= capacity : occupied <= record.capacity;
  return fits ? "there was room" : nullptr;
}

const char* HoldBooks::why_untrue_of_hold(const Record& record) {
  const auto found = holds_.find(record.hold.ordinal);
  const bool known = found != holds_.end() && found->second.salt == record.hold.salt &&
                     resources_[found->second.resource].tenant == names_.of(record.tenant);
  const Rejection rejection = *record.rejection;
  if (rejection == Rejection::not_known) return known ? "the hold was known" : nullptr;
  if (!known) return "no such hold was known";
  const HoldBook& hold = found->second;
  const bool held = hold.state == HoldState::held;
  if (rejection == Rejection::not_confirmed)
    return hold.kept() > 0 ? "something of it was confirmed" : nullptr;
  if (rejection == Rejection::quantity_exceeded) {
    const bool cancelling = record.operation == Operation::hold_cancel;
    return record.quantity <= (cancelling ? hold.kept() : hold.held()) ? "there was as much"
                                                                       : nullptr;
  }
  if (rejection == Rejection::not_held) return held ? "the hold was held" : nullptr;
  if (!held) return "the hold was already resolved";
  const bool lapsed = us(record.at) >= hold.expires_us;
  if (rejection == Rejection::lifetime_exceeded) return lapsed ? "it had lapsed" : nullptr;
  if (rejection == Rejection::window_not_elapsed) return lapsed ? "it had elapsed" : nullptr;
  return lapsed ? nullptr : "it had not";
}

std::uint32_t HoldBooks::resource_of(const Record& record) {
  const auto number = static_cast<std::uint32_t>(resources_.size());
  const auto [found, fresh] =
      resource_numbers_.try_emplace(names_.of(record.tenant, record.resource), number);
  if (fresh) resources_.emplace_back().tenant = names_.of(record.tenant);
  return found->second;
}

void HoldBooks::let_lapse(ResourceBook& resource, std::int64_t now_us) {
  while (!resource.lapses.empty() && resource.lapses.front().expires_us <= now_us) {
    const Lapse lapse = resource.lapses.front();
    std::pop_heap(resource.lapses.begin(), resource.lapses.end(), std::greater<>());
    resource.lapses.pop_back();
    const auto found = holds_.find(lapse.ordinal);
    const bool due = found != holds_.end() && found->second.state == HoldState::held &&
                     found->second.expires_us <= now_us;  // else it was extended
    if (due) vacate(found->second);
  }
}

void HoldBooks::occupy(HoldBook& hold, std::uint64_t ordinal) {
  hold.occupies = true;
  resources_[hold.resource].occupied += weight(hold.held());
  await_lapse(hold, ordinal);
}

void HoldBooks::await_lapse(const HoldBook& hold, std::uint64_t ordinal) {
  std::vector<Lapse>& lapses = resources_[hold.resource].lapses;
  lapses.push_back({hold.expires_us, ordinal});
  std::push_heap(lapses.begin(), lapses.end(), std::greater<>());
}

/// Lets go of what is held of it; what is confirmed stays.
void HoldBooks::vacate(HoldBook& hold) {
  if (!hold.occupies) return;
  hold.occupies = false;
  resources_[hold.resource].occupied -= weight(hold.held());
}

}  // namespace holdfast::audit

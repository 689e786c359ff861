#include "store/sqlite/state/hold_table.hpp"

#include "base/assert.hpp"

namespace holdfast::sqlite {

HoldTable::~HoldTable() { by_expiry_.clear(); }

const HoldSlot* HoldTable::hold(std::uint64_t ordinal) const {
  if (ordinal == 0 || ordinal > holds_.size()) return nullptr;
  const HoldSlot& slot = holds_[ordinal - 1];
  return slot.state == 0 ? nullptr : &slot;
}

ResourceSlot& HoldTable::touch_resource(std::uint32_t number) {
  while (resources_.size() <= number) {
    const auto next = static_cast<std::uint32_t>(resources_.size());
    resources_.emplace_back().number = next;
  }
  return resources_[number];
}

void HoldTable::place(const Record& record, std::uint32_t resource, std::uint32_t requester) {
  const std::uint64_t ordinal = record.hold.ordinal;
  HOLDFAST_ASSERT(ordinal > holds_.size() && ordinal <= UINT32_MAX);
  while (holds_.size() < ordinal) holds_.emplace_back();
  while (newest_of_requester_.size() <= requester) newest_of_requester_.emplace_back();
  ResourceSlot& of = touch_resource(resource);

  const ExpiryHeap::Entry entry{record.expires_at.time_since_epoch().count(),
                                static_cast<std::uint32_t>(ordinal)};
  HoldSlot& slot = holds_[ordinal - 1];
  slot.salt = record.hold.salt & ((1ULL << 60U) - 1);
  slot.state = static_cast<std::uint8_t>(HoldState::held) & 15U;
  slot.placed_seq = record.seq;
  slot.placed_us = record.at.time_since_epoch().count();
  slot.expires_us = entry.expires_us;
  slot.quantity = record.quantity;
  slot.resource = resource;
  slot.requester = requester;
  slot.older_of_resource = of.newest;
  slot.older_of_requester = newest_of_requester_[requester];

  of.newest = entry.ordinal;
  of.occupied += record.quantity;
  newest_of_requester_[requester] = entry.ordinal;
  add_live(of, entry);
}

void HoldTable::resolve(std::uint64_t ordinal, HoldState state, Instant at) {
  HOLDFAST_ASSERT(hold(ordinal) != nullptr);
  HoldSlot& slot = holds_[ordinal - 1];
  HOLDFAST_ASSERT(slot.state == static_cast<std::uint8_t>(HoldState::held));
  ResourceSlot& of = resources_[slot.resource];
  remove_live(of, static_cast<std::size_t>(slot.place_or_end));
  slot.state = static_cast<std::uint8_t>(state) & 15U;
  ++resolved_counts_[static_cast<std::size_t>(state)];
  slot.place_or_end = at.time_since_epoch().count();
  if (state != HoldState::confirmed) of.occupied -= slot.quantity;
}

void HoldTable::declare(std::uint32_t resource, std::int64_t capacity) {
  ResourceSlot& of = touch_resource(resource);
  of.capacity = capacity;
  of.declared = true;
}

/// A resource is among `by_expiry_` while it has live holds, under its earliest expiry.
void HoldTable::add_live(ResourceSlot& resource, const ExpiryHeap::Entry& entry) {
  const bool first = resource.live.empty();
  const bool earliest = first || entry.expires_us < resource.earliest_us;
  if (earliest && !first) by_expiry_.erase(by_expiry_.iterator_to(resource));
  resource.live.push(entry, note_place());
  ++live_count_;
  if (!earliest) return;
  resource.earliest_us = entry.expires_us;
  by_expiry_.insert(resource);
}

void HoldTable::remove_live(ResourceSlot& resource, std::size_t position) {
  const bool was_earliest = position == 0;
  if (was_earliest) by_expiry_.erase(by_expiry_.iterator_to(resource));
  resource.live.remove(position, note_place());
  --live_count_;
  if (!was_earliest || resource.live.empty()) return;
  resource.earliest_us = resource.live.top().expires_us;
  by_expiry_.insert(resource);
}

std::size_t HoldTable::live_bytes() const {
  std::size_t sum = 0;
  for (std::size_t i = 0; i < resources_.size(); ++i) sum += resources_[i].live.bytes();
  return sum;
}

}  // namespace holdfast::sqlite

#include "store/sqlite/state/hold_table.hpp"

#include "base/assert.hpp"

namespace holdfast::sqlite {

HoldTable::~HoldTable() { by_expiry_.clear(); }

const HoldSlot* HoldTable::hold(std::uint64_t ordinal) const {
  if (ordinal == 0 || ordinal > holds_.size()) return nullptr;
  const HoldSlot& slot = holds_[ordinal - 1];
  return slot.state == 0 ? nullptr : &slot;
}

const HoldExtra* HoldExtras::find(std::uint64_t ordinal) const {
  const Shard& shard = shards_[ordinal % shard_count];
  const auto found = shard.find(static_cast<std::uint32_t>(ordinal));
  return found == shard.end() ? nullptr : &found->second;
}

void HoldExtras::put(std::uint64_t ordinal, const HoldExtra& extra) {
  Shard& shard = shards_[ordinal % shard_count];
  size_ += shard.insert_or_assign(static_cast<std::uint32_t>(ordinal), extra).second ? 1U : 0U;
}

/// A table is at most about half empty.
std::size_t HoldExtras::bytes() const {
  return shards_.size() * sizeof(Shard) + size_ * 2 * sizeof(Shard::value_type);
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
  slot.state = static_cast<std::uint8_t>(HoldState::held) & 7U;
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

HoldRow HoldTable::terms(const HoldSlot& slot, std::uint64_t ordinal) const {
  HoldRow row;
  row.id = {ordinal, slot.salt};
  row.quantity = slot.quantity;
  row.state = static_cast<HoldState>(slot.state);
  row.placed_at = Instant(Duration(slot.placed_us));
  row.expires_at = row.first_expires_at = Instant(Duration(slot.expires_us));
  if (row.state != HoldState::held) row.resolved_at = Instant(Duration(slot.place_or_end));
  row.confirmed = row.state == HoldState::confirmed ? slot.quantity : 0;
  if (slot.changed == 0) return row;
  const HoldExtra& extra = *extras_.find(ordinal);
  row.first_expires_at = Instant(Duration(extra.first_expires_us));
  row.confirmed = extra.confirmed;
  row.cancelled = extra.cancelled;
  row.changed_seq = extra.changed_seq;
  if (const HoldSlot* const first = hold(extra.group)) row.group = {extra.group, first->salt};
  row.group_size = extra.group_size;
  return row;
}

std::int64_t HoldTable::held(std::uint64_t ordinal) const {
  const HoldSlot& slot = *hold(ordinal);
  return slot.changed == 0 ? slot.quantity : terms(slot, ordinal).held();
}

void HoldTable::keep_terms(HoldSlot& slot, const HoldRow& row) {
  slot.changed = 1;
  extras_.put(row.id.ordinal, {.first_expires_us = row.first_expires_at.time_since_epoch().count(),
                               .confirmed = row.confirmed,
                               .cancelled = row.cancelled,
                               .changed_seq = row.changed_seq,
                               .group = static_cast<std::uint32_t>(row.group.ordinal),
                               .group_size = row.group_size});
}

HoldSlot& HoldTable::changed_slot(const Record& record) {
  HOLDFAST_ASSERT(hold(record.hold.ordinal) != nullptr);
  return holds_[record.hold.ordinal - 1];
}

void HoldTable::count(ResourceSlot& resource, const HoldRow& before, const HoldRow& after) {
  resource.occupied += after.occupied() - before.occupied();
  resource.confirmed += after.confirmed - after.cancelled - before.confirmed + before.cancelled;
}

void HoldTable::resolve(const Record& record) {
  HoldSlot& slot = changed_slot(record);
  HoldRow row = terms(slot, record.hold.ordinal);
  const HoldRow before = row;
  ResourceSlot& of = resources_[slot.resource];
  holdfast::resolve(row, record);
  remove_live(of, static_cast<std::size_t>(slot.place_or_end));
  slot.state = static_cast<std::uint8_t>(row.state) & 7U;
  ++resolved_counts_[static_cast<std::size_t>(row.state)];
  slot.place_or_end = record.at.time_since_epoch().count();
  count(of, before, row);
  if (slot.changed != 0 || row.changed_seq != 0) keep_terms(slot, row);
}

void HoldTable::amend(const Record& record) {
  HoldSlot& slot = changed_slot(record);
  HoldRow row = terms(slot, record.hold.ordinal);
  const HoldRow before = row;
  ResourceSlot& of = resources_[slot.resource];
  holdfast::amend(row, record);
  count(of, before, row);
  keep_terms(slot, row);
  const std::int64_t expires_us = row.expires_at.time_since_epoch().count();
  if (expires_us == slot.expires_us) return;
  remove_live(of, static_cast<std::size_t>(slot.place_or_end));
  slot.expires_us = expires_us;
  add_live(of, {expires_us, static_cast<std::uint32_t>(record.hold.ordinal)});
}

void HoldTable::gather(const Record& record) {
  for (std::uint64_t i = 0; i < static_cast<std::uint64_t>(record.count); ++i) {
    const std::uint64_t ordinal = record.hold.ordinal + i;
    HoldSlot& slot = holds_[ordinal - 1];
    HoldRow row = terms(slot, ordinal);
    holdfast::gather(row, record);
    keep_terms(slot, row);
  }
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

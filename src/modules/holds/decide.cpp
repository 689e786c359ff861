#include "modules/holds/decide.hpp"

#include <algorithm>

#include "modules/holds/commitment.hpp"

namespace holdfast::holds {
namespace {

/// Whether such an id is ever given out. A caller can make up others; they name no hold.
bool could_exist(HoldId id) {
  return id.ordinal >= 1 && id.ordinal <= INT64_MAX && id.salt < (std::uint64_t{1} << 60U);
}

/// A name that is too long for a column is refused, and needs no row for that.
bool is_nameable(std::string_view name) { return !name.empty() && name.size() <= name_bytes_max; }

const HoldRow* hold_of(HoldId id, const Deciding& deciding) {
  return deciding.rows.hold(deciding.tenant(), id);
}

Refused resolve(Refused refused, HoldId hold, RecordKind kind, Deciding& deciding) {
  if (!refused) deciding.outcome(kind).hold = hold;
  return refused;
}

}  // namespace

void Place::needs(const Placing& what, Needs& needs) {
  if (is_nameable(what.resource)) needs.resource(what.resource, what.quantity);
}

Refused Place::decide(const Placing& what, Deciding& deciding) {
  const ResourceRow& resource = resource_of(what.resource, deciding);
  if (what.quantity > resource.capacity)
    return Refusal{Rejection::invalid_request, Reason::quantity_above_capacity};
  const auto lapsed = commitment::make_room(deciding.rows, resource, resource.capacity,
                                            what.quantity, deciding.now);
  if (!lapsed) return Refusal{Rejection::resource_unavailable};
  expire_lapsed(deciding.rows, *lapsed, deciding.draft);
  Record& record = deciding.outcome(RecordKind::placed);
  record.hold = deciding.ids.take();
  describe(what, record);
  record.expires_at = deciding.now + what.duration;
  return {};
}

void Place::describe(const Placing& what, Record& record) {
  record.resource = what.resource;
  record.requester = what.requester;
  record.quantity = what.quantity;
}

void OnHold::describe(HoldId hold, Record& record) {
  if (could_exist(hold)) record.hold = hold;
}

Refused Confirm::decide(const Confirming& what, Deciding& deciding) {
  const HoldRow* const hold = hold_of(what.hold, deciding);
  Refused refused = commitment::may_confirm(hold, what.quantity, deciding.now);
  if (refused) return refused;
  const bool whole = what.quantity.value_or(hold->held()) == hold->held();
  const bool ends = whole || what.final;
  Record& record = deciding.outcome(ends ? RecordKind::confirmed : RecordKind::partly_confirmed);
  record.hold = what.hold;
  if (!whole) record.quantity = *what.quantity;
  return {};
}

void Confirm::describe(const Confirming& what, Record& record) {
  OnHold::describe(what.hold, record);
  record.quantity = what.quantity.value_or(0);
}

Refused Release::decide(const Releasing& what, Deciding& deciding) {
  return resolve(commitment::may_release(hold_of(what.hold, deciding), deciding.now), what.hold,
                 RecordKind::released, deciding);
}

Instant extended_to(const HoldRow& hold, Duration duration, Instant now) {
  return std::max(hold.expires_at, after(now, duration));
}

Refused Extend::decide(const Extending& what, Deciding& deciding) {
  const HoldRow* const hold = hold_of(what.hold, deciding);
  const Instant now = deciding.now;
  const Instant to = hold == nullptr ? now : extended_to(*hold, what.duration, now);
  Refused refused = commitment::may_extend(hold, to, deciding.rules.lifetime_max, now);
  if (refused) return refused;
  Record& record = deciding.outcome(RecordKind::extended);
  record.hold = what.hold;
  record.expires_at = to;
  return {};
}

Refused Cancel::decide(const Cancelling& what, Deciding& deciding) {
  const HoldRow* const hold = hold_of(what.hold, deciding);
  Refused refused = commitment::may_cancel(hold, what.quantity);
  if (refused) return refused;
  Record& record = deciding.outcome(RecordKind::cancelled);
  record.hold = what.hold;
  record.quantity = what.quantity.value_or(hold->confirmed - hold->cancelled);
  return {};
}

void Cancel::describe(const Cancelling& what, Record& record) {
  OnHold::describe(what.hold, record);
  record.quantity = what.quantity.value_or(0);
}

Refused Expire::decide(const Expiring& what, Deciding& deciding) {
  return resolve(commitment::may_expire(hold_of(what.hold, deciding), deciding.now), what.hold,
                 RecordKind::expired, deciding);
}

void Declare::needs(const Declaring& what, Needs& needs) {
  if (is_nameable(what.resource)) needs.resource_in_full(what.resource);
}

Refused Declare::decide(const Declaring& what, Deciding& deciding) {
  const ResourceRow& resource = resource_of(what.resource, deciding);
  const auto lapsed =
      commitment::make_room(deciding.rows, resource, what.capacity, 0, deciding.now);
  if (!lapsed) return Refusal{Rejection::capacity_in_use};
  expire_lapsed(deciding.rows, *lapsed, deciding.draft);
  describe(what, deciding.outcome(RecordKind::declared));
  return {};
}

void Declare::describe(const Declaring& what, Record& record) {
  record.resource = what.resource;
  record.capacity = what.capacity;
}

void Declare::answer(const Declaring& what, Answer& answer) {
  answer.resource =
      Resource{.name = what.resource, .capacity = what.capacity, .in_use = 0, .declared = true};
}

Declaring Declare::recorded(const Record& record) { return {record.resource, record.capacity}; }

void expire_lapsed(const WorkingSet& rows, std::span<const std::uint64_t> due, Draft& draft) {
  for (const std::uint64_t ordinal : due) {
    const HoldRow* hold = rows.hold(ordinal);
    if (hold == nullptr || !hold->lapsed(draft.now)) continue;
    draft.add(RecordKind::expired, hold->tenant).hold = hold->id;
  }
}

}  // namespace holdfast::holds

#include "modules/holds/commitment.hpp"

#include "domain/rules.hpp"

namespace holdfast::commitment {
namespace {

Refused must_be_held(const HoldRow* hold) {
  if (hold == nullptr) return Refusal{Rejection::not_known};
  if (hold->state != HoldState::held) return Refusal{Rejection::not_held};
  return {};
}

}  // namespace

Refused may_release(const HoldRow* hold, Instant now) {
  if (Refused refused = must_be_held(hold)) return refused;
  if (hold->lapsed(now)) return Refusal{Rejection::window_elapsed};
  return {};
}

Refused may_confirm(const HoldRow* hold, std::optional<std::int64_t> quantity, Instant now) {
  if (Refused refused = may_release(hold, now)) return refused;
  if (quantity > hold->held()) return Refusal{Rejection::quantity_exceeded};
  return {};
}

Refused may_extend(const HoldRow* hold, Instant to, Duration lifetime_max, Instant now) {
  if (Refused refused = may_release(hold, now)) return refused;
  if (to > after(hold->placed_at, lifetime_max)) return Refusal{Rejection::lifetime_exceeded};
  return {};
}

Refused may_cancel(const HoldRow* hold, std::optional<std::int64_t> quantity) {
  if (hold == nullptr) return Refusal{Rejection::not_known};
  const std::int64_t confirmed = hold->confirmed - hold->cancelled;
  if (confirmed == 0) return Refusal{Rejection::not_confirmed};
  if (quantity > confirmed) return Refusal{Rejection::quantity_exceeded};
  return {};
}

Refused may_expire(const HoldRow* hold, Instant now) {
  if (Refused refused = must_be_held(hold)) return refused;
  if (!hold->lapsed(now)) return Refusal{Rejection::window_not_elapsed};
  return {};
}

std::optional<std::vector<std::uint64_t>> make_room(const WorkingSet& rows,
                                                    const ResourceRow& resource,
                                                    std::int64_t capacity, std::int64_t quantity,
                                                    Instant now) {
  std::vector<std::uint64_t> chosen;
  // Both sides are below 2^54: no overflow.
  std::int64_t missing = resource.occupied + quantity - capacity;
  for (const std::uint64_t ordinal : resource.lapsed) {
    if (missing <= 0) break;
    const HoldRow* hold = rows.hold(ordinal);
    if (hold == nullptr || !hold->lapsed(now)) continue;  // resolved earlier in this batch
    chosen.push_back(ordinal);
    missing -= hold->held();
  }
  if (missing > 0) return std::nullopt;
  return chosen;
}

}  // namespace holdfast::commitment

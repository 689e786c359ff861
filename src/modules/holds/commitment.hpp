#pragma once

#include <optional>
#include <vector>

#include "domain/refusal.hpp"
#include "domain/rows.hpp"

/// Provisional Commitment: the life of a hold. Knows nothing of tokens.
///
///                    place
///                      │  ┌───── extend, before expires_at: expires later
///                      ▼  ▼  ┌── confirm a part, before expires_at: keeps it, the rest is held
///                    held ──────────────────────────────────► confirmed
///                     │ │        confirm, before expires_at
///                     │ └──────── release, before expires_at ► released
///                     └────────── expire, from expires_at on ► expired
///
/// A state says how what was held ended. What was confirmed stays taken, whatever became of the
/// rest, until it is cancelled: as much as was confirmed, once.
///
/// Its invariants are PC-1 to PC-10, CAP-1 and CAP-2. `domain/invariants.hpp` words them, and
/// checks them from records.
namespace holdfast::commitment {

/// At `expires_at` itself the hold has lapsed: `now` is compared once, here.
[[nodiscard]] Refused may_confirm(const HoldRow* hold, std::optional<std::int64_t> quantity,
                                  Instant now);
[[nodiscard]] Refused may_release(const HoldRow* hold, Instant now);
[[nodiscard]] Refused may_extend(const HoldRow* hold, Instant to, Duration lifetime_max,
                                 Instant now);
[[nodiscard]] Refused may_cancel(const HoldRow* hold, std::optional<std::int64_t> quantity);
[[nodiscard]] Refused may_expire(const HoldRow* hold, Instant now);

/// The lapsed holds to expire first so that `quantity` fits within `capacity`: as few as
/// needed, earliest first. Unset if even all of them are not enough.
[[nodiscard]] std::optional<std::vector<std::uint64_t>> make_room(const WorkingSet& rows,
                                                                  const ResourceRow& resource,
                                                                  std::int64_t capacity,
                                                                  std::int64_t quantity,
                                                                  Instant now);

}  // namespace holdfast::commitment

#pragma once

#include <optional>
#include <vector>

#include "domain/refusal.hpp"
#include "domain/rows.hpp"

/// Provisional Commitment: the life of a hold. Knows nothing of tokens.
///
///                    place
///                      │
///                      ▼          confirm, before expires_at
///                    held ──────────────────────────────────► confirmed
///                     │ └──────── release, before expires_at ► released
///                     └────────── expire, from expires_at on ► expired
///
/// Invariants (checked from records by `domain/invariants`):
///   PC-1  a hold is in exactly one state
///   PC-2  it is held from placing until it is resolved
///   PC-3  confirmed, released and expired absorb: nothing follows them
///   PC-4  its id never changes
///   PC-5  its resource, requester and quantity never change
///   PC-6  placed_at < expires_at
///   PC-7  no confirm or release at or after expires_at, no expiry before it
///   PC-8  stamps are in order: placed_at ≤ confirmed_at, released_at, expired_at
///   PC-9  an id is never used for a second hold
///   PC-10 records never vanish
///   CAP-1 at every instant, held (not lapsed) plus confirmed quantity ≤ capacity
///   CAP-2 a hold's quantity is returned exactly once, when it is released or expires
namespace holdfast::commitment {

/// At `expires_at` itself the hold has lapsed: `now` is compared once, here.
[[nodiscard]] Refused may_confirm(const HoldRow* hold, Instant now);
[[nodiscard]] Refused may_release(const HoldRow* hold, Instant now);
[[nodiscard]] Refused may_expire(const HoldRow* hold, Instant now);

/// The lapsed holds to expire first so that `quantity` fits within `capacity`: as few as
/// needed, earliest first. Unset if even all of them are not enough.
[[nodiscard]] std::optional<std::vector<std::uint64_t>> make_room(const WorkingSet& rows,
                                                                  const ResourceRow& resource,
                                                                  std::int64_t capacity,
                                                                  std::int64_t quantity,
                                                                  Instant now);

}  // namespace holdfast::commitment

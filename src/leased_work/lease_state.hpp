#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "domain/keyed_rows.hpp"
#include "domain/row_json.hpp"

/// Leased work: what is to be done is committed first, and done afterwards by whoever leases it. An
/// effect of a command is such a piece of work, and so is an entry of the inbox. What is the same
/// for all of them is in this folder; what a piece of work is, what its ends are and what they mean
/// is its module's.
///
///            lease: fence + 1               renewed: the lease ends later
///   waits ──────────────────────► leased ──► ended: the work is gone
///     ▲                             │
///     │   failed, or the lease lost │
///     └──── after a back-off ───────┤
///     ▲                             │ attempts used up, or given up
///     │ retry                       ▼
///     └─────────────────────────── dead, or ended: as its module says
namespace holdfast::leased_work {

/// All queues are of nobody's tenant: a dispatcher serves them all.
inline constexpr std::string_view tenant_of_queues{};

/// How a piece of work stands with those who lease it: a part of its row.
struct LeaseState {
  Instant ready_at{};              ///< not to be leased before
  std::optional<Instant> until{};  ///< set: somebody is at work on it
  std::string holder{};            ///< who
  std::uint64_t fence = 0;         ///< of the last lease; grows
  std::uint64_t attempts = 0;      ///< begun
  std::string error{};             ///< what the last attempt ended in

  // How often and when it is tried again, as was declared when it was taken in.
  std::uint64_t attempts_max = 10;
  Backoff backoff{};

  [[nodiscard]] bool leased() const { return until.has_value(); }
  [[nodiscard]] bool exhausted() const { return attempts >= attempts_max; }
};

// Its members in the JSON of a row. The row names its own between them, in the order of RFC 8785.

/// `attempts`, `attempts_max`, `backoff_max_us` and `backoff_us`.
void write_attempts(JsonWriter& json, const LeaseState& lease);
/// All of it: these, and `error`, `fence`, `holder`, `lease_until` and `ready_at`.
void read_lease_state(ObjectReader& reader, LeaseState& lease);

/// The place in a queue: the instant from which it is ready.
[[nodiscard]] std::int64_t position_of(const LeaseState& lease);

/// The queue work waits in that is done here, by a dispatcher: what it does, and of whom.
[[nodiscard]] std::string queue_of_dispatchers(std::string_view does, std::string_view name);
/// The queue work waits in that a tenant's workers lease by its kind.
[[nodiscard]] std::string queue_of_workers(std::string_view tenant, std::string_view kind);
/// A tenant in the name of a list. Tenants may be long, and lists have names of at most
/// `name_bytes_max`.
[[nodiscard]] std::string tenant_in_list(std::string_view tenant);

}  // namespace holdfast::leased_work

#include "leased_work/decisions.hpp"

#include <algorithm>

namespace holdfast::leased_work {
namespace {

constexpr std::int64_t leases_max = 1000;
constexpr Duration lease_min = std::chrono::milliseconds(1);
constexpr Duration lease_max = std::chrono::hours(24);

}  // namespace

void need_queues(const Asked& asked, RowSpace space, Needs& needs) {
  const std::int64_t most = std::clamp(asked.max, std::int64_t{1}, leases_max);
  for (const std::string& queue : asked.queues) {
    if (queue.size() > name_bytes_max) continue;
    needs.list({.space = space,
                .tenant = tenant_of_queues,
                .parent = queue,
                .limit = static_cast<std::size_t>(most)});
  }
}

Refused not_a_lease(Duration lease) {
  if (lease >= lease_min && lease <= lease_max) return {};
  return Refusal{Rejection::invalid_request, Reason::lease_bounds};
}

bool may_be_leased(const LeaseState& lease, Instant now) {
  return !lease.leased() && lease.ready_at <= now;
}

Leased lease_of(const Asked& asked, const Deciding& deciding) {
  return {.until = deciding.now + asked.lease, .holder = deciding.request.call.caller.principal};
}

void give(Leased& said, std::string_view id, const LeaseState& lease, std::uint64_t attempt) {
  said.items.push_back({.id = std::string(id), .fence = lease.fence + 1, .attempt = attempt});
}

void note(const Leased& said, std::string detail, RecordKind kind, Deciding& deciding) {
  if (said.items.empty()) {
    deciding.blame.detail = std::move(detail);
  } else {
    deciding.outcome(kind).detail = std::move(detail);
  }
}

Refused not_the_holder(bool known, const LeaseState* lease, const Speaker& speaker,
                       const Refusals& refusals) {
  if (!known) return Refusal{refusals.not_known};
  if (lease == nullptr) return Refusal{refusals.not_open};
  const bool holds = lease->leased() && lease->holder == speaker.principal &&
                     lease->fence == static_cast<std::uint64_t>(speaker.fence);
  if (!holds) return Refusal{Rejection::stale_fence};
  return {};
}

Refused not_at_rest(bool known, const LeaseState* lease, const Refusals& refusals) {
  if (!known) return Refusal{refusals.not_known};
  if (lease != nullptr && lease->leased()) return Refusal{refusals.not_open};
  return {};
}

void renew(LeaseState& lease, Duration length, Instant now) {
  lease.until = std::max(*lease.until, now + length);
}

void rest_until(LeaseState& lease, Instant ready_at) {
  lease.ready_at = ready_at;
  lease.until.reset();
}

void back_off(LeaseState& lease, std::string_view id, Instant now) {
  rest_until(lease, now + lease.backoff.after(id, lease.attempts));
}

bool try_again(LeaseState& lease, std::string_view id, Instant now) {
  if (lease.exhausted()) {
    lease.until.reset();
    return false;
  }
  back_off(lease, id, now);
  return true;
}

bool is_lost(const LeaseState& lease, Instant now) { return lease.leased() && *lease.until <= now; }

}  // namespace holdfast::leased_work

// What happens to entries: they are leased, completed, failed, lost, and tried again.

#include <algorithm>

#include "modules/webhooks/decide.hpp"
#include "modules/webhooks/details.hpp"
#include "modules/webhooks/kinds.hpp"

namespace holdfast::webhooks {
namespace {

constexpr std::int64_t leases_max = 1000;
constexpr Duration lease_min = std::chrono::milliseconds(1);
constexpr Duration lease_max = std::chrono::hours(24);

std::string queue_of(const InboxLeasing& what, std::string_view tenant, std::string_view kind) {
  return what.dispatches ? queue_of_dispatchers(kind) : queue_of_workers(tenant, kind);
}

/// An entry, and what is left to do about it, if anything is.
struct Found {
  const EntryRow* entry = nullptr;
  const WorkRow* work = nullptr;
};

Found find(std::string_view id, const Deciding& deciding) {
  Found found;
  const std::string_view key = row_key_in(id);
  if (key.empty()) return found;
  const auto* const entry = deciding.rows.row<EntryRow>(deciding.tenant(), key);
  if (entry == nullptr || entry->id != id) return found;
  found.entry = entry;
  const auto* const work = deciding.rows.row<WorkRow>(WorkRow::tenant_of_queues, key);
  if (work != nullptr && work->id == id) found.work = work;
  return found;
}

/// Why somebody with that fence may not speak of the entry; nothing if they may.
Refused not_the_holder(const Found& found, std::int64_t fence) {
  if (found.entry == nullptr) return Refusal{Rejection::inbox_entry_not_known};
  if (found.work == nullptr) return Refusal{Rejection::inbox_entry_not_open};
  const bool holds = found.work->leased() && found.work->fence == static_cast<std::uint64_t>(fence);
  if (!holds) return Refusal{Rejection::stale_fence};
  return {};
}

Moved later(WorkRow work, Instant at) {
  work.ready_at = at;
  work.dead = false;
  return Moved::of(work);
}

Moved given_up(WorkRow work) {
  work.dead = true;
  return Moved::of(work);
}

/// An attempt came to nothing.
Moved again(const WorkRow& work, Instant now) {
  if (work.exhausted()) return given_up(work);
  return later(work, now + work.backoff.after(work.id, work.attempts));
}

void note(const Moved& moved, Deciding& deciding) {
  deciding.outcome(moved.dead ? kinds::died : kinds::postponed).detail = moved.text();
}

}  // namespace

void need_entry(std::string_view id, Payload payload, Needs& needs) {
  const std::string_view key = row_key_in(id);
  if (key.empty()) return;
  needs.row(EntryRow::space, key);
  needs.row_of(WorkRow::tenant_of_queues, WorkRow::space, key);
  if (payload == Payload::removed) needs.row(PayloadRow::space, key);
}

void Lease::needs(const InboxLeasing& what, Needs& needs) {
  const std::int64_t most = std::clamp(what.max, std::int64_t{1}, leases_max);
  for (const std::string& each : what.kinds) {
    const std::string queue = queue_of(what, needs.tenant(), each);
    if (queue.size() > name_bytes_max) continue;
    needs.list({.space = WorkRow::space,
                .tenant = WorkRow::tenant_of_queues,
                .parent = queue,
                .limit = static_cast<std::size_t>(most)});
  }
}

Refused Lease::decide(const InboxLeasing& what, Deciding& deciding) {
  if (what.lease < lease_min || what.lease > lease_max)
    return Refusal{Rejection::invalid_request, Reason::lease_bounds};
  Leased said{.until = deciding.now + what.lease, .holder = deciding.request.call.caller.principal};
  const auto most = static_cast<std::size_t>(what.max);
  for (const std::string& kind : what.kinds) {
    const std::string queue = queue_of(what, deciding.tenant(), kind);
    for (const RowName& name :
         deciding.rows.listed(WorkRow::space, WorkRow::tenant_of_queues, queue)) {
      if (said.items.size() == most) break;
      const auto* const work = deciding.rows.row<WorkRow>(name.tenant, name.key);
      // A call of this batch may have had it before.
      if (work == nullptr || work->status() != Status::received || work->ready_at > deciding.now ||
          work->index(name.key).parent != queue)
        continue;
      const bool twice = std::any_of(said.items.begin(), said.items.end(),
                                     [&](const Leased::Item& each) { return each.id == work->id; });
      if (twice) continue;  // a kind that is named twice
      said.items.push_back(
          {.id = work->id, .fence = work->fence + 1, .attempt = work->attempts + 1, .work = *work});
    }
  }
  if (said.items.empty()) {
    deciding.blame.detail = said.text();
    return {};  // nothing was done, and the token is unused
  }
  deciding.outcome(kinds::leased).detail = said.text();
  return {};
}

void Complete::needs(const InboxCompleting& what, Needs& needs) {
  need_entry(what.id, Payload::removed, needs);
}

Refused Complete::decide(const InboxCompleting& what, Deciding& deciding) {
  const Found found = find(what.id, deciding);
  if (Refused refused = not_the_holder(found, what.fence)) return refused;
  const Completed said{.id = what.id,
                       .fence = found.work->fence,
                       .attempts = found.work->attempts,
                       .result = what.result};
  deciding.outcome(kinds::completed).detail = said.text();
  return {};
}

void Fail::needs(const InboxFailing& what, Needs& needs) {
  need_entry(what.id, Payload::left_alone, needs);
}

Refused Fail::decide(const InboxFailing& what, Deciding& deciding) {
  const bool known = what.verdict == "retry" || what.verdict == "later" || what.verdict == "dead";
  if (!known) return Refusal{Rejection::invalid_request, Reason::verdict_unknown};
  const Found found = find(what.id, deciding);
  if (Refused refused = not_the_holder(found, what.fence)) return refused;
  WorkRow work = *found.work;
  work.error = what.error;
  if (what.verdict == "dead") {
    note(given_up(work), deciding);
  } else if (what.verdict == "retry") {
    note(again(work, deciding.now), deciding);
  } else {
    // The longer it has been waited for, the seldomer it is looked at.
    const Duration most(static_cast<std::int64_t>(work.backoff.most_us));
    const Duration least(static_cast<std::int64_t>(work.backoff.first_us));
    const Duration waited = deciding.now - work.received_at;
    --work.attempts;
    note(later(work, deciding.now + std::max(least, std::min(waited, most))), deciding);
  }
  return {};
}

void Retry::needs(const InboxRetrying& what, Needs& needs) {
  need_entry(what.id, Payload::left_alone, needs);
}

Refused Retry::decide(const InboxRetrying& what, Deciding& deciding) {
  const Found found = find(what.id, deciding);
  if (found.entry == nullptr) return Refusal{Rejection::inbox_entry_not_known};
  if (found.work == nullptr || found.work->leased())
    return Refusal{Rejection::inbox_entry_not_open};
  WorkRow work = *found.work;
  work.attempts = 0;
  deciding.outcome(kinds::reopened).detail = later(std::move(work), deciding.now).text();
  return {};
}

void sweep(const WorkingSet& rows, const Due& due, Draft& draft) {
  for (const RowName& name : due.rows) {
    if (name.space != WorkRow::space) continue;
    const auto* const work = rows.row<WorkRow>(name.tenant, name.key);
    // A call of this batch may have ended the lease.
    if (work == nullptr || !work->leased() || *work->lease_until > draft.now) continue;
    WorkRow left = *work;
    left.error = "the lease ended without a word";
    const Moved moved = again(left, draft.now);
    draft.add(moved.dead ? kinds::died : kinds::lost, work->tenant).detail = moved.text();
  }
}

}  // namespace holdfast::webhooks

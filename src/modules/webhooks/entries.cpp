// What happens to entries: they are leased, completed, failed, lost, and tried again.

#include <algorithm>

#include "leased_work/rows.hpp"
#include "modules/webhooks/decide.hpp"
#include "modules/webhooks/details.hpp"
#include "modules/webhooks/kinds.hpp"

namespace holdfast::webhooks {
namespace {

leased_work::Asked asked_for(const InboxLeasing& what, std::string_view tenant) {
  return leased_work::asked_for(what, tenant, dispatchers_do);
}

/// An entry, and what is left to do about it, if anything is.
using Found = leased_work::Found<EntryRow, WorkRow>;

Found find(std::string_view id, const Deciding& deciding) {
  return leased_work::find<EntryRow, WorkRow>(id, row_key_in(id), deciding);
}

Moved later(WorkRow work, Instant at) {
  leased_work::rest_until(work.lease, at);
  work.dead = false;
  return Moved::of(work);
}

Moved given_up(WorkRow work) {
  work.lease.until.reset();
  work.dead = true;
  return Moved::of(work);
}

/// An attempt came to nothing.
Moved again(WorkRow work, Instant now) {
  work.dead = !leased_work::try_again(work.lease, work.id, now);
  return Moved::of(work);
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
  leased_work::need_queues(asked_for(what, needs.tenant()), WorkRow::space, needs);
}

Refused Lease::decide(const InboxLeasing& what, Deciding& deciding) {
  if (Refused refused = leased_work::not_a_lease(what.lease)) return refused;
  const leased_work::Asked asked = asked_for(what, deciding.tenant());
  leased_work::Leased said = leased_work::lease_of(asked, deciding);
  std::vector<const WorkRow*> entries;
  leased_work::offer<WorkRow>(asked, deciding, [&](const WorkRow& work) {
    leased_work::give(said, work.id, work.lease, work.lease.attempts + 1);
    entries.push_back(&work);
    return true;
  });
  leased_work::note(said, text_of(said, entries), kinds::leased, deciding);
  return {};
}

void Complete::needs(const InboxCompleting& what, Needs& needs) {
  need_entry(what.id, Payload::removed, needs);
}

Refused Complete::decide(const InboxCompleting& what, Deciding& deciding) {
  const Found found = find(what.id, deciding);
  if (Refused refused = leased_work::not_the_holder(found, what.fence, deciding, refusals))
    return refused;
  const Completed said{.id = what.id,
                       .fence = found.work->lease.fence,
                       .attempts = found.work->lease.attempts,
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
  if (Refused refused = leased_work::not_the_holder(found, what.fence, deciding, refusals))
    return refused;
  WorkRow work = *found.work;
  work.lease.error = what.error;
  if (what.verdict == "dead") {
    note(given_up(work), deciding);
  } else if (what.verdict == "retry") {
    note(again(work, deciding.now), deciding);
  } else {
    // The longer it has been waited for, the seldomer it is looked at.
    const Duration most(static_cast<std::int64_t>(work.lease.backoff.most_us));
    const Duration least(static_cast<std::int64_t>(work.lease.backoff.first_us));
    const Duration waited = deciding.now - work.received_at;
    --work.lease.attempts;
    note(later(work, deciding.now + std::max(least, std::min(waited, most))), deciding);
  }
  return {};
}

void Retry::needs(const InboxRetrying& what, Needs& needs) {
  need_entry(what.id, Payload::left_alone, needs);
}

Refused Retry::decide(const InboxRetrying& what, Deciding& deciding) {
  const Found found = find(what.id, deciding);
  if (Refused refused = leased_work::not_at_rest(found, refusals)) return refused;
  if (found.work == nullptr) return Refusal{refusals.not_open};
  WorkRow work = *found.work;
  work.lease.attempts = 0;
  deciding.outcome(kinds::reopened).detail = later(std::move(work), deciding.now).text();
  return {};
}

void sweep(const WorkingSet& rows, const Due& due, Draft& draft) {
  const auto lose = [&](WorkRow work, std::string_view) {
    work.lease.error = leased_work::without_a_word;
    const Moved moved = again(work, draft.now);
    draft.add(moved.dead ? kinds::died : kinds::lost, work.tenant).detail = moved.text();
  };
  leased_work::each_lost<WorkRow>(rows, due, draft.now, lose);
}

}  // namespace holdfast::webhooks

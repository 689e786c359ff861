#include "domain/decide.hpp"

#include "domain/answer.hpp"
#include "domain/confirmation.hpp"
#include "domain/hold_picture.hpp"
#include "domain/kind.hpp"
#include "domain/module.hpp"

namespace holdfast {
namespace {

/// One decision under way: what it looks at, and the records it appends.
class Decider {
 public:
  Decider(const WorkingSet& rows, const Request& request, Instant now, FreshIds& ids,
          std::uint64_t next_seq, const Rules& rules, Records& records)
      : rows_(rows),
        request_(request),
        now_(now),
        ids_(ids),
        rules_(rules),
        draft_{records, next_seq, now} {}

  /// A flood is counted, not listed: where no node can answer from memory, because the outcome
  /// settles later, the replays of one batch share a record.
  Decision replay(const TokenRow& first) {
    const bool later = spec_of(command().operation()).later != nullptr;
    if (Record* const counted = later ? replay_in_batch(first.seq) : nullptr) {
      ++counted->count;
      return {Claim::recorded, first, true};
    }
    Record& record = draft_.add(RecordKind::replayed, request_);
    record.ref = first.seq;
    record.count = 1;
    record.first_at = now_;
    return {Claim::recorded, first, true};
  }

  Decision collide(const TokenRow& first) {
    Record& record = draft_.add(RecordKind::collided, request_);
    record.ref = first.seq;
    record.rejection = Rejection::token_collision;
    TokenRow outcome = first;  // it says when the token will be free again, and nothing else
    outcome.rejection = Rejection::token_collision;
    outcome.reason = Reason::none;
    outcome.hold_ordinal = 0;
    outcome.detail.reset();
    return {Claim::collision, outcome, false};
  }

  Decision run() {
    const Policy& policy = rules_.policies[command().operation()];
    if (policy.confirmation == Confirmation::required && !is_confirmed(request_, now_, rules_)) {
      return unrecorded(Refusal{Rejection::confirmation_required});
    }
    const TokenRow* const spent = spent_nonce();
    const std::size_t before = draft_.records.size();
    const Refused refused = spent == nullptr ? operate() : Refusal{Rejection::nonce_replay};
    if (refused && leaves_no_row(*refused)) return unrecorded(*refused);
    if (!refused && draft_.records.size() == before) return unrecorded(std::nullopt);
    if (refused) reject(*refused);
    Record& outcome = draft_.records.back();
    take_picture(outcome);
    if (spent == nullptr) {
      outcome.nonce = request_.call.nonce;
      outcome.nonce_key = request_.nonce_key;
    } else {
      outcome.ref = spent->seq;
    }
    return {Claim::fresh, outcome_of(outcome), true};
  }

 private:
  const Command& command() const { return request_.command(); }

  /// The record that counts replays of that outcome to the same caller; null if there is none yet.
  Record* replay_in_batch(std::uint64_t seq) const {
    const std::string& principal = request_.call.caller.principal;
    for (auto each = draft_.records.rbegin(); each != draft_.records.rend(); ++each) {
      if (each->kind != RecordKind::replayed || each->ref != seq) continue;
      if (each->principal == principal) return &*each;
    }
    return nullptr;
  }

  bool leaves_no_row(const Refusal& refusal) const {
    if (row(refusal.rejection).recorded == Recorded::never) return true;
    const OperationSpec& spec = spec_of(command().operation());
    if (spec.on_reject != nullptr)
      return spec.on_reject(command().parameters()) == OnReject::release;
    return rules_.policies[command().operation()].on_reject == OnReject::release;
  }

  /// The outcome the request's nonce was spent with, if that is still remembered.
  const TokenRow* spent_nonce() const {
    if (request_.call.nonce.empty()) return nullptr;
    const TokenRow* spent = rows_.nonce(request_.nonce_key);
    if (spent == nullptr) return nullptr;
    return remembers(rules_, *spent, now_) ? spent : nullptr;
  }

  /// Runs the operation. Appends its records, the token's outcome last, or refuses.
  Refused operate() {
    const OperationSpec& spec = spec_of(command().operation());
    const void* const parameters = command().parameters();
    if (Refused bad = check_bounds(spec.fields, parameters, rules_, now_)) return bad;
    Deciding deciding{rows_, request_, rules_, now_, ids_, draft_};
    Refused refused = spec.decide(parameters, deciding);
    blame_ = std::move(deciding.blame);
    return refused;
  }

  /// Notes how the hold stands after the outcome, if its row will not tell for ever.
  void take_picture(Record& outcome) const {
    if (outcome.hold.ordinal == 0 || !outcome.detail.empty()) return;
    if (spec_of(command().operation()).told) return;
    const HoldRow* const before = rows_.hold(request_.tenant(), outcome.hold);
    if (before == nullptr) return;
    const KindRow& kind = *find_kind(outcome.kind);
    if (outcome.rejection && leaves_state_open(outcome.operation, *outcome.rejection)) {
      outcome.detail = picture_of(*before);
      return;
    }
    if (before->changed_seq == 0 && !kind.amends() && outcome.quantity == 0) return;
    HoldRow after = *before;
    if (kind.does == StateChange::resolve) resolve(after, outcome);
    if (kind.amends()) amend(after, outcome);
    if (after.changed_seq != 0) outcome.detail = picture_of(after);
  }

  /// What is not valid may not fit a column: it is left out.
  void reject(Refusal refusal) {
    Record& record = draft_.add(RecordKind::rejected, request_);
    record.rejection = refusal.rejection;
    record.reason = refusal.reason;
    if (refusal.rejection == Rejection::nonce_replay) return;
    if (refusal.rejection == Rejection::invalid_request) return;
    spec_of(command().operation()).describe(command().parameters(), record);
    if (blame_.hold.ordinal != 0) record.hold = blame_.hold;
    if (!blame_.resource.empty()) record.resource = blame_.resource;
    if (blame_.quantity != 0) record.quantity = blame_.quantity;
    record.detail = std::move(blame_.detail);
  }

  /// An outcome that leaves no row: the token stays unused. It was refused, or nothing was there to
  /// be done.
  Decision unrecorded(Refused refused) {
    TokenRow outcome;
    outcome.operation = command().operation();
    outcome.recorded_at = now_;
    if (refused) {
      outcome.rejection = refused->rejection;
      outcome.reason = refused->reason;
    }
    const HoldId named = hold_named_by(command());
    const bool visible = rows_.hold(request_.tenant(), named) != nullptr;
    const bool looked_at = outcome.rejection != Rejection::invalid_request;
    if (visible && looked_at) outcome.hold_ordinal = named.ordinal;
    if (!blame_.detail.empty())
      outcome.detail = std::make_shared<const std::string>(std::move(blame_.detail));
    return {Claim::fresh, outcome, false};
  }

  const WorkingSet& rows_;
  const Request& request_;
  const Instant now_;
  FreshIds& ids_;
  const Rules& rules_;
  Draft draft_;
  Blame blame_;
};

}  // namespace

Claim claim(const TokenRow* token, const Request& request, const Rules& rules, Instant now) {
  if (token == nullptr) return Claim::fresh;
  if (!remembers(rules, *token, now)) return Claim::fresh;
  return token->fingerprint == request.fingerprint ? Claim::recorded : Claim::collision;
}

Decision decide(const WorkingSet& rows, const Request& request, Instant now, FreshIds& ids,
                std::uint64_t next_seq, const Rules& rules, Records& records) {
  Decider decider(rows, request, now, ids, next_seq, rules, records);
  const TokenRow* token = rows.token(request.key);
  switch (claim(token, request, rules, now)) {
    case Claim::recorded:
      return decider.replay(*token);
    case Claim::collision:
      return decider.collide(*token);
    case Claim::fresh:
      break;
  }
  return decider.run();
}

void decide_sweep(const WorkingSet& rows, const Due& due, Instant now, std::uint64_t next_seq,
                  Records& records) {
  Draft draft{records, next_seq, now};
  for (const Module* each : modules()) {
    if (each->sweep != nullptr) each->sweep(rows, due, draft);
  }
}

}  // namespace holdfast

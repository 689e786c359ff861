#include "domain/decide.hpp"

#include "domain/commitment.hpp"
#include "domain/confirmation.hpp"
#include "domain/duplicate_prevention.hpp"

namespace holdfast {
namespace {

using commitment::Refusal;
using commitment::Verdict;

/// Whether such an id is ever given out. A caller can make up others; they name no hold.
bool could_exist(HoldId id) {
  return id.ordinal >= 1 && id.ordinal <= INT64_MAX && id.salt < (std::uint64_t{1} << 60U);
}

/// One decision under way: what it looks at, and the records it appends.
class Decider {
 public:
  Decider(const WorkingSet& rows, const Request& request, Instant now, HoldId next_id,
          std::uint64_t next_seq, const Rules& rules, Records& records)
      : rows_(rows),
        request_(request),
        now_(now),
        next_id_(next_id),
        next_seq_(next_seq),
        rules_(rules),
        records_(records) {}

  Decision replay(const TokenRow& first) {
    Record& record = append(RecordKind::replayed);
    record.ref = first.seq;
    record.count = 1;
    record.first_at = now_;
    return {Claim::recorded, first, true};
  }

  Decision collide(const TokenRow& first) {
    Record& record = append(RecordKind::collided);
    record.ref = first.seq;
    record.rejection = Rejection::token_collision;
    TokenRow outcome = first;  // it says when the token will be free again, and nothing else
    outcome.rejection = Rejection::token_collision;
    outcome.reason = Reason::none;
    outcome.hold_ordinal = 0;
    return {Claim::collision, outcome, false};
  }

  Decision run() {
    const Policy& policy = rules_.policies[command().operation];
    if (policy.confirmation == Confirmation::required && !is_confirmed(request_, now_, rules_)) {
      return unrecorded({Rejection::confirmation_required});
    }
    const TokenRow* const spent = spent_nonce();
    const Verdict refused = spent == nullptr ? operate() : Refusal{Rejection::nonce_replay};
    if (refused && policy.on_reject == OnReject::release) return unrecorded(*refused);
    const Decision decision =
        refused ? reject(*refused) : Decision{Claim::fresh, token_row_of(records_.back()), true};
    Record& outcome = records_.back();
    if (spent == nullptr) {
      outcome.nonce = request_.call.nonce;
      outcome.nonce_key = request_.nonce_key;
    } else {
      outcome.ref = spent->seq;
    }
    return decision;
  }

 private:
  const Command& command() const { return request_.command(); }

  /// The outcome the request's nonce was spent with, if that is still remembered.
  const TokenRow* spent_nonce() const {
    if (request_.call.nonce.empty()) return nullptr;
    const TokenRow* spent = rows_.nonce(request_.nonce_key);
    if (spent == nullptr) return nullptr;
    const auto window = rules_.window_of(spent->operation);
    return duplicate_prevention::seen(spent->recorded_at, window, now_) ? spent : nullptr;
  }

  Record& append(RecordKind kind) {
    Record& record = records_.emplace_back();
    record.seq = next_seq_++;
    record.kind = kind;
    record.at = now_;
    record.tenant = request_.tenant();
    record.principal = request_.call.caller.principal;
    record.operation = command().operation;
    record.token = request_.token();
    record.digest = request_.digest;
    record.key = request_.key;
    record.fingerprint = request_.fingerprint;
    return record;
  }

  /// Runs the operation. Appends its records, the token's outcome last, or refuses.
  Verdict operate() {
    const HoldRow* hold = rows_.hold(request_.tenant(), command().hold);
    switch (command().operation) {
      case Operation::hold_place:
        return place();
      case Operation::hold_confirm:
        return resolve(commitment::may_confirm(hold, now_), RecordKind::confirmed);
      case Operation::hold_release:
        return resolve(commitment::may_release(hold, now_), RecordKind::released);
      case Operation::hold_expire:
        return resolve(commitment::may_expire(hold, now_), RecordKind::expired);
      case Operation::resource_declare:
        return declare();
      case Operation::none:
        break;
    }
    return Refusal{Rejection::invalid_request};
  }

  Verdict place() {
    const ResourceRow& resource = rows_.resource({request_.tenant(), command().resource});
    if (Verdict bad = commitment::check_placing(command(), resource.capacity, rules_, now_)) {
      return bad;
    }
    const auto lapsed =
        commitment::make_room(rows_, resource, resource.capacity, command().quantity, now_);
    if (!lapsed) return Refusal{Rejection::resource_unavailable};
    expire_first(*lapsed);
    Record& record = append(RecordKind::placed);
    record.hold = next_id_;
    record.resource = command().resource;
    record.requester = command().requester;
    record.quantity = command().quantity;
    record.expires_at = now_ + command().duration;
    return {};
  }

  Verdict declare() {
    if (Verdict bad = commitment::check_declaring(command())) return bad;
    const ResourceRow& resource = rows_.resource({request_.tenant(), command().resource});
    const auto lapsed = commitment::make_room(rows_, resource, command().capacity, 0, now_);
    if (!lapsed) return Refusal{Rejection::capacity_in_use};
    expire_first(*lapsed);
    Record& record = append(RecordKind::declared);
    record.resource = command().resource;
    record.capacity = command().capacity;
    return {};
  }

  Verdict resolve(Verdict refused, RecordKind kind) {
    if (!refused) append(kind).hold = command().hold;
    return refused;
  }

  void expire_first(const std::vector<std::uint64_t>& lapsed) {
    decide_sweep(rows_, lapsed, now_, next_seq_, records_);
    next_seq_ += lapsed.size();
  }

  Decision reject(Refusal refusal) {
    Record& record = append(RecordKind::rejected);
    record.rejection = refusal.rejection;
    record.reason = refusal.reason;
    if (refusal.rejection == Rejection::nonce_replay)
      return {Claim::fresh, token_row_of(record), true};
    const bool names_are_sound = refusal.rejection != Rejection::invalid_request;
    switch (command().operation) {
      case Operation::hold_place:
        if (!names_are_sound) break;
        record.resource = command().resource;
        record.requester = command().requester;
        record.quantity = command().quantity;
        break;
      case Operation::resource_declare:
        if (!names_are_sound) break;
        record.resource = command().resource;
        record.capacity = command().capacity;
        break;
      default:
        if (could_exist(command().hold)) record.hold = command().hold;
    }
    return {Claim::fresh, token_row_of(record), true};
  }

  /// An outcome that leaves no row: the token stays unused.
  Decision unrecorded(Refusal refusal) {
    TokenRow outcome;
    outcome.operation = command().operation;
    outcome.recorded_at = now_;
    outcome.rejection = refusal.rejection;
    outcome.reason = refusal.reason;
    const bool visible = rows_.hold(request_.tenant(), command().hold) != nullptr;
    if (visible) outcome.hold_ordinal = command().hold.ordinal;
    return {Claim::fresh, outcome, false};
  }

  const WorkingSet& rows_;
  const Request& request_;
  const Instant now_;
  const HoldId next_id_;
  std::uint64_t next_seq_;
  const Rules& rules_;
  Records& records_;
};

}  // namespace

Claim claim(const TokenRow* token, const Request& request, const Rules& rules, Instant now) {
  if (token == nullptr) return Claim::fresh;
  const auto window = rules.window_of(token->operation);
  if (!duplicate_prevention::seen(token->recorded_at, window, now)) return Claim::fresh;
  return token->fingerprint == request.fingerprint ? Claim::recorded : Claim::collision;
}

Decision decide(const WorkingSet& rows, const Request& request, Instant now, HoldId next_id,
                std::uint64_t next_seq, const Rules& rules, Records& records) {
  Decider decider(rows, request, now, next_id, next_seq, rules, records);
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

void decide_sweep(const WorkingSet& rows, const std::vector<std::uint64_t>& due, Instant now,
                  std::uint64_t next_seq, Records& records) {
  for (const std::uint64_t ordinal : due) {
    const HoldRow* hold = rows.hold(ordinal);
    if (hold == nullptr || !hold->lapsed(now)) continue;
    Record& record = records.emplace_back();
    record.seq = next_seq++;
    record.kind = RecordKind::expired;
    record.at = now;
    record.tenant = hold->tenant;
    record.hold = hold->id;
  }
}

}  // namespace holdfast

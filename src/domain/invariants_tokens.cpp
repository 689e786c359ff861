#include "domain/invariants_tokens.hpp"

#include <fmt/format.h>

#include "domain/kind.hpp"
#include "domain/operation.hpp"

namespace holdfast::audit {
namespace {

/// Whether an operation can end in such a record.
bool fits(Operation operation, RecordKind kind) {
  const OperationSpec* spec = find_spec(operation);
  return spec != nullptr && (kind == RecordKind::rejected || spec->ends_in(kind));
}

Invariant same_answer_invariant(Operation operation) {
  const OperationSpec* spec = find_spec(operation);
  return spec != nullptr && spec->creates() ? Invariant::ir_1 : Invariant::ir_2;
}

std::string_view bytes_of(const Digest& digest) {
  return {reinterpret_cast<const char*>(digest.bytes.data()), digest.bytes.size()};
}

}  // namespace

TokenBooks::TokenBooks(const Rules& rules, const Names& names, Findings& findings)
    : names_(names), findings_(findings), windows_(rules, findings) {}

void TokenBooks::see(const Record& record) {
  const KindRow* kind = find_kind(record.kind);
  if (kind == nullptr) return;  // reported as lost
  windows_.see(record);
  if (record.kind == RecordKind::window_changed) return;
  check_parts(record, *kind);
  if (is_part(record)) return;
  kind->outcome ? outcome(record) : repeat(record);
}

/// The parts of what a call did stand right before its outcome, which has the same token.
void TokenBooks::check_parts(const Record& record, const KindRow& kind) {
  const bool part = is_part(record);
  if (!part && awaited_ == 0) return;
  const Hash128 token = names_.of(record.tenant, record.token);
  expect_parts_to_end(
      record, part ? awaited_ == 0 || (awaited_ == record.ref && awaited_token_ == token)
                   : awaited_ == record.seq && awaited_token_ == token && kind.subject == "group");
  awaited_ = part ? record.ref : 0;
  awaited_token_ = token;
  if (part) last_part_ = record;
}

void TokenBooks::expect_parts_to_end(const Record& record, bool good) {
  findings_.check(Invariant::ir_3, good, record, [&] {
    return fmt::format("parts of record {} were to end in the outcome of their token", awaited_);
  });
}

void TokenBooks::finish() {
  if (awaited_ != 0) expect_parts_to_end(last_part_, false);
  windows_.finish();
}

void TokenBooks::check_nonce(const Record& record) {
  if (record.rejection == Rejection::nonce_replay) {
    const auto spent = spendings_.find(record.ref);
    const bool due = spent != spendings_.end() &&
                     spent->second.tenant == names_.of(record.tenant) &&
                     within_window(spent->second.binding, us(record.at));
    findings_.check(Invariant::ng_1, due, record, [&] {
      return fmt::format("refused for a nonce that record {} had not spent", record.ref);
    });
  }
  if (record.nonce.empty()) return;
  const Binding second = binding_of(record);
  const auto placed = nonces_.try_emplace(names_.of(record.tenant, record.nonce), second);
  Binding& first = placed.first->second;
  const bool good = placed.second || !within_window(first, second.at_us);
  findings_.check(Invariant::ng_1, good, record,
                  [&] { return fmt::format("its nonce was spent by record {}", first.seq); });
  first = second;
  spendings_.try_emplace(record.seq, Spending{names_.of(record.tenant), second});
}

void TokenBooks::outcome(const Record& record) {
  if (made_by_engine(record) && record.token.empty()) return;
  check_nonce(record);
  const bool has_token = !record.token.empty();
  const bool refused = record.kind == RecordKind::rejected;
  if (refused) {
    findings_.check(Invariant::ir_7, has_token && record.rejection, record, [&] {
      return has_token ? "the token was recorded without an outcome"
                       : "an outcome was recorded without a token";
    });
  } else {
    findings_.check(Invariant::ir_8, has_token, record, [&] {
      return fmt::format("{} by a caller, but without a token", name(record.kind));
    });
  }
  if (!has_token) return;

  const bool bound = fits(record.operation, record.kind) && !(record.digest == Digest{});
  findings_.check(Invariant::ir_4, bound, record, [&] {
    return fmt::format("token {} is bound to {}, a record of kind {}, {}", in_quotes(record.token),
                       operation_text(record.operation), name(record.kind),
                       record.digest == Digest{} ? "and no parameters" : "which it cannot make");
  });

  const Hash128 token = names_.of(record.tenant, record.token);
  const Binding second = binding_of(record);
  const auto [found, fresh] = latest_.try_emplace(token, second);
  if (fresh) {
    for (const Invariant each : {Invariant::dp_1, Invariant::dp_3}) {
      findings_.check(each, true, record, [] { return ""; });
    }
    return;
  }
  bind_again(record, found->second, second);
  superseded_.try_emplace(found->second.seq, Superseded{token, found->second});
  found->second = second;
}

/// Using a token afresh is right after its window, and wrong in every way within it.
void TokenBooks::bind_again(const Record& record, const Binding& first, const Binding& second) {
  const bool forgotten = !within_window(first, second.at_us);
  const auto text = [&](std::string_view what) {
    return fmt::format("token {}, recorded at {} by record {}, {}", in_quotes(record.token),
                       when(first.at_us), first.seq, what);
  };
  findings_.check(Invariant::dp_1, forgotten, record,
                  [&] { return text("was not seen within its window"); });
  findings_.check(Invariant::dp_3, forgotten, record,
                  [&] { return text("was recorded again within its window"); });
  const bool one_hold = first.hold == 0 || second.hold == 0 || first.hold == second.hold;
  findings_.check(Invariant::ir_3, forgotten || one_hold, record,
                  [&] { return text("is bound to another hold as well"); });
  findings_.check(Invariant::ir_4, forgotten || first.same_request(second), record,
                  [&] { return text("is bound to another request as well"); });
  const bool one_answer = !first.same_request(second) || first.same_answer(second);
  findings_.check(same_answer_invariant(record.operation), forgotten || one_answer, record,
                  [&] { return text("gave the same request another answer"); });
  const bool one_change = !first.changes_state() || !second.changes_state();
  findings_.check(Invariant::ir_8, forgotten || one_change, record,
                  [&] { return text("took effect a second time"); });
}

void TokenBooks::repeat(const Record& record) {
  check_no_effect(record);
  const bool replayed = record.kind == RecordKind::replayed;
  if (replayed) {
    findings_.check(Invariant::dp_1, record.count >= 1, record,
                    [&] { return fmt::format("replayed {} times", record.count); });
    findings_.check(Invariant::pc_8, record.first_at <= record.at, record, [&] {
      return fmt::format("replayed first at {}, last at {}", when(us(record.first_at)),
                         when(us(record.at)));
    });
    const bool of_many = record.ref == 0 && record.token.empty();
    if (of_many) return;
  }
  const Binding* const first = find(names_.of(record.tenant, record.token), record.ref);
  const auto unfounded = [&] {
    return fmt::format("token {} was {} from record {}, which is not its outcome",
                       in_quotes(record.token), name(record.kind), record.ref);
  };
  findings_.check(Invariant::dp_1, first != nullptr, record, unfounded);
  if (replayed) {
    findings_.check(same_answer_invariant(record.operation), first != nullptr, record, unfounded);
  }
  if (first != nullptr) check_reference(record, *first);
}

void TokenBooks::check_no_effect(const Record& record) {
  const bool nothing = record.hold == HoldId{} && record.resource.empty() &&
                       record.requester.empty() && record.quantity == 0 && record.capacity == 0 &&
                       us(record.expires_at) == 0;
  const bool answer_is_its_own = record.kind == RecordKind::collided
                                     ? record.rejection == Rejection::token_collision
                                     : !record.rejection;
  findings_.check(Invariant::dp_4, nothing && answer_is_its_own, record, [&] {
    return fmt::format("seeing token {} left more behind than that", in_quotes(record.token));
  });
}

void TokenBooks::check_reference(const Record& record, const Binding& first) {
  const bool replayed = record.kind == RecordKind::replayed;
  // A replay is written down a little after it was given, so its own instant is the first one.
  const std::int64_t at_us = us(replayed ? record.first_at : record.at);
  const bool seen = within_window(first, at_us);
  const auto late = [&] {
    return fmt::format("token {}, recorded at {}, was {} at {}, after its window",
                       in_quotes(record.token), when(first.at_us), name(record.kind), when(at_us));
  };
  findings_.check(Invariant::dp_2, seen, record, late);
  findings_.check(Invariant::ir_7, seen, record, late);
  const bool same = first.same_request(binding_of(record));
  findings_.check(Invariant::ir_4, same == replayed, record, [&] {
    return fmt::format("token {} was {}, but the request is {} that of record {}",
                       in_quotes(record.token), name(record.kind), same ? "the same as" : "not",
                       record.ref);
  });
}

const TokenBooks::Binding* TokenBooks::find(const Hash128& token, std::uint64_t seq) const {
  const auto current = latest_.find(token);
  if (current == latest_.end()) return nullptr;
  if (current->second.seq == seq) return &current->second;
  const auto older = superseded_.find(seq);
  if (older == superseded_.end() || !(older->second.token == token)) return nullptr;
  return &older->second.binding;
}

TokenBooks::Binding TokenBooks::binding_of(const Record& record) const {
  const bool speaks_of_hold = record.rejection != Rejection::not_known;
  std::optional<std::int64_t> ends_us;
  const OperationSpec* const spec = find_spec(record.operation);
  if (spec != nullptr && spec->own_window)
    ends_us = us(record.expires_at == Instant{} ? never : record.expires_at);
  return {.seq = record.seq,
          .at_us = us(record.at),
          .ends_us = ends_us,
          .digest = names_.of(bytes_of(record.digest)),
          .principal = names_.of(record.principal),
          .hold = speaks_of_hold ? record.hold.ordinal : 0,
          .operation = record.operation,
          .kind = record.kind,
          .rejection = record.rejection.value_or(Rejection{}),
          .reason = record.reason};
}

}  // namespace holdfast::audit

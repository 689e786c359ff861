#pragma once

#include "domain/kind.hpp"

namespace holdfast {

/// What one record does to state: the only place that says so. The working set of a batch,
/// every resident store and the fold at opening are all changed through it.
///
/// `State` offers these primitives, each taking the record. What a kind of record does is in its
/// row: see `domain/kind.hpp`.
///   place        a new held hold occupies its quantity
///   resolve      what is still held of a hold ends; unless confirmed, it is freed
///   amend        a hold is extended, confirmed in part, or gives back what was confirmed
///   gather       the last `count` holds, from `hold` on, are a group
///   declare      a resource gets its capacity
///   change_rows  rows of the record's module change, as the module says
///   bind_token   the record is the outcome of its token
///   spend_nonce  the record's nonce is spent, with that outcome
template <typename State>
void apply(State& state, const Record& record) {
  const KindRow* const kind = find_kind(record.kind);
  switch (kind == nullptr ? StateChange::none : kind->does) {
    case StateChange::place:
      state.place(record);
      break;
    case StateChange::resolve:
      state.resolve(record);
      break;
    case StateChange::extend:
    case StateChange::keep:
    case StateChange::give_back:
      state.amend(record);
      break;
    case StateChange::gather:
      state.gather(record);
      break;
    case StateChange::declare:
      state.declare(record);
      break;
    case StateChange::rows:
      state.change_rows(record);
      break;
    case StateChange::none:
      break;  // evidence, or a refusal: it changes nothing but what its token answers
  }
  if (!binds_token(record)) return;
  state.bind_token(record);
  if (!record.nonce.empty()) state.spend_nonce(record);
}

}  // namespace holdfast

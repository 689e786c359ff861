#pragma once

#include "domain/record.hpp"

namespace holdfast {

/// What one record does to state: the only place that says so. The working set of a batch,
/// every resident store and the fold at opening are all changed through it.
///
/// `State` offers five primitives, each taking the record:
///   place       a new held hold occupies its quantity
///   resolve     a held hold reaches its terminal state; unless confirmed, its quantity is freed
///   declare     a resource gets its capacity
///   bind_token  the record is the outcome of its token
///   spend_nonce the record's nonce is spent, with that outcome
template <typename State>
void apply(State& state, const Record& record) {
  switch (record.kind) {
    case RecordKind::placed:
      state.place(record);
      break;
    case RecordKind::confirmed:
    case RecordKind::released:
    case RecordKind::expired:
      state.resolve(record);
      break;
    case RecordKind::declared:
      state.declare(record);
      break;
    case RecordKind::rejected:
      break;  // changes nothing but what its token answers
    case RecordKind::collided:
    case RecordKind::replayed:
      break;  // evidence only
  }
  if (!binds_token(record)) return;
  state.bind_token(record);
  if (!record.nonce.empty()) state.spend_nonce(record);
}

}  // namespace holdfast

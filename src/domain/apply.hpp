#pragma once

#include "domain/record.hpp"

namespace holdfast {

/// What one record does to state: the only place that says so. The working set of a batch,
/// every resident store and the fold at opening are all changed through it.
///
/// `State` offers four primitives, each taking the record:
///   place       a new held hold occupies its quantity
///   resolve     a held hold reaches its terminal state; unless confirmed, its quantity is freed
///   declare     a resource gets its capacity
///   bind_token  the record is the outcome of its token
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
  if (binds_token(record)) state.bind_token(record);
}

}  // namespace holdfast

#pragma once

#include "domain/fresh_ids.hpp"
#include "domain/refusal.hpp"
#include "domain/request.hpp"
#include "domain/rows.hpp"
#include "domain/rules.hpp"

namespace holdfast {

/// The records of a batch, as they are decided.
struct Draft {
  Records& records;
  std::uint64_t next_seq;
  Instant now;

  /// One that nobody asked for: the engine's own.
  Record& add(RecordKind kind, std::string_view tenant) {
    Record& record = records.emplace_back();
    record.seq = next_seq++;
    record.kind = kind;
    record.at = now;
    record.tenant = tenant;
    return record;
  }

  /// One of that request, with its token.
  Record& add(RecordKind kind, const Request& request) {
    Record& record = add(kind, request.tenant());
    record.principal = request.call.caller.principal;
    record.operation = request.command().operation();
    record.token = request.token();
    record.digest = request.digest;
    record.key = request.key;
    record.fingerprint = request.fingerprint;
    return record;
  }
};

/// What exactly stood in the way of an operation that is not about one hold or resource: for the
/// record of its refusal.
struct Blame {
  HoldId hold{};
  std::string resource{};
  std::int64_t quantity = 0;
  std::string detail{};  ///< JSON, for the answer
};

/// What an operation decides with: the rows its needs named, the instant, and the records so far.
/// It reads nothing else, and changes nothing but the draft.
struct Deciding {
  const WorkingSet& rows;
  const Request& request;
  const Rules& rules;
  const Instant now;
  FreshIds& ids;  ///< of holds that are placed
  Draft& draft;
  Blame blame{};

  [[nodiscard]] const std::string& tenant() const { return request.tenant(); }
  /// The outcome of the request. It must be the last record of the operation.
  [[nodiscard]] Record& outcome(RecordKind kind) { return draft.add(kind, request); }
  /// A part of what the request does, of which so many more follow before the outcome. It carries
  /// the token and does not bind it: see `binds_token`.
  [[nodiscard]] Record& part(RecordKind kind, std::size_t more) {
    Record& record = draft.add(kind, request);
    record.ref = record.seq + more + 1;
    return record;
  }
};

}  // namespace holdfast

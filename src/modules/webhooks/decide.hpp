#pragma once

#include "domain/module.hpp"
#include "holdfast/webhooks.hpp"
#include "leased_work/decisions.hpp"
#include "modules/webhooks/inbox_rows.hpp"

/// What the operations on webhooks do. Each refuses, or appends its records.
namespace holdfast::webhooks {

struct Receive {
  static void needs(const Receiving& what, Needs& needs);
  static Refused decide(const Receiving& what, Deciding& deciding);
  static void describe(const Receiving&, Record&) {}
  /// What is not taken in never uses an event id up.
  static OnReject on_reject(const void*) { return OnReject::release; }
};

struct Lease {
  static void needs(const InboxLeasing& what, Needs& needs);
  static Refused decide(const InboxLeasing& what, Deciding& deciding);
  static void describe(const InboxLeasing&, Record&) {}
};

/// What workers and operators are refused with.
inline constexpr leased_work::Refusals refusals{.not_known = Rejection::inbox_entry_not_known,
                                                .not_open = Rejection::inbox_entry_not_open};

struct Complete {
  static void needs(const InboxCompleting& what, Needs& needs);
  static Refused decide(const InboxCompleting& what, Deciding& deciding);
  static void describe(const InboxCompleting&, Record&) {}
};

struct Fail {
  static void needs(const InboxFailing& what, Needs& needs);
  static Refused decide(const InboxFailing& what, Deciding& deciding);
  static void describe(const InboxFailing&, Record&) {}
};

struct Retry {
  static void needs(const InboxRetrying& what, Needs& needs);
  static Refused decide(const InboxRetrying& what, Deciding& deciding);
  static void describe(const InboxRetrying&, Record&) {}
};

/// The rows of an entry; the payload only for whoever removes it, since it may be large.
enum class Payload : std::uint8_t { left_alone, removed };
void need_entry(std::string_view id, Payload payload, Needs& needs);

/// The rows that a record changes; what it does to them; what the clock alone makes of leases.
void name_rows(const Record& record, Needs& needs);
std::string_view apply(const Record& record, RowWriter& rows);
void sweep(const WorkingSet& rows, const Due& due, Draft& draft);

/// How an answer is told of a webhook: from its entry, always the same.
void tell(const void* row, std::uint64_t seq, Answer& answer);

}  // namespace holdfast::webhooks

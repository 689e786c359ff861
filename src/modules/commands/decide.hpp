#pragma once

#include "domain/module.hpp"
#include "holdfast/commands.hpp"
#include "leased_work/decisions.hpp"
#include "modules/commands/effect_row.hpp"

/// What the operations on commands do. Each refuses, or appends its records.
namespace holdfast::commands {

struct Submit {
  static void needs(const Submitting& what, Needs& needs);
  static Refused decide(const Submitting& what, Deciding& deciding);
  static void describe(const Submitting&, Record&) {}
  static OnReject on_reject(const void* parameters);
  static const std::string& canonical(const void* parameters);
};

struct Approve {
  static void needs(const Approving& what, Needs& needs);
  static Refused decide(const Approving& what, Deciding& deciding);
  static void describe(const Approving&, Record&) {}
};

struct Adopt {
  static void needs(const Adopting&, Needs& needs);
  static Refused decide(const Adopting& what, Deciding& deciding);
  static void describe(const Adopting&, Record&) {}
};

struct Lease {
  static void needs(const Leasing& what, Needs& needs);
  static Refused decide(const Leasing& what, Deciding& deciding);
  static void describe(const Leasing&, Record&) {}
};

/// How long the arguments of a command with its target, or the result of an effect, may be. A row
/// may have both twice, and a database need not take more than a mebibyte at once.
inline constexpr std::size_t json_bytes_max = std::size_t{200} << 10U;

/// What workers and operators are refused with.
inline constexpr leased_work::Refusals refusals{.not_known = Rejection::command_not_known,
                                                .not_open = Rejection::effect_not_open};

/// Operations on one effect, by the id of its command: it and the command are needed.
void need_effect(std::string_view id, Needs& needs);
template <typename P>
struct OnEffect {
  static void needs(const P& what, Needs& needs) { need_effect(what.id, needs); }
  static void describe(const P&, Record&) {}
};

struct Renew : OnEffect<Renewing> {
  static Refused decide(const Renewing& what, Deciding& deciding);
};

struct Complete : OnEffect<Completing> {
  static Refused decide(const Completing& what, Deciding& deciding);
};

struct Fail : OnEffect<Failing> {
  static Refused decide(const Failing& what, Deciding& deciding);
};

struct Retry : OnEffect<Retrying> {
  static Refused decide(const Retrying& what, Deciding& deciding);
};

struct Resolve : OnEffect<Resolving> {
  static Refused decide(const Resolving& what, Deciding& deciding);
};

struct Cancel : OnEffect<CancellingEffect> {
  static Refused decide(const CancellingEffect& what, Deciding& deciding);
};

/// The rows that a record changes; what it does to them; what the clock alone makes of leases.
void name_rows(const Record& record, Needs& needs);
std::string_view apply(const Record& record, RowWriter& rows);
void sweep(const WorkingSet& rows, const Due& due, Draft& draft);

/// The row that a record of another registry changes, and what it does to it.
void name_registry(Needs& needs);
std::string_view adopted(const Record& record, RowWriter& rows);

/// How an answer is told of a command: from its row.
void tell(const void* row, std::uint64_t seq, Answer& answer);

}  // namespace holdfast::commands

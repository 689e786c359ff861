#pragma once

#include "domain/module.hpp"

/// What the operations on holds do. Each refuses, or appends its records.
namespace holdfast::holds {

struct Place {
  static void needs(const Placing& what, Needs& needs);
  static Refused decide(const Placing& what, Deciding& deciding);
  static void describe(const Placing& what, Record& record);
};

/// Of operations on one hold that there is already.
struct OnHold {
  static void needs(HoldId hold, Needs& needs) { needs.hold(hold); }
  static void describe(HoldId hold, Record& record);
};

/// An operation on one hold: what it decides, and what its refusals say.
template <typename P>
struct OnHoldOf {
  static void needs(const P& what, Needs& needs) { OnHold::needs(what.hold, needs); }
  static void describe(const P& what, Record& record) { OnHold::describe(what.hold, record); }
};

struct Confirm : OnHoldOf<Confirming> {
  static Refused decide(const Confirming& what, Deciding& deciding);
  static void describe(const Confirming& what, Record& record);
};

struct Release : OnHoldOf<Releasing> {
  static Refused decide(const Releasing& what, Deciding& deciding);
};

struct Expire : OnHoldOf<Expiring> {
  static Refused decide(const Expiring& what, Deciding& deciding);
};

struct Extend : OnHoldOf<Extending> {
  static Refused decide(const Extending& what, Deciding& deciding);
};

struct Cancel : OnHoldOf<Cancelling> {
  static Refused decide(const Cancelling& what, Deciding& deciding);
  static void describe(const Cancelling& what, Record& record);
};

struct Declare {
  static void needs(const Declaring& what, Needs& needs);
  static Refused decide(const Declaring& what, Deciding& deciding);
  static void describe(const Declaring& what, Record& record);
  static void answer(const Declaring& what, Answer& answer);
  [[nodiscard]] static Declaring recorded(const Record& record);
};

/// The resource of that name, of the tenant who asks.
[[nodiscard]] inline const ResourceRow& resource_of(std::string_view name,
                                                    const Deciding& deciding) {
  return deciding.rows.resource({deciding.tenant(), name});
}

/// When a hold expires that is extended by that much now: never earlier than it would anyway.
[[nodiscard]] Instant extended_to(const HoldRow& hold, Duration duration, Instant now);

/// Appends the records that expire what of `due` is held and lapsed.
void expire_lapsed(const WorkingSet& rows, std::span<const std::uint64_t> due, Draft& draft);
/// The same of what the clock made due.
inline void sweep(const WorkingSet& rows, const Due& due, Draft& draft) {
  expire_lapsed(rows, due.holds, draft);
}

}  // namespace holdfast::holds

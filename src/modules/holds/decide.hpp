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

struct Confirm {
  static void needs(const Confirming& what, Needs& needs) { OnHold::needs(what.hold, needs); }
  static Refused decide(const Confirming& what, Deciding& deciding);
  static void describe(const Confirming& what, Record& record) {
    OnHold::describe(what.hold, record);
  }
};

struct Release {
  static void needs(const Releasing& what, Needs& needs) { OnHold::needs(what.hold, needs); }
  static Refused decide(const Releasing& what, Deciding& deciding);
  static void describe(const Releasing& what, Record& record) {
    OnHold::describe(what.hold, record);
  }
};

struct Expire {
  static void needs(const Expiring& what, Needs& needs) { OnHold::needs(what.hold, needs); }
  static Refused decide(const Expiring& what, Deciding& deciding);
  static void describe(const Expiring& what, Record& record) {
    OnHold::describe(what.hold, record);
  }
};

struct Declare {
  static void needs(const Declaring& what, Needs& needs);
  static Refused decide(const Declaring& what, Deciding& deciding);
  static void describe(const Declaring& what, Record& record);
  static void answer(const Declaring& what, Answer& answer);
  [[nodiscard]] static Declaring recorded(const Record& record);
};

/// Appends the records that expire what of `due` is held and lapsed.
void expire_lapsed(const WorkingSet& rows, std::span<const std::uint64_t> due, Draft& draft);
/// The same of what the clock made due.
inline void sweep(const WorkingSet& rows, const Due& due, Draft& draft) {
  expire_lapsed(rows, due.holds, draft);
}

}  // namespace holdfast::holds

#pragma once

#include <vector>

#include "domain/request.hpp"
#include "domain/rows.hpp"
#include "domain/rules.hpp"

/// The composition of the two atoms: what a request does, as records. Pure: reads no clock,
/// no socket, no file, and changes nothing but the list it appends to.
///
///   IR-1  same token, same parameters, within the window: same answer to a place
///   IR-2  likewise for confirm, release and expire
///   IR-3  a token is bound to at most one hold within the window
///   IR-4  a token is bound to one operation, one set of parameters and one principal
///   IR-5  Provisional Commitment's invariants hold
///   IR-6  Duplicate Prevention's invariants hold: a token is recorded once per window
///   IR-7  after the window the binding is gone, outcome and guard together
///   IR-8  one intended change takes effect once
namespace holdfast {

/// What the token of a request stands for at this instant.
enum class Claim : std::uint8_t {
  fresh,      ///< not seen: run the operation
  recorded,   ///< seen with this very request: replay its outcome
  collision,  ///< seen with another operation, other parameters or another principal
};

[[nodiscard]] Claim claim(const TokenRow* token, const Request& request, const Rules& rules,
                          Instant now);

/// What was decided. `outcome` is what the token answers, now or from an earlier call.
struct Decision {
  Claim claim = Claim::fresh;
  TokenRow outcome;
  bool recorded = false;  ///< `outcome` is, or is about to be, the token's
};

/// Decides one request and appends its records. `next_id` names the hold if one is placed; the
/// caller then moves on to another. Records are numbered from `next_seq`.
[[nodiscard]] Decision decide(const WorkingSet& rows, const Request& request, Instant now,
                              HoldId next_id, std::uint64_t next_seq, const Rules& rules,
                              Records& records);

/// The records of what the clock alone makes due, of what was loaded as due: each module's own.
void decide_sweep(const WorkingSet& rows, const std::vector<std::uint64_t>& due, Instant now,
                  std::uint64_t next_seq, Records& records);

}  // namespace holdfast

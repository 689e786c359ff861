#pragma once

#include "domain/fresh_ids.hpp"
#include "domain/request.hpp"
#include "domain/rows.hpp"
#include "domain/rules.hpp"

/// The composition of the two atoms: what a request does, as records. Pure: reads no clock,
/// no socket, no file, and changes nothing but the list it appends to.
///
/// Its invariants are IR-1 to IR-8 and NG-1. `domain/invariants.hpp` words them, and checks them
/// from records.
namespace holdfast {

struct Due;

/// What the token of a request stands for at this instant.
enum class Claim : std::uint8_t {
  fresh,      ///< not seen: run the operation
  recorded,   ///< seen with this very request: replay its outcome
  collision,  ///< seen with another operation, other parameters or another principal
};

/// Whether a token with that outcome is seen now.
[[nodiscard]] inline bool remembers(const Rules& rules, const TokenRow& token, Instant now) {
  return rules.remembers(token.operation, token.recorded_at, now, token.ends);
}

[[nodiscard]] Claim claim(const TokenRow* token, const Request& request, const Rules& rules,
                          Instant now);

/// What was decided. `outcome` is what the token answers, now or from an earlier call.
struct Decision {
  Claim claim = Claim::fresh;
  TokenRow outcome;
  bool recorded = false;  ///< `outcome` is, or is about to be, the token's
};

/// Decides one request and appends its records. Holds that are placed take the next ids. Records
/// are numbered from `next_seq`.
[[nodiscard]] Decision decide(const WorkingSet& rows, const Request& request, Instant now,
                              FreshIds& ids, std::uint64_t next_seq, const Rules& rules,
                              Records& records);

/// The records of what the clock alone makes due, of what was loaded as due: each module's own.
void decide_sweep(const WorkingSet& rows, const Due& due, Instant now, std::uint64_t next_seq,
                  Records& records);

}  // namespace holdfast

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "domain/module_books.hpp"
#include "domain/record.hpp"
#include "domain/rules.hpp"

/// The invariants as a judge of records. It is the check of everything else, so it shares nothing
/// with `decide` and `apply`: it keeps books of its own, and all it knows is what the records say.
///
/// A hold's life is in `modules/holds/commitment.hpp`, a token's in
/// `domain/duplicate_prevention.hpp`, their composition in `domain/decide.hpp`. The same checks are
/// SQL in a store's `audit_*` views.
///
/// Each invariant is worded here, in the table, and nowhere else. The views and docs/audit.md
/// repeat the words, and a test compares them.
namespace holdfast {

/// Those of the core. Modules have tables of their own.
inline constexpr std::size_t invariant_count = 25;

inline constexpr std::array<InvariantRow, invariant_count> invariant_table{{
    {"PC-1", "a hold is in exactly one state"},
    {"PC-2", "a hold is held from placing until it is resolved"},
    {"PC-3", "confirmed, released and expired absorb: no other state follows them"},
    {"PC-4", "a hold's id never changes"},
    {"PC-5",
     "a hold's names and quantity never change, its expiry only to a later one, by an extension"},
    {"PC-6", "a hold is placed before it expires"},
    {"PC-7", "no confirm, release or extension at or after the expiry, no expiry before it"},
    {"PC-8", "instants are in order: nothing is resolved before it was placed"},
    {"PC-9", "an id is never used for a second hold"},
    {"PC-10", "records never vanish"},
    {"DP-1", "a recorded token is seen within its window, and only a recorded one"},
    {"DP-2", "at the end of its window, and after, a token is not seen"},
    {"DP-3", "a token is recorded once per window"},
    {"DP-4", "seeing a token changes nothing"},
    {"IR-1", "same token, same parameters, within the window: same answer to a place"},
    {"IR-2", "likewise for every other operation"},
    {"IR-3", "a token is bound to at most one hold, or one group of holds, within its window"},
    {"IR-4", "a token is bound to one operation, one set of parameters and one principal"},
    {"IR-5", "Provisional Commitment's invariants hold, and its refusals were true"},
    {"IR-6", "Duplicate Prevention's invariants hold"},
    {"IR-7", "outcome and guard of a token come and go together"},
    {"IR-8", "one intended change takes effect once"},
    {"CAP-1", "at every instant, held (not lapsed) plus confirmed quantity is within the capacity"},
    {"CAP-2", "each part of a hold is confirmed once at most, and returned once at most"},
    {"NG-1", "a nonce is spent by one call while it is remembered, and refused only then"},
}};

/// All there are: those of the core, then those of each module.
[[nodiscard]] std::span<const InvariantRow> invariants();

/// One breach. `seq` is the record that shows it, `hold` the id it concerns, if it concerns one.
struct Violation {
  std::string_view invariant;
  std::uint64_t seq = 0;
  std::string hold;
  std::string text;
  std::string tenant{};  ///< whose record shows it; empty: a gap or a summary
};

/// Of each invariant this many violations are kept with their text; all of them are counted.
inline constexpr std::size_t violations_kept = 100;

struct AuditReport {
  std::uint64_t records = 0;
  std::uint64_t holds = 0;      ///< ever placed
  std::uint64_t tokens = 0;     ///< ever recorded, each once per tenant
  std::uint64_t resources = 0;  ///< ever held or declared

  // In the order of `invariants`.
  std::vector<std::uint64_t> checked = none_of_each();  ///< how often it was put to the test
  std::vector<std::uint64_t> broken = none_of_each();   ///< how often it failed

  std::vector<Violation> violations;  ///< in the order found
  std::uint64_t violations_total = 0;

  [[nodiscard]] bool clean() const { return violations_total == 0; }

 private:
  [[nodiscard]] static std::vector<std::uint64_t> none_of_each() {
    return std::vector<std::uint64_t>(invariants().size());
  }
};

/// Show it every record in order of sequence, then `finish`. No record can make it fail, however
/// wrong: what it cannot make sense of it reports. Needs up to 150 bytes of memory for each hold
/// and each token. One thread at a time.
class Audit {
 public:
  explicit Audit(const Rules& rules);
  ~Audit();
  Audit(Audit&&) noexcept;
  Audit& operator=(Audit&&) noexcept;

  void see(const Record& record);
  /// The verdict on everything seen so far. Nothing may be seen afterwards.
  [[nodiscard]] AuditReport finish();

 private:
  struct Books;
  std::unique_ptr<Books> books_;
};

}  // namespace holdfast

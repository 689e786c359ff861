#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "domain/invariants.hpp"

namespace holdfast::audit {

/// The rows of `invariant_table`, by number.
enum class Invariant : std::uint8_t {
  pc_1,
  pc_2,
  pc_3,
  pc_4,
  pc_5,
  pc_6,
  pc_7,
  pc_8,
  pc_9,
  pc_10,
  dp_1,
  dp_2,
  dp_3,
  dp_4,
  ir_1,
  ir_2,
  ir_3,
  ir_4,
  ir_5,
  ir_6,
  ir_7,
  ir_8,
  cap_1,
  cap_2,
  ng_1,
};

constexpr std::size_t index(Invariant which) { return static_cast<std::size_t>(which); }

static_assert(index(Invariant::ng_1) + 1 == invariant_count);
static_assert(invariant_table[index(Invariant::pc_10)].id == "PC-10");
static_assert(invariant_table[index(Invariant::dp_4)].id == "DP-4");
static_assert(invariant_table[index(Invariant::ir_8)].id == "IR-8");
static_assert(invariant_table[index(Invariant::cap_2)].id == "CAP-2");
static_assert(invariant_table[index(Invariant::ng_1)].id == "NG-1");

/// Collects what was checked and what was found.
class Findings {
 public:
  /// One check. `text` is called only when it fails, because nearly all of them pass.
  template <typename Text>
  void check(Invariant which, bool good, const Record& record, const Text& text) {
    check(index(which), good, record, text);
  }
  /// By its place in `invariants`.
  template <typename Text>
  void check(std::size_t which, bool good, const Record& record, const Text& text) {
    ++report_.checked[which];
    if (good) return;
    if (report_.broken[which] < violations_kept) keep(which, record, text());
    ++report_.broken[which];
    ++report_.violations_total;
  }

  /// An invariant that says others hold fails when they do, once, naming them.
  void summarise(Invariant which, Invariant first, Invariant last);

  [[nodiscard]] AuditReport& report() { return report_; }

 private:
  void keep(std::size_t which, const Record& record, std::string text);

  AuditReport report_;
};

// Words for the texts. They take anything, because a damaged record holds anything.

[[nodiscard]] inline std::int64_t us(Instant instant) { return instant.time_since_epoch().count(); }
/// RFC 3339, or the bare number where no calendar reaches.
[[nodiscard]] std::string when(std::int64_t at_us);
/// Text in quotes, other bytes in hexadecimal; shortened.
[[nodiscard]] std::string in_quotes(std::string_view bytes);
[[nodiscard]] std::string operation_text(Operation operation);
[[nodiscard]] std::string rejection_text(Rejection rejection);

}  // namespace holdfast::audit

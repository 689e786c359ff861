#include "domain/invariants_findings.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/time_text.hpp"
#include "base/utf8.hpp"

namespace holdfast::audit {
namespace {

constexpr std::size_t quoted_bytes_max = 64;

bool is_plain_text(std::string_view bytes) {
  const auto is_control = [](char byte) {
    return static_cast<unsigned char>(byte) < 0x20 || byte == 0x7f;
  };
  return is_valid_utf8(bytes) && std::none_of(bytes.begin(), bytes.end(), is_control);
}

}  // namespace

void Findings::keep(std::size_t which, const Record& record, std::string text) {
  report_.violations.push_back({.invariant = invariants()[which].id,
                                .seq = record.seq,
                                .hold = record.hold.ordinal == 0 ? "" : record.hold.text(),
                                .text = std::move(text),
                                .tenant = record.tenant});
}

void Findings::summarise(Invariant which, Invariant first, Invariant last) {
  std::string text;
  for (std::size_t i = index(first); i <= index(last); ++i) {
    report_.checked[index(which)] += report_.checked[i];
    if (report_.broken[i] == 0) continue;
    text += fmt::format("{}{} ({})", text.empty() ? "" : ", ", invariant_table[i].id,
                        report_.broken[i]);
  }
  if (text.empty()) return;
  const auto among = [&](const Violation& violation) {
    const auto begin = invariant_table.begin();
    return std::any_of(begin + index(first), begin + index(last) + 1,
                       [&](const InvariantRow& row) { return row.id == violation.invariant; });
  };
  const auto earliest = std::find_if(report_.violations.begin(), report_.violations.end(), among);
  Violation summary{.invariant = invariant_table[index(which)].id,
                    .seq = earliest->seq,
                    .hold = earliest->hold,
                    .text = "these do not hold: " + text};
  report_.violations.push_back(std::move(summary));
  ++report_.broken[index(which)];
  ++report_.violations_total;
}

std::string when(std::int64_t at_us) {
  constexpr std::int64_t year_0001_us = -62'135'596'800'000'000;
  constexpr std::int64_t year_9999_us = 253'402'300'799'999'999;
  if (at_us < year_0001_us || at_us > year_9999_us) return fmt::format("{} µs", at_us);
  return to_rfc3339(Instant(Duration(at_us)));
}

std::string in_quotes(std::string_view bytes) {
  const bool cut = bytes.size() > quoted_bytes_max;
  const std::string_view head = bytes.substr(0, quoted_bytes_max);
  const char* const dots = cut ? "…" : "";
  if (is_plain_text(head)) return fmt::format("\"{}{}\"", head, dots);
  std::string hex;
  for (const char byte : head) hex += fmt::format("{:02x}", static_cast<unsigned char>(byte));
  return fmt::format("x'{}{}'", hex, dots);
}

std::string operation_text(Operation operation) {
  const auto number = static_cast<std::int64_t>(operation);
  const auto known = operation_numbered(number);
  return known ? std::string(name(*known)) : fmt::format("operation {}", number);
}

std::string rejection_text(Rejection rejection) {
  const auto number = static_cast<std::int64_t>(rejection);
  const auto known = rejection_numbered(number);
  return known ? std::string(name(*known)) : fmt::format("rejection {}", number);
}

}  // namespace holdfast::audit

#include "store/checksum.hpp"

#include <fmt/format.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <array>
#include <string_view>

#include "store/journal_row.hpp"

namespace holdfast {
namespace {

std::uint64_t hash(const void* bytes, std::size_t size, std::uint64_t seed) {
  return XXH3_64bits_withSeed(bytes, size, seed);
}

template <bool numbers>
constexpr std::size_t columns_that_are() {
  std::size_t count = 0;
  layout::for_each_member([&](auto at) {
    for (const layout::Column& each : layout::entry<at()>.columns)
      count += each.type != layout::Type::json && each.is_number() == numbers ? 1U : 0U;
  });
  return count;
}
constexpr std::size_t number_count = columns_that_are<true>();
constexpr std::size_t text_count = columns_that_are<false>();

}  // namespace

/// First all numbers together, with the sizes of the texts behind them; then the texts; then the
/// detail, of a record that has one.
std::uint64_t checksum(std::uint64_t previous, const Record& record) {
  std::array<std::int64_t, number_count + text_count> numbers;
  std::array<std::string_view, text_count> texts;
  std::size_t next_number = 0;
  std::size_t next_text = 0;
  layout::for_each_member([&](auto at) {
    constexpr const auto& entry = layout::entry<at()>;
    if constexpr (entry.columns[0].is_number()) {
      for (const std::int64_t each : journal::numbers_of(record.*entry.value))
        numbers[next_number++] = each;
    } else if constexpr (entry.columns[0].type != layout::Type::json) {
      texts[next_text++] = journal::stored_bytes<at()>(record);
    }
  });
  for (const std::string_view text : texts)
    numbers[next_number++] = static_cast<std::int64_t>(text.size());
  std::uint64_t sum_so_far = hash(numbers.data(), sizeof numbers, previous);
  for (const std::string_view text : texts) sum_so_far = hash(text.data(), text.size(), sum_so_far);
  const std::string& detail = record.detail;
  return detail.empty() ? sum_so_far : hash(detail.data(), detail.size(), sum_so_far);
}

StoreError damaged_journal(std::string_view store, std::uint64_t seq, std::string_view what) {
  return {
      Effect::none,
      fmt::format("{}: the journal is damaged at record {}: {}. Restore the store from a backup, "
                  "and keep this one for the investigation; `holdfast audit` shows more.",
                  store, seq, what)};
}

bool Links::holds(const Record& record, std::uint64_t stored, bool as_written) {
  const bool is_before = record.seq == after_;  // what it goes on from itself is not known
  const bool follows = record.seq == last_ + 1 && checksum(chain_, record) == stored && as_written;
  last_ = record.seq;
  chain_ = stored;
  return is_before || follows;
}

}  // namespace holdfast

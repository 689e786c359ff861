#pragma once

#include <array>
#include <bit>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

#include "domain/record_layout.hpp"

/// A record as a row of the table `journal`: the same columns in the same order on every engine,
/// NULL where a record does not use a member. All of it follows from `domain/record_layout.hpp`.
namespace holdfast::journal {

using layout::Column;

inline constexpr int column_count = static_cast<int>(layout::column_count);

[[nodiscard]] constexpr const Column& column(int at) {
  return layout::columns[static_cast<std::size_t>(at)];
}

/// All of them, `seq,kind,…`, or `j.seq,j.kind,…` for the prefix `j.`.
[[nodiscard]] std::string columns(std::string_view prefix = {});

/// What an engine calls a column's type, its bound included.
using TypeName = std::string (*)(const Column& column);
/// What stands between the brackets of CREATE TABLE: a line for each column.
[[nodiscard]] std::string column_definitions(TypeName type_name);

[[nodiscard]] inline std::string_view bytes_of(const Digest& value) {
  return {reinterpret_cast<const char*>(value.bytes.data()), value.bytes.size()};
}
[[nodiscard]] inline std::string_view bytes_of(const std::string& value) { return value; }

/// A member that is a number, as it is stored.
template <typename T>
[[nodiscard]] constexpr std::int64_t number_of(const T& value) {
  return static_cast<std::int64_t>(value);
}
[[nodiscard]] constexpr std::int64_t number_of(Instant value) {
  return value.time_since_epoch().count();
}
[[nodiscard]] constexpr std::int64_t number_of(const std::optional<Rejection>& value) {
  return value ? static_cast<std::int64_t>(*value) : 0;
}

/// The numbers a member is stored as.
template <typename T>
[[nodiscard]] constexpr std::array<std::int64_t, 1> numbers_of(const T& value) {
  return {number_of(value)};
}
[[nodiscard]] constexpr std::array<std::int64_t, 2> numbers_of(const HoldId& value) {
  return {number_of(value.ordinal), number_of(value.salt)};
}

/// The other way round. A code that there is not is no code.
inline void set(std::uint64_t& value, std::int64_t stored) {
  value = static_cast<std::uint64_t>(stored);
}
inline void set(std::int64_t& value, std::int64_t stored) { value = stored; }
inline void set(Instant& value, std::int64_t stored) { value = Instant(Duration(stored)); }
inline void set(RecordKind& value, std::int64_t stored) {
  value = static_cast<RecordKind>(stored > 0 && stored <= UINT16_MAX ? stored : 0);
}
inline void set(Operation& value, std::int64_t stored) {
  value = operation_numbered(stored).value_or(Operation::none);
}
inline void set(std::optional<Rejection>& value, std::int64_t stored) {
  value = rejection_numbered(stored);
}
inline void set(Reason& value, std::int64_t stored) {
  const bool known = stored > 0 && stored < static_cast<std::int64_t>(reason_table.size());
  value = known ? static_cast<Reason>(stored) : Reason::none;
}
template <typename T>
void set(T& value, const std::array<std::int64_t, 1>& stored) {
  set(value, stored[0]);
}
inline void set(HoldId& value, const std::array<std::int64_t, 2>& stored) {
  value = {static_cast<std::uint64_t>(stored[0]), static_cast<std::uint64_t>(stored[1])};
}
inline void set(std::string& value, std::string_view stored) { value = stored; }
inline void set(Digest& value, std::string_view stored) {
  value = {};
  if (stored.size() == value.bytes.size())
    std::memcpy(value.bytes.data(), stored.data(), stored.size());
}

/// Whether a column of this record is NULL. `empty`: its member is.
[[nodiscard]] constexpr bool is_null(layout::Null when, const Record& record, bool empty) {
  switch (when) {
    case layout::Null::never:
      return false;
    case layout::Null::empty:
      return empty;
    case layout::Null::without_hold:
      return record.hold.ordinal == 0;
    case layout::Null::without_token:
      return record.token.empty();
  }
  return false;
}

/// The bytes that are stored of a member; none for NULL.
template <std::size_t at>
[[nodiscard]] std::string_view stored_bytes(const Record& record) {
  constexpr const auto& entry = layout::entry<at>;
  const std::string_view bytes = bytes_of(record.*entry.value);
  return is_null(entry.columns[0].null, record, bytes.empty()) ? std::string_view() : bytes;
}

/// Gives `sink` every column in order: `number(column, value)`, with nothing for NULL, and
/// `bytes(column, value)`, with the empty ones for NULL.
template <typename Sink>
void write(Sink& sink, const Record& record, std::uint64_t sum) {
  layout::for_each([&](auto at) {
    constexpr const auto& entry = layout::entry<at()>;
    constexpr int first = static_cast<int>(layout::columns_before<at()>());
    if constexpr (!layout::is_member<decltype(entry)>) {
      sink.number(first, std::optional(std::bit_cast<std::int64_t>(sum)));
    } else if constexpr (!entry.columns[0].is_number()) {
      sink.bytes(first, stored_bytes<at()>(record));
    } else {
      const auto numbers = numbers_of(record.*entry.value);
      for (std::size_t i = 0; i < numbers.size(); ++i) {
        const bool null = is_null(entry.columns[i].null, record, numbers[i] == 0);
        sink.number(first + static_cast<int>(i), null ? std::nullopt : std::optional(numbers[i]));
      }
    }
  });
}

/// Reads what `write` wrote. `row` offers `number(column)` and `bytes(column)`, each nothing for
/// NULL. False if the row is not as it was written: somebody made a NULL a zero, or the other way
/// round, or put in a number that means nothing; the same record to us, but not to whoever asks in
/// SQL.
template <typename Row>
bool read(const Row& row, Record& record, std::uint64_t& sum) {
  bool as_written = true;
  layout::for_each([&](auto at) {
    constexpr const auto& entry = layout::entry<at()>;
    constexpr int first = static_cast<int>(layout::columns_before<at()>());
    if constexpr (!layout::is_member<decltype(entry)>) {
      sum = std::bit_cast<std::uint64_t>(row.number(first).value_or(0));
    } else if constexpr (!entry.columns[0].is_number()) {
      const auto stored = row.bytes(first);
      auto& value = record.*entry.value;
      set(value, stored.value_or(std::string_view()));
      const bool null = is_null(entry.columns[0].null, record, bytes_of(value).empty());
      if (stored.has_value() == null || (stored && bytes_of(value).size() != stored->size()))
        as_written = false;
    } else {
      using Numbers = decltype(numbers_of(record.*entry.value));
      std::array<std::optional<std::int64_t>, std::tuple_size_v<Numbers>> stored;
      Numbers numbers{};
      for (std::size_t i = 0; i < stored.size(); ++i) {
        stored[i] = row.number(first + static_cast<int>(i));
        numbers[i] = stored[i].value_or(0);
      }
      set(record.*entry.value, numbers);
      const Numbers again = numbers_of(record.*entry.value);
      for (std::size_t i = 0; i < stored.size(); ++i) {
        const bool null = is_null(entry.columns[i].null, record, again[i] == 0);
        if (stored[i].has_value() == null || again[i] != numbers[i]) as_written = false;
      }
    }
  });
  return as_written;
}

}  // namespace holdfast::journal

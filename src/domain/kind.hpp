#pragma once

#include <span>
#include <string_view>

#include "domain/record.hpp"

/// A kind of record, whole. The core has three of its own (`rejected`, `collided`, `replayed`);
/// modules list the others.
namespace holdfast {

struct KindRow {
  RecordKind kind;
  std::string_view name;
  std::string_view subject{};  ///< what it is about: `hold`, `resource`; empty: a request
  /// With a token, it is the outcome of that token.
  bool outcome = true;
  /// It changes state, and so is an event.
  bool change = true;
  std::string_view event{};  ///< what its event is called; empty: it is none
  bool swept = false;        ///< the engine makes such records by itself, too, for nobody's token
};

/// Every kind there is, in order of number.
[[nodiscard]] std::span<const KindRow* const> kinds();
/// Null if no kind has that number.
[[nodiscard]] const KindRow* find_kind(RecordKind kind);

/// Whether the engine made the record by itself: time was over, and nobody asked.
[[nodiscard]] bool made_by_engine(const Record& record);

/// Empty if no kind has that number.
[[nodiscard]] std::string_view name(RecordKind kind);

}  // namespace holdfast

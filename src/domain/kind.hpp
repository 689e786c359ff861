#pragma once

#include <span>
#include <string_view>

#include "domain/record.hpp"

/// A kind of record, whole. The core has four of its own (`rejected`, `collided`, `replayed`,
/// `window-changed`); modules list the others.
namespace holdfast {

/// What a record of a kind does to state: one of the primitives of `apply`.
enum class StateChange : std::uint8_t {
  none,
  place,      ///< a new held hold occupies its quantity
  resolve,    ///< what is still held of a hold reaches its end
  extend,     ///< a held hold expires later
  keep,       ///< a part of what is held of a hold is confirmed
  give_back,  ///< a part of what was confirmed of a hold is given back
  gather,     ///< holds that were just placed become a group
  declare,    ///< a resource gets its capacity
  rows,       ///< rows of its module change
};

struct KindRow {
  RecordKind kind;
  std::string_view name;
  std::string_view subject{};  ///< what it is about: `hold`, `store`, …; empty: a request
  /// With a token, it is the outcome of that token.
  bool outcome = true;
  /// What it does to state. A record that changes state is an event.
  StateChange does = StateChange::none;
  std::string_view event{};  ///< what its event is called; empty: it is none
  bool swept = false;        ///< the engine makes such records by itself, too, for nobody's token

  [[nodiscard]] constexpr bool changes() const { return does != StateChange::none; }
  /// Whether it changes a hold, and not by ending it.
  [[nodiscard]] constexpr bool amends() const {
    return does == StateChange::extend || does == StateChange::keep ||
           does == StateChange::give_back;
  }
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

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "holdfast/clock.hpp"

/// The operation registry: every kind of state change, and the policies each runs under.
/// Reads are class I0: they take no token and have no row here.
namespace holdfast {

/// Numbers are stable: they are stored in the journal. Zero is the engine itself (a sweep).
enum class Operation : std::uint8_t {
  none = 0,
  hold_place = 1,
  hold_confirm = 2,
  hold_release = 3,
  hold_expire = 4,
  resource_declare = 5,
};

/// How long a token's outcome is kept (IDS classes; I0 is for reads, I3 needs a shield
/// around an effect outside the store, which no operation here has).
enum class TokenClass : std::uint8_t {
  i1_strict,    ///< for as long as the store exists
  i2_windowed,  ///< for the window, counted from the first recording
};

/// What a rejection does to its token.
enum class OnReject : std::uint8_t {
  record,   ///< the rejection is the token's outcome: same token, same answer
  release,  ///< nothing is written; the same token may succeed later
};

/// Who makes the token.
enum class KeyMode : std::uint8_t {
  client,   ///< the caller
  derived,  ///< the engine, from tenant, principal, operation and parameters
};

/// Whether the operation runs only after an explicit second step.
enum class Confirmation : std::uint8_t {
  none,
  required,  ///< the first call answers `confirmation-required` with a code bound to it
};

struct Policy {
  TokenClass token_class = TokenClass::i1_strict;
  std::optional<Duration> window{};  ///< for I2; unset: the store's window
  OnReject on_reject = OnReject::record;
  Duration overlap_wait = std::chrono::seconds(10);  ///< then `in-progress`
  KeyMode key_mode = KeyMode::client;
  Confirmation confirmation = Confirmation::none;
};

struct OperationRow {
  Operation id;
  std::string_view name;
  Policy policy;  ///< the default; Options may change it for one opening
};

inline constexpr std::size_t operation_count = 5;

inline constexpr std::array<OperationRow, operation_count> operation_table{{
    {Operation::hold_place, "hold.place", {.token_class = TokenClass::i2_windowed}},
    {Operation::hold_confirm, "hold.confirm", {.token_class = TokenClass::i2_windowed}},
    {Operation::hold_release, "hold.release", {.token_class = TokenClass::i2_windowed}},
    {Operation::hold_expire, "hold.expire", {.token_class = TokenClass::i2_windowed}},
    {Operation::resource_declare, "resource.declare", {}},
}};

static_assert(
    [] {
      for (std::size_t i = 0; i < operation_table.size(); ++i) {
        if (static_cast<std::size_t>(operation_table[i].id) != i + 1) return false;
      }
      return true;
    }(),
    "the table is indexed by the operation's number");

[[nodiscard]] constexpr std::string_view name(Operation id) {
  return id == Operation::none ? "sweep" : operation_table[static_cast<std::size_t>(id) - 1].name;
}

[[nodiscard]] constexpr std::optional<Operation> operation_numbered(std::int64_t number) {
  if (number < 0 || number > static_cast<std::int64_t>(operation_count)) return std::nullopt;
  return static_cast<Operation>(number);
}

[[nodiscard]] constexpr std::optional<Operation> operation_named(std::string_view wanted) {
  for (const OperationRow& each : operation_table) {
    if (each.name == wanted) return each.id;
  }
  return std::nullopt;
}

/// The policies in force, a row per operation; starts as the registry's defaults.
class Policies {
 public:
  constexpr Policies() {
    for (std::size_t i = 0; i < operation_count; ++i) rows_[i] = operation_table[i].policy;
  }
  [[nodiscard]] constexpr Policy& operator[](Operation id) {
    return rows_[static_cast<std::size_t>(id) - 1];
  }
  [[nodiscard]] constexpr const Policy& operator[](Operation id) const {
    return rows_[static_cast<std::size_t>(id) - 1];
  }

 private:
  std::array<Policy, operation_count> rows_{};
};

}  // namespace holdfast

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "holdfast/clock.hpp"

/// The operation registry: every kind of state change, and the policies each runs under.
///
/// An operation is a row of a table, and everything that is said of it elsewhere (bounds, refusals,
/// addresses, commands, help) comes from tables, too. A policy says how the engine treats the
/// tokens of an operation: how long they are kept, what a rejection does to them, who makes them.
/// Reads take no token and have no row here (class I0).
namespace holdfast {

/// Numbers are stable: they are stored in the journal. Zero is the engine itself (a sweep).
enum class Operation : std::uint8_t {
  none = 0,
  hold_place = 1,
  hold_confirm = 2,
  hold_release = 3,
  hold_expire = 4,
  resource_declare = 5,
  hold_extend = 6,
  hold_cancel = 7,
  group_place = 8,
  group_confirm = 9,
  group_release = 10,
  group_extend = 11,
};

/// How long a token's outcome is kept. The names are those of the IDS classes. I0 is for reads; I3
/// is for an effect outside the store, which no operation here has. The class is part of a store:
/// it is written down when the store is made, and the store cannot be opened with another.
enum class TokenClass : std::uint8_t {
  i1_strict,    ///< for as long as the store exists
  i2_windowed,  ///< for the window, counted from the first recording
};

/// What a rejection does to its token. It may be changed from one opening of a store to the next:
/// what was recorded under the old setting stays recorded.
enum class OnReject : std::uint8_t {
  record,   ///< the rejection is the token's outcome: same token, same answer
  release,  ///< nothing is written; the same token may succeed later
};

/// Who makes the token. With `derived`, two equal commands of one principal are one command:
/// whoever means two must make them differ.
enum class KeyMode : std::uint8_t {
  client,   ///< the caller
  derived,  ///< the engine, from tenant, principal, operation and parameters
};

/// Whether the operation runs only after an explicit second step. The code of the first step is
/// bound to tenant, principal, operation, parameters and token, expires, and is good for one
/// effect: once the call has run, its token answers for it.
enum class Confirmation : std::uint8_t {
  none,
  required,  ///< the first call answers `confirmation-required` with a code bound to it
};

/// How the engine treats one operation. `token_class` and `window` are part of a store, like its
/// own window; the others may be different each time it is opened.
struct Policy {
  TokenClass token_class = TokenClass::i1_strict;
  std::optional<Duration> window{};  ///< for I2; unset: the store's window
  OnReject on_reject = OnReject::record;
  /// How long a call waits for an earlier one with its token that is still being made durable. Then
  /// it is told `in-progress`, or, if it is another request, `token-collision`. After `in-progress`
  /// the first call may still take place: the same token tells.
  Duration overlap_wait = std::chrono::seconds(10);
  KeyMode key_mode = KeyMode::client;
  Confirmation confirmation = Confirmation::none;
};

/// One operation, as every table of them begins: the rest of what is known of it (parameters,
/// refusals, address) is its module's.
struct OperationRow {
  Operation id;
  std::string_view name;
  Policy policy;  ///< the default; Options may change it for one opening
};

/// Numbers are below this, so that they fit where there is little room.
inline constexpr std::size_t operation_limit = 64;

/// Every operation there is, in order of number. The same for the life of the process.
[[nodiscard]] std::span<const OperationRow> operations();

/// `hold.place`; `sweep` for none; empty for a number that no operation has. Names are as stable as
/// numbers: settings, events and evidence are made of them.
[[nodiscard]] std::string_view name(Operation id);

/// The operation with that stored number; zero is none.
[[nodiscard]] std::optional<Operation> operation_numbered(std::int64_t number);

/// The operation of exactly that name. Nothing for `sweep`, which nobody can ask for.
[[nodiscard]] std::optional<Operation> operation_named(std::string_view wanted);

/// The policies in force, one for each operation. A value: copies are independent, and one object
/// may be read by several threads as long as nobody changes it.
class Policies {
 public:
  /// The registry's defaults.
  Policies();
  /// The policy of an operation, to be changed before a store is opened with it. A store that is
  /// open does not notice later changes.
  [[nodiscard]] Policy& operator[](Operation id) { return rows_.at(static_cast<std::size_t>(id)); }
  [[nodiscard]] const Policy& operator[](Operation id) const {
    return rows_.at(static_cast<std::size_t>(id));
  }

 private:
  std::array<Policy, operation_limit> rows_{};  ///< by number
};

}  // namespace holdfast

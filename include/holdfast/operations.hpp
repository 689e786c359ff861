#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
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

/// `hold.place`; `sweep` for none; empty for a number that no operation has.
[[nodiscard]] std::string_view name(Operation id);

/// The operation with that stored number; zero is none.
[[nodiscard]] std::optional<Operation> operation_numbered(std::int64_t number);

[[nodiscard]] std::optional<Operation> operation_named(std::string_view wanted);

/// The policies in force, a row per operation; starts as the registry's defaults.
class Policies {
 public:
  Policies();
  [[nodiscard]] Policy& operator[](Operation id) { return rows_.at(static_cast<std::size_t>(id)); }
  [[nodiscard]] const Policy& operator[](Operation id) const {
    return rows_.at(static_cast<std::size_t>(id));
  }

 private:
  std::array<Policy, operation_limit> rows_{};  ///< by number
};

}  // namespace holdfast

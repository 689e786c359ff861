#pragma once

#include <boost/container/deque.hpp>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/siphash.hpp"
#include "domain/digest.hpp"
#include "holdfast/types.hpp"

namespace holdfast {

/// What a journal record says; `domain/kind.hpp` has a row for each. Numbers are stable: they are
/// stored.
enum class RecordKind : std::uint16_t {
  placed = 1,
  confirmed = 2,
  released = 3,
  expired = 4,
  declared = 5,
  rejected = 6,  ///< an outcome too: recorded against its token
  collided = 7,  ///< a token presented with another request; `ref` is the record it belongs to
  replayed = 8,  ///< answers repeated from record `ref`, `count` times; `ref` 0: of many records
  extended = 9,  ///< a held hold has a later expiry
  partly_confirmed = 10,  ///< `quantity` of a hold is confirmed, the rest is still held
  cancelled = 11,         ///< `quantity` of what was confirmed is given back
  grouped = 12,           ///< the `count` holds from `hold` on were placed together
  group_confirmed = 13,   ///< those of a group that were held are confirmed together, …
  group_released = 14,    ///< … released together, …
  group_extended = 15,    ///< … or extended together
  window_changed = 16,    ///< the store has another window from here on; `detail` says both
};

/// What a record's detail says, as whoever wrote it had it: its module need not read it again. It
/// is not stored, and says nothing that the detail does not.
struct Said {
  std::shared_ptr<const void> value;
  friend bool operator==(const Said&, const Said&) { return true; }
};

/// One decision, as the journal keeps it. State is `apply` folded over these in order of `seq`.
/// Members a kind does not use keep their defaults and are NULL in a store.
struct Record {
  std::uint64_t seq = 0;
  RecordKind kind = RecordKind::placed;
  Instant at;
  std::string tenant;
  std::string principal;
  Operation operation = Operation::none;  ///< none: expired by the engine itself
  std::string token;                      ///< empty: no token was involved
  std::string nonce;                      ///< spent with this outcome; empty: none
  Digest digest{};                        ///< meaningful when there is a token
  std::optional<Rejection> rejection{};
  Reason reason = Reason::none;
  HoldId hold{};  ///< ordinal 0: no hold is concerned
  std::string resource;
  std::string requester;
  std::int64_t quantity = 0;
  Instant expires_at{};
  std::int64_t capacity = 0;
  std::uint64_t ref = 0;
  std::int64_t count = 0;
  Instant first_at{};
  /// What a module says besides: canonical JSON, an object. Numbers beyond 2^53 are text in it.
  std::string detail{};

  // Derived from the members above, not stored: see `derive`.
  Hash128 key{};
  Hash128 fingerprint{};
  Hash128 nonce_key{};
  Said said{};  ///< filled in where the record is made, or not at all

  friend bool operator==(const Record&, const Record&) = default;
};

/// Fills in what is not stored of a record that carries a token.
void derive(Record& record);

/// The records of one batch. A deque, because rows keep views of the names in them; in blocks,
/// because the standard one would allocate each by itself.
using Records =
    boost::container::deque<Record, void,
                            boost::container::deque_options_t<boost::container::block_size<64U>>>;

/// Whether this record is a part of what a call did, whose outcome follows: a change that refers to
/// a record after it. No other record does so.
[[nodiscard]] bool is_part(const Record& record);

/// Whether this record is the outcome of the token it carries.
[[nodiscard]] bool binds_token(const Record& record);

/// The state a hold is in after a record of this kind.
[[nodiscard]] constexpr HoldState state_after(RecordKind kind) {
  switch (kind) {
    case RecordKind::confirmed:
      return HoldState::confirmed;
    case RecordKind::released:
      return HoldState::released;
    case RecordKind::expired:
      return HoldState::expired;
    default:
      return HoldState::held;
  }
}

}  // namespace holdfast

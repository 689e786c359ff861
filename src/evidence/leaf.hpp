#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

#include "base/json_writer.hpp"
#include "domain/record.hpp"

namespace simdjson::dom {
class element;
}

/// A record of the journal as a leaf of the tree: JSON in the form of RFC 8785, so that whoever has
/// the members can make the bytes that were hashed. Tokens and nonces are there as their SHA-256,
/// so that it can be shown to others.
///
/// The form is for ever: a leaf that is written differently tomorrow contradicts every head that
/// was ever signed. Members are only ever added for records that did not exist before.
namespace holdfast::evidence {

/// What a record says of the request it is about.
///
///   first_seen          the request ran: what is recorded is its outcome, a refusal included; or
///                       somebody gave the store another window
///   duplicate_replayed  it had run before, and its first answer was given again
///   conflict_rejected   its token belongs to another request
///   expired_by_sweep    nobody asked: a hold's time was over
[[nodiscard]] std::string_view decision(const Record& record);
inline constexpr std::array<std::string_view, 4> decisions{"first_seen", "duplicate_replayed",
                                                           "conflict_rejected", "expired_by_sweep"};

/// What a leaf has besides the members of its record.
struct Hashes {
  std::optional<Digest> token{};      ///< SHA-256; none: no token was involved
  std::optional<Digest> nonce{};      ///< likewise
  std::optional<Digest> on_record{};  ///< of a conflict: the digest the token belongs to
};

/// The hashes of a record as a store has it. `on_record` is another record's: see `leaf_source`.
[[nodiscard]] Hashes hashes_of(const Record& record, const std::optional<Digest>& on_record);

/// Names are text; one that is not UTF-8 is `{"hex":"…"}`.
void bytes_member(JsonWriter& json, std::string_view name, std::string_view value);
/// Likewise, read; nothing if it is neither.
[[nodiscard]] std::optional<std::string> bytes_in(const simdjson::dom::element& value);

/// Appends the leaf.
void write_leaf(JsonWriter& json, const Record& record, const Hashes& hashes);

/// A leaf as somebody else has it. Its record has hashes, in hexadecimal, for token and nonce: as
/// good as the originals for telling one from another.
struct ReadLeaf {
  Record record;
  Hashes hashes;
};
[[nodiscard]] std::string leaf_text(const ReadLeaf& leaf);
/// Understands a leaf, or says what is wrong with it: what it does not know, it does not pass over.
[[nodiscard]] tl::expected<ReadLeaf, std::string> read_leaf(const simdjson::dom::element& json);

}  // namespace holdfast::evidence

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "base/json_writer.hpp"
#include "domain/digest.hpp"
#include "domain/rules.hpp"
#include "evidence/signing.hpp"

namespace simdjson::dom {
class element;
}

/// What is published: how many records there are and the root over all of them, signed. Whoever
/// keeps a head can tell later whether anything before it was changed or taken away.
namespace holdfast::evidence {

/// The name of the form of leaves and heads. Another form needs another name.
inline constexpr std::string_view format_name = "holdfast-evidence-1";

/// How long the tokens of an operation are recognised.
struct Window {
  Operation operation = Operation::none;
  std::optional<Duration> kept{};  ///< unset: for ever
  friend bool operator==(const Window&, const Window&) = default;
};
/// Of the operations there were when the head was made, in order of their names.
using Windows = std::vector<Window>;
[[nodiscard]] Windows windows_of(const Rules& rules);
/// Of a store whose window was changed: what it was made with, for the operations that follow it.
/// The changes themselves are records.
[[nodiscard]] Windows windows_made(const Rules& rules);
/// The rules an audit needs.
[[nodiscard]] Rules rules_of(const Windows& windows, const Windows& made);

struct Head {
  std::uint64_t size = 0;  ///< records, so the number of the last
  Digest root{};
  Instant at{};  ///< when it was signed
  Windows windows{};
  Windows made{};  ///< see `windows_made`; empty: the window was never changed
  /// Of a head that is not over everything there is, within an export or of a proof: how many
  /// records there are in all. So it cannot be taken for the last one.
  std::optional<std::uint64_t> of{};

  /// How many records there were when it was signed.
  [[nodiscard]] std::uint64_t all() const { return of.value_or(size); }
  friend bool operator==(const Head&, const Head&) = default;
};

struct SignedHead {
  Head head{};
  PublicKey key{};  ///< whose signature it says it is
  Signature signature{};
};

[[nodiscard]] SignedHead sign(const Head& head, const SigningKey& key);
/// Whether that key signed it. What the head says of its key does not matter.
[[nodiscard]] bool is_signed_by(const SignedHead& signed_head, const PublicKey& key);

/// The members in the order of RFC 8785; `signature` is not among those it is made over.
/// `consistency`, JSON, is among them if it is not empty: it is not signed either.
void write_head(JsonWriter& json, const SignedHead& signed_head, std::string_view consistency = {});
[[nodiscard]] tl::expected<SignedHead, std::string> read_head(const simdjson::dom::element& json);

}  // namespace holdfast::evidence

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

#include "holdfast/clock.hpp"

/// What signatures of webhooks are made and verified with.
namespace holdfast::signatures {

/// Either a secret that sender and receiver share, or the sender's public Ed25519 key, which only
/// verifies. Errors are sentences that never contain the secret. Copies are independent; safe to
/// read from any thread.
class Secret {
 public:
  enum class Kind : std::uint8_t { shared, public_key };

  static constexpr std::size_t standard_bytes_min = 24;
  static constexpr std::size_t standard_bytes_max = 64;
  static constexpr std::size_t plain_bytes_max = 1024;

  /// As Standard Webhooks writes them: `whsec_` and the base64 of 24 to 64 bytes, or `whpk_` and
  /// the base64 of the 32 bytes of a public key. Nothing before, behind or within it.
  [[nodiscard]] static tl::expected<Secret, std::string> standard(std::string_view text);

  /// The bytes of `text` as they are, 1 to 1,024 of them: how all other senders use what they show,
  /// also those whose secrets begin with `whsec_`. Whether that is hard to guess is not checked.
  [[nodiscard]] static tl::expected<Secret, std::string> plain(std::string_view text);

  /// A new shared secret of Standard Webhooks, of 24 to 64 bytes.
  [[nodiscard]] static Secret fresh(Random& random, std::size_t bytes = 32);

  [[nodiscard]] Kind kind() const { return kind_; }
  /// The key itself, not its text.
  [[nodiscard]] const std::string& bytes() const { return bytes_; }
  /// `whsec_…` or `whpk_…`: what `standard` reads, if the length is one of its.
  [[nodiscard]] std::string text() const;

 private:
  Secret(Kind kind, std::string bytes) : kind_(kind), bytes_(std::move(bytes)) {}
  Kind kind_;
  std::string bytes_;
};

}  // namespace holdfast::signatures

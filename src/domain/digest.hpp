#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace holdfast {

// The name of the function that turns an operation's parameters into a Digest. v1 means SHA-256
// over the RFC 8785 form, as canonicalize() and JsonWriter produce it, of the operation's
// parameters without its token. The name is written into each store and checked when it is opened:
// a digest computed another way would make every honest retry look like a collision. Changing any
// part of it (the hash, the form, which parameters are covered) therefore needs a new name.
inline constexpr std::string_view digest_function = "sha256-jcs-v1";

struct Digest {
  std::array<std::uint8_t, 32> bytes{};

  // 64 lower-case hexadecimal digits.
  [[nodiscard]] std::string hex() const;

  // Reads exactly what hex() writes. Upper case is refused, so that a digest has one spelling.
  [[nodiscard]] static std::optional<Digest> from_hex(std::string_view text) noexcept;

  friend bool operator==(const Digest&, const Digest&) = default;
};

// SHA-256 of `data`. Safe from any thread: each keeps a hashing context of its own, freed when the
// thread ends. That OpenSSL has no SHA-256 is a broken installation, which stops the process.
[[nodiscard]] Digest sha256(std::string_view data);

}  // namespace holdfast

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

/// The cryptography of signatures, all of it OpenSSL's.
namespace holdfast::signatures {

enum class Hash : std::uint8_t { sha256, sha512 };

[[nodiscard]] constexpr std::size_t bytes_of(Hash hash) { return hash == Hash::sha256 ? 32 : 64; }

/// What a signature covers. In two pieces, so that HMAC needs no copy of the body.
struct Content {
  std::string head;  ///< what stands before the body: `id.timestamp.`, `timestamp.` or nothing
  std::string_view body;
};

[[nodiscard]] std::string hmac(Hash hash, std::string_view key, const Content& content);

/// In a time that depends on the length alone. False if the lengths differ.
[[nodiscard]] bool same_bytes(std::string_view left, std::string_view right);

/// Whether the owner of the public key, 32 bytes, made the signature, 64 bytes (RFC 8032).
[[nodiscard]] bool ed25519_fits(std::string_view key, const Content& content,
                                std::string_view signature);

}  // namespace holdfast::signatures

#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

/// Ed25519 (RFC 8032): who signed, and whether.
namespace holdfast::evidence {

struct Signature {
  std::array<std::uint8_t, 64> bytes{};
  [[nodiscard]] std::string hex() const;
  [[nodiscard]] static std::optional<Signature> from_hex(std::string_view text);
  friend bool operator==(const Signature&, const Signature&) = default;
};

struct PublicKey {
  std::array<std::uint8_t, 32> bytes{};

  [[nodiscard]] std::string hex() const;
  [[nodiscard]] static std::optional<PublicKey> from_hex(std::string_view text);
  /// `-----BEGIN PUBLIC KEY-----…`, as OpenSSL reads it.
  [[nodiscard]] std::string pem() const;
  /// Either form, with white space around it, digits in either case.
  [[nodiscard]] static std::optional<PublicKey> from_text(std::string_view text);

  [[nodiscard]] bool verifies(std::string_view message, const Signature& signature) const;
  friend bool operator==(const PublicKey&, const PublicKey&) = default;
};

/// The private half. Copies are the same key. Safe from any thread.
class SigningKey {
 public:
  [[nodiscard]] static SigningKey fresh();
  /// PKCS #8, without a password.
  [[nodiscard]] static std::optional<SigningKey> from_pem(std::string_view text);
  [[nodiscard]] std::string pem() const;

  [[nodiscard]] const PublicKey& public_key() const { return public_key_; }
  [[nodiscard]] Signature sign(std::string_view message) const;

 private:
  explicit SigningKey(std::shared_ptr<void> key);
  std::shared_ptr<void> key_;  // an EVP_PKEY
  PublicKey public_key_;
};

/// A key in a file that only its owner can read.
class SigningKeyFile {
 public:
  explicit SigningKeyFile(std::string path) : path_(std::move(path)) {}
  [[nodiscard]] const std::string& path() const { return path_; }

  /// Nothing if there is no such file. Errors are sentences that name the file.
  [[nodiscard]] tl::expected<std::optional<SigningKey>, std::string> read() const;
  /// The key, made if there was none. Several may try at once: all get the same.
  [[nodiscard]] tl::expected<SigningKey, std::string> read_or_make() const;

  /// What is wrong with who can read it; empty: nothing.
  [[nodiscard]] std::string warning() const;

  /// Where a store's key is unless somewhere else was said: `<store>-evidence-key`.
  [[nodiscard]] static std::string beside(const std::string& store);

 private:
  std::string path_;
};

}  // namespace holdfast::evidence

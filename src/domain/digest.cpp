#include "domain/digest.hpp"

#include <openssl/evp.h>

#include <cstddef>
#include <memory>

#include "base/assert.hpp"

namespace holdfast {
namespace {

struct ContextDeleter {
  void operator()(EVP_MD_CTX* context) const noexcept { EVP_MD_CTX_free(context); }
};
using Context = std::unique_ptr<EVP_MD_CTX, ContextDeleter>;

// Fetching searches the providers and takes locks, so it happens once. Never freed: a thread that
// outlives main's statics may still be hashing.
const EVP_MD* sha256_algorithm() {
  static const EVP_MD* const algorithm = [] {
    const EVP_MD* fetched = EVP_MD_fetch(nullptr, "SHA256", nullptr);
    HOLDFAST_ASSERT(fetched != nullptr);
    return fetched;
  }();
  return algorithm;
}

Context make_context() {
  Context context(EVP_MD_CTX_new());
  HOLDFAST_ASSERT(context != nullptr);
  HOLDFAST_ASSERT(EVP_DigestInit_ex2(context.get(), sha256_algorithm(), nullptr) == 1);
  return context;
}

int hex_value(char c) noexcept {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return -1;
}

}  // namespace

std::string Digest::hex() const {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text(bytes.size() * 2, '\0');
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    text[2 * i] = digits[bytes[i] >> 4];
    text[2 * i + 1] = digits[bytes[i] & 15];
  }
  return text;
}

std::optional<Digest> Digest::from_hex(std::string_view text) noexcept {
  Digest digest;
  if (text.size() != digest.bytes.size() * 2) return std::nullopt;
  for (std::size_t i = 0; i < digest.bytes.size(); ++i) {
    const int high = hex_value(text[2 * i]);
    const int low = hex_value(text[2 * i + 1]);
    if (high < 0 || low < 0) return std::nullopt;
    digest.bytes[i] = static_cast<std::uint8_t>(high * 16 + low);
  }
  return digest;
}

Digest sha256(std::string_view data) {
  thread_local const Context context = make_context();
  Digest digest;
  // A null algorithm keeps the one already set and skips the work of setting it again.
  const bool ok = EVP_DigestInit_ex2(context.get(), nullptr, nullptr) == 1 &&
                  EVP_DigestUpdate(context.get(), data.data(), data.size()) == 1 &&
                  EVP_DigestFinal_ex(context.get(), digest.bytes.data(), nullptr) == 1;
  HOLDFAST_ASSERT(ok);
  return digest;
}

}  // namespace holdfast

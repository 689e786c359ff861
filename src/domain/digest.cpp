#include "domain/digest.hpp"

#include <openssl/evp.h>

#include <cstddef>
#include <memory>

#include "base/assert.hpp"
#include "base/hex.hpp"

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

}  // namespace

std::string Digest::hex() const {
  return to_hex({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

std::optional<Digest> Digest::from_hex(std::string_view text) noexcept {
  Digest digest;
  return holdfast::from_hex(text, digest.bytes) ? std::optional(digest) : std::nullopt;
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

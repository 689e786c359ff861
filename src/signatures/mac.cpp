#include "signatures/mac.hpp"

#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/params.h>

#include <array>
#include <memory>

#include "base/assert.hpp"

namespace holdfast::signatures {
namespace {

struct Free {
  void operator()(EVP_MAC* mac) const { EVP_MAC_free(mac); }
  void operator()(EVP_MAC_CTX* context) const { EVP_MAC_CTX_free(context); }
  void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
  void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
};

const unsigned char* raw(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

EVP_MAC* algorithm() {
  static const std::unique_ptr<EVP_MAC, Free> fetched(EVP_MAC_fetch(nullptr, "HMAC", nullptr));
  HOLDFAST_ASSERT(fetched != nullptr);
  return fetched.get();
}

}  // namespace

std::string hmac(Hash hash, std::string_view key, const Content& content) {
  const std::unique_ptr<EVP_MAC_CTX, Free> context(EVP_MAC_CTX_new(algorithm()));
  HOLDFAST_ASSERT(context != nullptr);
  std::string digest = hash == Hash::sha256 ? "SHA256" : "SHA512";
  const std::array params{
      OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, digest.data(), digest.size()),
      OSSL_PARAM_construct_end()};
  std::string code(bytes_of(hash), '\0');
  std::size_t written = 0;
  const bool made = EVP_MAC_init(context.get(), raw(key), key.size(), params.data()) == 1 &&
                    EVP_MAC_update(context.get(), raw(content.head), content.head.size()) == 1 &&
                    EVP_MAC_update(context.get(), raw(content.body), content.body.size()) == 1 &&
                    EVP_MAC_final(context.get(), reinterpret_cast<unsigned char*>(code.data()),
                                  &written, code.size()) == 1;
  HOLDFAST_ASSERT(made && written == code.size());
  return code;
}

bool same_bytes(std::string_view left, std::string_view right) {
  return left.size() == right.size() && CRYPTO_memcmp(left.data(), right.data(), left.size()) == 0;
}

bool ed25519_fits(std::string_view key, const Content& content, std::string_view signature) {
  const std::unique_ptr<EVP_PKEY, Free> owner(
      EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, nullptr, raw(key), key.size()));
  const std::unique_ptr<EVP_MD_CTX, Free> context(EVP_MD_CTX_new());
  HOLDFAST_ASSERT(context != nullptr);
  if (owner == nullptr) return false;
  const std::string whole = content.head + std::string(content.body);
  return EVP_DigestVerifyInit(context.get(), nullptr, nullptr, nullptr, owner.get()) == 1 &&
         EVP_DigestVerify(context.get(), raw(signature), signature.size(), raw(whole),
                          whole.size()) == 1;
}

}  // namespace holdfast::signatures

#include "deliveries/signing.hpp"

#include <fmt/format.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <array>

#include "base/assert.hpp"
#include "signatures/base64.hpp"

namespace holdfast::deliveries {

signatures::Secret signing_secret(const HashKey& store_secret,
                                  const subscriptions::SubscriptionRow& row, std::uint64_t number) {
  const std::string bound = fmt::format("holdfast subscription 1\n{}\n{}{}\n{}", row.tenant.size(),
                                        row.tenant, row.id, number);
  std::array<unsigned char, 32> out{};
  unsigned int size = 0;
  const auto* done =
      HMAC(EVP_sha256(), store_secret.data(), sizeof store_secret,
           reinterpret_cast<const unsigned char*>(bound.data()), bound.size(), out.data(), &size);
  HOLDFAST_ASSERT(done != nullptr && size == out.size());
  const std::string_view bytes(reinterpret_cast<const char*>(out.data()), out.size());
  const auto secret = signatures::Secret::standard("whsec_" + signatures::to_base64(bytes));
  HOLDFAST_ASSERT(secret.has_value());
  return *secret;
}

std::vector<signatures::Secret> signing_secrets(const HashKey& store_secret,
                                                const subscriptions::SubscriptionRow& row,
                                                Instant now) {
  std::vector<signatures::Secret> secrets{signing_secret(store_secret, row, row.secret)};
  if (row.secret > 1 && now - row.secret_since < subscriptions::secret_overlap)
    secrets.push_back(signing_secret(store_secret, row, row.secret - 1));
  return secrets;
}

}  // namespace holdfast::deliveries

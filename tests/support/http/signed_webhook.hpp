#pragma once

#include <string>
#include <vector>

#include "holdfast/clock.hpp"
#include "signatures/sign.hpp"
#include "support/http/http_server.hpp"

namespace holdfast::test {

/// What a source of tests signs with, as the file of secrets has it.
inline constexpr const char* webhook_secret = "whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=";

/// The headers of a webhook that is sent now, by Standard Webhooks.
[[nodiscard]] inline Headers signed_webhook(const std::string& id, const std::string& body) {
  const std::vector secrets{*signatures::Secret::standard(webhook_secret)};
  const auto made = signatures::sign_standard(secrets, id, system_clock()->now(), body);
  return {{"webhook-id", made->id},
          {"webhook-timestamp", made->timestamp},
          {"webhook-signature", made->signature}};
}

}  // namespace holdfast::test

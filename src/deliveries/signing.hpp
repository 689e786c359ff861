#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/siphash.hpp"
#include "modules/subscriptions/subscription_row.hpp"
#include "signatures/secret.hpp"

namespace holdfast::deliveries {

/// The signing secret of a subscription, by its number. It is made of the store's own secret and
/// kept nowhere: neither records nor exports have it.
[[nodiscard]] signatures::Secret signing_secret(const HashKey& store_secret,
                                                const subscriptions::SubscriptionRow& row,
                                                std::uint64_t number);

/// Those that webhooks are signed with now: the one in force, and for a while the one before.
[[nodiscard]] std::vector<signatures::Secret> signing_secrets(
    const HashKey& store_secret, const subscriptions::SubscriptionRow& row, Instant now);

}  // namespace holdfast::deliveries

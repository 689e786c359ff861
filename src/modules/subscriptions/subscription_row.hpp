#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "domain/module_rows.hpp"

/// What is kept of a subscription.
namespace holdfast::subscriptions {

struct SubscriptionRow {
  static constexpr RowSpace space{3601};
  /// All are in one list of nobody's tenant: dispatchers serve them all.
  static constexpr std::string_view tenant_of_list{};
  static constexpr std::string_view list = "subscriptions";

  std::string tenant;
  std::string id;
  std::string url;
  std::vector<std::string> events{};
  std::string description{};
  std::uint64_t made_seq = 0;  ///< its place in the list
  std::uint64_t cursor = 0;    ///< the record whose event was taken in last
  bool disabled = false;
  std::string reason{};  ///< why it is disabled
  std::string error{};   ///< what the last delivery that failed ended in
  std::uint64_t failures = 0;
  std::optional<Instant> failing_since{};
  Instant next_at{};                     ///< not to be served before
  std::optional<Instant> lease_until{};  ///< set: somebody serves it
  std::string holder{};
  std::uint64_t fence = 0;
  std::uint64_t secret = 1;  ///< the number of its signing secret
  Instant secret_since{};
  Instant created_at{};

  [[nodiscard]] bool leased(Instant now) const { return lease_until && now < *lease_until; }
  [[nodiscard]] bool wants(std::string_view event) const;

  void write(JsonWriter& json) const;
  [[nodiscard]] static std::optional<SubscriptionRow> read(std::string_view json);
  [[nodiscard]] RowIndex index(std::string_view key) const;
};

/// The id of a subscription that was made with that token, by that record: the same token makes
/// another one once it is forgotten.
[[nodiscard]] std::string subscription_id(std::string_view tenant, std::string_view token,
                                          std::uint64_t seq);

/// How long a receiver may fail before its subscription is disabled, and how long is waited at most
/// between two tries.
inline constexpr Duration give_up_after = std::chrono::hours(24 * 3);
inline constexpr Duration backoff_max = std::chrono::hours(1);
/// How long the secret before is good for.
inline constexpr Duration secret_overlap = std::chrono::hours(24);

/// As callers are told of it.
void write_subscription(const SubscriptionRow& row, JsonWriter& json);

}  // namespace holdfast::subscriptions

#pragma once

#include <optional>
#include <string>

#include "store/open.hpp"

namespace holdfast {

/// What a store was made with and keeps for life.
struct KeptRules {
  std::string digest_function;
  std::optional<Duration> window{};
  Policies policies{};  ///< class and window of each operation
};

/// The name under which a store keeps the window of an operation; no number: for ever.
[[nodiscard]] std::string window_name(Operation operation);
/// Takes over one of those.
void keep_window(KeptRules& kept, std::string_view name, std::optional<Duration> window);

/// Refuses a store whose digests are made another way, or that does not say its window.
[[nodiscard]] StoreResult<void> check_kept(const std::string& store, const KeptRules& kept);

/// Takes over what is kept; refuses what was asked for and differs.
[[nodiscard]] StoreResult<void> reconcile(const StoreOptions& options, const KeptRules& kept,
                                          Rules& rules);

/// Takes over what is kept, whatever the rules said: for whoever only looks.
void adopt(const KeptRules& kept, Rules& rules);

}  // namespace holdfast

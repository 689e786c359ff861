#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "store/open.hpp"

namespace holdfast {

/// What a store was made with and keeps; its window until that is changed, the rest for life.
struct KeptRules {
  std::string digest_function;
  std::optional<Duration> window{};
  Policies policies{};                  ///< class and window of each operation
  std::vector<Operation> operations{};  ///< those it says a window of
  /// What confirmation codes and secret arguments are sealed with, and signing secrets are made of.
  std::optional<HashKey> confirmation_secret{};
  std::uint64_t plain_until = 0;  ///< see `Rules`
  WindowHistory history{};
};

/// The name under which a store that was upgraded keeps that.
inline constexpr std::string_view plain_name = "plain_until";

/// The names under which a store whose window was changed keeps its history. Those in SQL: of
/// `made_window_us`, and of `own_window.` and the name of an operation.
inline constexpr std::string_view made_window_name = "made_window_us";
inline constexpr std::string_view forgotten_name = "forgotten_to_us";
inline constexpr std::string_view change_name = "window_changed_seq";

/// The names under which a store keeps the two halves of that.
inline constexpr std::array<std::string_view, 2> secret_names{"confirmation_secret.low",
                                                              "confirmation_secret.high"};

/// The name under which a store keeps the window of an operation; no number: for ever.
[[nodiscard]] std::string window_name(Operation operation);
/// Takes over a number that is kept under one of these names.
void keep_number(KeptRules& kept, std::string_view name, std::optional<std::int64_t> number);

/// Refuses a store whose digests are made another way, or that does not say its window.
[[nodiscard]] StoreResult<void> check_kept(const std::string& store, const KeptRules& kept);

/// Refuses a store that was made before there were all the operations of this program.
[[nodiscard]] StoreResult<void> check_operations(const std::string& store, const KeptRules& kept);

/// A number that a store keeps, and its name.
struct KeptNumber {
  std::string name;
  std::optional<std::int64_t> number;
};
/// All that a store with these rules keeps of them as numbers, but for its secret.
[[nodiscard]] std::vector<KeptNumber> kept_numbers(const Rules& rules);
/// Its secret as numbers.
[[nodiscard]] std::vector<KeptNumber> secret_numbers(const HashKey& secret);
/// The windows of operations that the store says nothing of, for it to keep from now on: what the
/// program has for a store of that window when it is told nothing. No number: for ever.
[[nodiscard]] std::vector<KeptNumber> new_windows(const KeptRules& kept);

/// What is said of a store whose views would not know of the change of a window.
inline constexpr std::string_view other_views =
    "its views are those of another version of Holdfast, and could not tell of another window. Run "
    "`holdfast store upgrade` first.";

/// What is said where each operation has a window of its own.
inline constexpr std::string_view nobody_follows =
    "every operation here has a window of its own, or keeps tokens for ever: none follows the "
    "store's";

/// Takes over what is kept; refuses what was asked for and differs.
[[nodiscard]] StoreResult<void> reconcile(const StoreOptions& options, const KeptRules& kept,
                                          Rules& rules);

/// Whether the store that keeps this is the one that was opened with these rules.
[[nodiscard]] bool keeps(const KeptRules& kept, const Rules& rules);

/// Takes over what is kept, whatever the rules said: for whoever only looks.
void adopt(const KeptRules& kept, Rules& rules);

}  // namespace holdfast

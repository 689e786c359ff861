#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "domain/invariants_findings.hpp"
#include "domain/operation.hpp"
#include "domain/rules.hpp"

namespace holdfast::audit {

/// How long tokens were recognised, record by record: the window a store was made with, and each
/// record that changed it. That none of these is missing is a part of PC-10.
class WindowBooks {
 public:
  WindowBooks(const Rules& rules, Findings& findings);

  /// Every record, in order.
  void see(const Record& record);
  /// The windows that the store keeps are those of its records.
  void finish();

  /// Whether a token that was recorded then is seen at that instant, by the window now in force. Of
  /// any two numbers, however wrong.
  [[nodiscard]] bool within(Operation operation, std::int64_t recorded_us,
                            std::int64_t at_us) const;

 private:
  struct Window {
    std::optional<std::int64_t> us{};  ///< unset: for ever
    bool follows = false;              ///< the store's
  };

  void change(const Record& record);

  Findings& findings_;
  const std::int64_t kept_us_;  ///< the store's window at the end, as it says itself
  std::int64_t window_us_;      ///< the store's window now
  bool changed_;                ///< since it was made, as it says itself or by its records
  std::int64_t forgotten_to_us_ = INT64_MIN;
  std::array<Window, operation_limit> windows_{};
  std::uint64_t last_seq_ = 0;
};

}  // namespace holdfast::audit

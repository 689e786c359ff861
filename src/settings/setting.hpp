#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "settings/settings.hpp"

/// Settings as rows of one table. Files, environment, flags, `config check` and the reference all
/// come from it, so that none of them can know a setting the others do not.
namespace holdfast::http {

enum class Kind : std::uint8_t { text, boolean, count, bytes, duration, choice };

struct Setting {
  std::string name;  ///< as in a file and as a flag: `limits.header_bytes_max`
  Kind kind;
  std::string allowed;  ///< completes "write …": `a whole number from 1 to 64`
  std::string help;     ///< one line
  std::string unset{};  ///< what an empty value stands for
  /// Takes the value from its text; false, and nothing changed, if it is not allowed.
  std::function<bool(Settings&, std::string_view)> set;
  /// The value as text that `set` would take; empty when there is none.
  std::function<std::string(const Settings&)> show;

  [[nodiscard]] std::string variable() const;  ///< `HOLDFAST_LIMITS_HEADER_BYTES_MAX`
};

/// Every setting, in the order of the reference. Made once; safe from any thread.
[[nodiscard]] const std::vector<Setting>& setting_table();

/// What looks like a setting and is none: a policy that would make no sense of its operation.
struct MissingSetting {
  std::string name;
  std::string variable;
  std::string_view why;  ///< where that is said instead, or why it cannot be
};
[[nodiscard]] const std::vector<MissingSetting>& missing_settings();

/// The section of an operation's policies: `policies.hold_place`.
[[nodiscard]] std::string policy_section(Operation operation);

/// The setting of that exact name; nothing if there is none.
[[nodiscard]] const Setting* setting_named(std::string_view name);

}  // namespace holdfast::http

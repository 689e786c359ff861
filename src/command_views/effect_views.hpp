#pragma once

#include <optional>
#include <string_view>

#include "base/json_writer.hpp"
#include "holdfast/clock.hpp"
#include "modules/commands/command_row.hpp"
#include "modules/commands/effect_row.hpp"

/// An effect as people are told of it: what its command's tenant may see.
namespace holdfast::commands {

enum class EffectStatus : std::uint8_t {
  waiting,  ///< for its next attempt
  leased,   ///< somebody is at work on it
  unknown,  ///< nobody knows whether it took place
  dead,     ///< its command failed, and it is not tried again
};

inline constexpr EffectStatus effect_statuses[] = {EffectStatus::waiting, EffectStatus::leased,
                                                   EffectStatus::unknown, EffectStatus::dead};

[[nodiscard]] std::string_view name(EffectStatus status);
[[nodiscard]] std::optional<EffectStatus> effect_status_named(std::string_view name);

/// An effect with its command, whether it is still open or was given up.
struct EffectView {
  CommandRow command;
  EffectRow effect;

  [[nodiscard]] EffectStatus status() const;
  void write(JsonWriter& json, Instant now) const;
};

}  // namespace holdfast::commands

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "domain/rules.hpp"

namespace holdfast::test {

/// One thing that happens, in small numbers that mean something only while it is played: which
/// token, which hold, which instant. So any part of a history is a history too, and a failing one
/// can be cut down to what matters.
struct Deed {
  enum class Kind : std::uint8_t {
    place,
    confirm,
    release,
    expire,
    declare,
    confirm_part,  ///< finally, at times
    extend,
    cancel,
    place_group,
    confirm_group,
    release_group,
    extend_group,
    retry,           ///< an earlier call once more, exactly
    step,            ///< of the clock, forward or back
    jump_to_expiry,  ///< of some hold, give or take a microsecond
    jump_to_window,  ///< the end of some token's, give or take a microsecond
    sweep,
    forget,
    reopen,
  };
  Kind kind = Kind::place;
  bool same_batch = false;  ///< with the call before
  std::uint32_t token = 0;
  std::uint32_t hold = 0;
  std::uint32_t resource = 0;
  std::uint32_t requester = 0;
  std::uint32_t quantity = 0;
  std::uint32_t duration = 0;
  std::uint32_t caller = 0;
};

/// Deeds from a seed, always the same ones.
[[nodiscard]] std::vector<Deed> random_deeds(std::uint64_t seed);
/// Policies from a seed: both `on_reject`, both classes, windows of their own.
[[nodiscard]] Rules random_rules(std::uint64_t seed);

/// Plays deeds against a store and the model, comparing every answer and, after every batch, all
/// that can be looked up; audits at the end. What differed first, if anything did.
[[nodiscard]] std::optional<std::string> first_difference(const std::string& engine,
                                                          const Rules& rules,
                                                          const std::vector<Deed>& deeds);

/// As few of the deeds as still show a difference.
[[nodiscard]] std::vector<Deed> cut_down(const std::string& engine, const Rules& rules,
                                         std::vector<Deed> deeds);

[[nodiscard]] std::string in_words(const std::vector<Deed>& deeds);

}  // namespace holdfast::test

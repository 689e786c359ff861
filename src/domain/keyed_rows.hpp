#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "holdfast/clock.hpp"

/// What rows share that are found by a token, and that are worked on again and again.
namespace holdfast {

/// SHA-256 over tenant and token, 40 hexadecimal digits of it. Tokens may hold any bytes and differ
/// in length; this never does, and no other tenant has it.
[[nodiscard]] std::string keyed_row_key(std::string_view tenant, std::string_view token);

/// A letter, the key of the row, and how often the token was used: `c-9f86…-1`.
[[nodiscard]] std::string keyed_row_id(char letter, std::string_view row_key, std::uint64_t use);
/// The key in an id with that letter; empty if it is none.
[[nodiscard]] std::string_view keyed_row_key_in(char letter, std::string_view id);

/// How long to wait after so many attempts: doubled each time up to the most, and then between a
/// half and all of that, as the id and the attempt say, so that many do not come together.
struct Backoff {
  std::uint64_t first_us = 1'000'000;
  std::uint64_t most_us = 300'000'000;

  [[nodiscard]] Duration after(std::string_view id, std::uint64_t attempts) const;
};

}  // namespace holdfast

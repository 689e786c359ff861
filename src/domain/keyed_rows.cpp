#include "domain/keyed_rows.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "domain/digest.hpp"

namespace holdfast {
namespace {

constexpr std::size_t key_digits = 40;

}  // namespace

std::string keyed_row_key(std::string_view tenant, std::string_view token) {
  return sha256(fmt::format("{}\n{}{}", tenant.size(), tenant, token)).hex().substr(0, key_digits);
}

std::string keyed_row_id(char letter, std::string_view row_key, std::uint64_t use) {
  return fmt::format("{}-{}-{:x}", letter, row_key, use);
}

std::string_view keyed_row_key_in(char letter, std::string_view id) {
  constexpr std::size_t before = 2;
  if (id.size() < before + key_digits + 2 || id[0] != letter || id[1] != '-') return {};
  if (id[before + key_digits] != '-') return {};
  const std::string_view key = id.substr(before, key_digits);
  return key.find_first_not_of("0123456789abcdef") == std::string_view::npos ? key : "";
}

Duration Backoff::after(std::string_view id, std::uint64_t attempts) const {
  const std::uint64_t doublings =
      std::min<std::uint64_t>(std::max<std::uint64_t>(attempts, 1) - 1, 40);
  const std::uint64_t most = std::max<std::uint64_t>(most_us, 2);
  const std::uint64_t first = std::min(first_us, most);
  const std::uint64_t wait = first > (most >> doublings) ? most : first << doublings;
  const std::uint64_t spread = sha256(fmt::format("{} {}", id, attempts)).bytes[0];  // 0 to 255
  return Duration(static_cast<std::int64_t>(wait / 2 + wait / 2 * spread / 255));
}

}  // namespace holdfast

#include "store/cursor.hpp"

#include <fmt/format.h>

#include <charconv>

#include "base/assert.hpp"

namespace holdfast {

std::string cursor_at(List list, std::uint64_t position) {
  HOLDFAST_ASSERT(position > 0 && position <= INT64_MAX);
  return fmt::format("{}{:x}", static_cast<char>(list), position);
}

StoreResult<std::optional<std::uint64_t>> position_of(List list, std::string_view cursor) {
  if (cursor.empty()) return std::nullopt;
  const char* const end = cursor.data() + cursor.size();
  std::uint64_t position = 0;
  const auto [stop, error] = std::from_chars(cursor.data() + 1, end, position, 16);
  const bool whole = error == std::errc() && stop == end;
  if (cursor.front() != static_cast<char>(list) || !whole || position == 0 ||
      position > INT64_MAX) {
    return tl::unexpected(
        StoreError{Effect::none, "the cursor is not one this list gave out", true});
  }
  return position;
}

}  // namespace holdfast

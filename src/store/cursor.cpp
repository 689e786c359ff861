#include "store/cursor.hpp"

#include <fmt/format.h>

#include <charconv>

#include "base/assert.hpp"

namespace holdfast {
namespace {

constexpr char rows_mark = 'm';

auto bad_cursor() {
  return tl::unexpected(StoreError{Effect::none, "the cursor is not one this list gave out", true});
}

}  // namespace

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
    return bad_cursor();
  }
  return position;
}

std::string cursor_at(const RowPlace& place) {
  std::string cursor = fmt::format("{}{}.", rows_mark, place.position);
  for (const char byte : place.key)
    cursor += fmt::format("{:02x}", static_cast<unsigned char>(byte));
  return cursor;
}

StoreResult<std::optional<RowPlace>> place_of(std::string_view cursor) {
  if (cursor.empty()) return std::nullopt;
  const char* const end = cursor.data() + cursor.size();
  RowPlace place;
  const auto [dot, error] = std::from_chars(cursor.data() + 1, end, place.position);
  if (cursor.front() != rows_mark || error != std::errc() || dot == end || *dot != '.' ||
      (end - dot) % 2 == 0) {
    return bad_cursor();
  }
  for (const char* at = dot + 1; at != end; at += 2) {
    std::uint8_t byte = 0;
    const auto [stop, wrong] = std::from_chars(at, at + 2, byte, 16);
    if (wrong != std::errc() || stop != at + 2) return bad_cursor();
    place.key += static_cast<char>(byte);
  }
  return place;
}

Page<RowFound> page_of(std::vector<RowFound> found, std::size_t limit) {
  Page<RowFound> page{.items = std::move(found), .next = {}};
  if (page.items.size() <= limit) return page;
  page.items.resize(limit);
  page.next = cursor_at(page.items.back().place);
  return page;
}

StoreResult<Page<RowFound>> read_rows(const ModuleStates& rows, std::string_view tenant,
                                      const RowQuery& query) {
  if (query.key) {
    const ModuleRow* const found = rows.find({query.space, tenant, *query.key});
    Page<RowFound> page;
    if (found != nullptr) page.items.push_back({{0, *query.key}, *found});
    return page;
  }
  auto after = place_of(query.cursor);
  if (!after) return tl::unexpected(after.error());
  const std::size_t limit = page_items(query.limit);
  return page_of(rows.list({.space = query.space,
                            .tenant = tenant,
                            .parent = query.parent,
                            .after = std::move(*after),
                            .limit = limit + 1}),
                 limit);
}

}  // namespace holdfast

#include "command_views/command_lists.hpp"

#include <algorithm>
#include <map>

namespace holdfast::commands {
namespace {

/// Commands looked at for one page, whatever is wanted.
constexpr std::size_t looked_at_max = 4 * page_items_max;

/// What was read of all lists from one place on, in order; complete up to `upto`.
struct Stretch {
  std::map<std::int64_t, RowFound> rows{};
  std::optional<std::int64_t> upto{};  ///< a list goes on behind it; unset: none does
};

/// As many rows of each list as a page may take. Lists that commands leave come first, so that none
/// is missed on its way to another.
StoreResult<Stretch> read_stretch(const Store& store, const CommandsAsked& asked,
                                  const std::string& cursor, std::size_t limit) {
  Stretch stretch;
  for (const Status each : asked.statuses) {
    auto page = store.rows(asked.tenant, {.space = CommandRow::space,
                                          .parent = std::string(name(each)),
                                          .cursor = cursor,
                                          .limit = limit});
    if (!page) return tl::unexpected(page.error());
    if (!page->next.empty()) {
      const std::int64_t last = page->items.back().place.position;
      stretch.upto = std::min(stretch.upto.value_or(last), last);
    }
    for (RowFound& found : page->items)
      stretch.rows.insert_or_assign(found.place.position, std::move(found));
  }
  if (stretch.upto) stretch.rows.erase(stretch.rows.upper_bound(*stretch.upto), stretch.rows.end());
  return stretch;
}

StoreResult<std::optional<CommandRow>> find_row_of(const Store& store, const std::string& tenant,
                                                   const std::string& key) {
  const auto page = store.rows(tenant, {.space = CommandRow::space, .key = key});
  if (!page) return tl::unexpected(page.error());
  if (page->items.empty()) return std::nullopt;
  return *row_of<CommandRow>(&page->items.front().row);
}

}  // namespace

StoreResult<Page<CommandRow>> list_commands_of(
    const Store& store, const CommandsAsked& asked,
    const std::function<bool(const CommandRow&)>& wanted) {
  Page<CommandRow> page;
  std::string cursor = asked.cursor;
  for (std::size_t looked_at = 0; looked_at < looked_at_max;) {
    const auto stretch = read_stretch(store, asked, cursor, asked.limit);
    if (!stretch) return tl::unexpected(stretch.error());
    std::size_t taken = 0;
    for (const auto& [position, found] : stretch->rows) {
      if (page.items.size() == asked.limit) break;
      ++taken;
      cursor = cursor_at(found.place);
      const auto& row = *row_of<CommandRow>(&found.row);
      if (wanted(row)) page.items.push_back(row);
    }
    looked_at += taken;
    const bool more = stretch->upto || taken < stretch->rows.size();
    if (!more) return page;
    if (page.items.size() == asked.limit) break;
  }
  page.next = cursor;
  return page;
}

StoreResult<std::optional<CommandRow>> find_command(const Store& store, const std::string& tenant,
                                                    const std::string& id) {
  const std::string key(commands::row_key_in(id));
  if (key.empty()) return std::nullopt;
  auto row = find_row_of(store, tenant, key);
  if (row && *row && (*row)->id != id) return std::nullopt;
  return row;
}

StoreResult<std::optional<CommandRow>> find_command_by_key(const Store& store,
                                                           const std::string& tenant,
                                                           const std::string& key) {
  return find_row_of(store, tenant, commands::row_key(tenant, key));
}

}  // namespace holdfast::commands

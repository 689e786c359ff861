#include "store/shared/row_changes.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/assert.hpp"
#include "store/cursor.hpp"
#include "store/shared/objections.hpp"
#include "store/shared/pool.hpp"

namespace holdfast::shared {

RowChanges::RowChanges(const Wanted& wanted, const Loaded& loaded) : wanted_(wanted.rows) {
  for (const KeptRow& each : loaded.rows) keep(each);
  for (const ListedRow& each : loaded.listed) keep(each.kept);
  for (const KeptRow& each : loaded.due_rows) keep(each);
}

void RowChanges::keep(const KeptRow& row) {
  rows_.try_emplace(row.name, Kept{row.row, row.row.version, false});
}

bool RowChanges::was_wanted(const RowName& name) const {
  return std::binary_search(wanted_.begin(), wanted_.end(), name, RowNameOrder());
}

const ModuleRow* RowChanges::find(const RowName& name) const {
  const auto found = rows_.find(name);
  const bool there = found != rows_.end() && found->second.row.value != nullptr;
  return there ? &found->second.row : nullptr;
}

/// A row that nobody named was not looked for: there may be one.
void RowChanges::put(const RowName& name, ModuleRow row) {
  auto at = rows_.find(name);
  if (at == rows_.end()) {
    HOLDFAST_ASSERT(was_wanted(name));
    at = rows_.try_emplace(OwnedRowName(name)).first;
  }
  at->second.row = std::move(row);
  at->second.changed = true;
}

void RowChanges::put_new(const RowName& name, ModuleRow row) {
  rows_.insert_or_assign(OwnedRowName(name), Kept{std::move(row), 0, true});
}

bool RowChanges::remove(const RowName& name) {
  const auto at = rows_.find(name);
  if (at == rows_.end()) {
    HOLDFAST_ASSERT(was_wanted(name));
    return false;
  }
  if (at->second.row.value == nullptr) return false;
  at->second.row = {};
  at->second.changed = true;
  return true;
}

void RowChanges::finish(Changes& changes) const {
  for (const auto& [name, kept] : rows_) {
    if (!kept.changed) continue;
    if (kept.row.value == nullptr) {
      if (kept.was != 0) changes.removed_rows.push_back({name, kept.was});
      continue;
    }
    const RowKind& kind = *find_row_kind(name.space);
    const void* const value = kept.row.value.get();
    Changes::Row row{.name = name,
                     .was = kept.was,
                     .version = kept.row.version,
                     .index = kind.index(name.key, value),
                     .value = {}};
    JsonWriter json(row.value);
    kind.write(value, json);
    (kept.was == 0 ? changes.new_rows : changes.changed_rows).push_back(std::move(row));
  }
}

KeptRow kept_row(const RowName& name, std::uint64_t version, std::string_view value) {
  const RowKind* const kind = find_row_kind(name.space);
  HOLDFAST_ASSERT(kind != nullptr);  // nobody asks for others
  return {.name = OwnedRowName(name), .row = {kind->read(value), version}};
}

std::vector<RowName> load_due(Loaded& loaded, std::size_t due_max, WorkingSet& rows) {
  std::vector<KeptRow>& due = loaded.due_rows;
  std::sort(due.begin(), due.end(), [](const KeptRow& a, const KeptRow& b) {
    return a.due != b.due ? a.due < b.due : RowName(a.name) < RowName(b.name);
  });
  if (due.size() > due_max)
    due.erase(due.begin() + static_cast<std::ptrdiff_t>(due_max), due.end());
  std::vector<RowName> names;
  for (const KeptRow& each : due) names.push_back(rows.load_row(each.name, each.row));
  return names;
}

namespace {

std::optional<Fault> broken(const KeptRow& row) {
  if (row.row.value != nullptr) return std::nullopt;
  return Fault{Trouble::refused,
               fmt::format("a row of {} was altered: restore the database from a backup",
                           find_row_kind(row.name.space)->name)};
}

std::optional<Fault> broken_one(const std::vector<KeptRow>& rows) {
  for (const KeptRow& each : rows) {
    if (auto fault = broken(each)) return fault;
  }
  return std::nullopt;
}

}  // namespace

std::optional<Fault> broken_row(const Loaded& loaded) {
  if (auto fault = broken_one(loaded.rows)) return fault;
  for (const ListedRow& each : loaded.listed) {
    if (auto fault = broken(each.kept)) return fault;
  }
  return broken_one(loaded.due_rows);
}

StoreResult<Page<RowFound>> read_rows(Pool& readers, const Driver& driver, std::string_view tenant,
                                      const RowQuery& query) {
  if (std::max(query.key.value_or("").size(), query.parent.size()) > name_bytes_max)
    return Page<RowFound>{};
  RowFilter filter{.space = query.space, .tenant = tenant, .parent = query.parent};
  const std::size_t limit = page_items(query.limit);
  if (query.key) {
    filter.key = *query.key;
  } else {
    auto after = place_of(query.cursor);
    if (!after) return tl::unexpected(after.error());
    if (*after) filter.after = std::move(**after);
    filter.limit = limit + 1;
  }
  auto kept = ask(readers, [&](Session& session) { return session.rows(filter); });
  if (!kept) return tl::unexpected(to_error(driver, kept.error()));
  if (const auto fault = broken_one(*kept)) return tl::unexpected(to_error(driver, *fault));
  std::vector<RowFound> found;
  for (KeptRow& each : *kept)
    found.push_back({{each.position, std::move(each.name.key)}, std::move(each.row)});
  return page_of(std::move(found), limit);
}

StoreResult<ListSizes> read_list_sizes(Pool& readers, const Driver& driver, std::string_view tenant,
                                       RowSpace space) {
  auto sizes = ask(readers, [&](Session& session) { return session.list_sizes(tenant, space); });
  if (!sizes) return tl::unexpected(to_error(driver, sizes.error()));
  return std::move(*sizes);
}

}  // namespace holdfast::shared

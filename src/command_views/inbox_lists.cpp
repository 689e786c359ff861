#include "command_views/inbox_lists.hpp"

#include <algorithm>

#include "modules/webhooks/details.hpp"

namespace holdfast::webhooks {
namespace {

/// Entries looked at for one page, whatever is wanted.
constexpr std::size_t looked_at_max = 2 * page_items_max;

template <typename Row>
StoreResult<std::optional<Row>> find(const Store& store, std::string_view tenant,
                                     std::string_view id) {
  const std::string key(row_key_in(id));
  if (key.empty()) return std::nullopt;
  const auto page = store.rows(tenant, {.space = Row::space, .key = key});
  if (!page) return tl::unexpected(page.error());
  if (page->items.empty()) return std::nullopt;
  return *row_of<Row>(&page->items.front().row);
}

StoreResult<std::optional<WorkRow>> work_of(const Store& store, const EntryRow& entry) {
  if (entry.done_at) return std::nullopt;
  return find<WorkRow>(store, WorkRow::tenant_of_queues, entry.id);
}

/// Of an entry that is done, the journal has it.
StoreResult<std::optional<PayloadRow>> payload_of(const Store& store, const std::string& tenant,
                                                  const EntryRow& entry) {
  auto kept = find<PayloadRow>(store, tenant, entry.id);
  if (!kept || *kept) return kept;
  const auto records = store.records(entry.seq - 1, 1);
  if (!records) return tl::unexpected(records.error());
  if (records->empty()) return std::nullopt;
  auto said = Received::read(records->front().detail);
  if (!said || said->entry.id != entry.id) return std::nullopt;
  return std::move(said->payload);
}

}  // namespace

void EntryView::write(JsonWriter& json) const {
  write_entry(json, entry, work ? &*work : nullptr, payload ? &*payload : nullptr);
}

StoreResult<std::optional<EntryView>> find_entry(const Store& store, const std::string& tenant,
                                                 const std::string& id) {
  auto entry = find<EntryRow>(store, tenant, id);
  if (!entry) return tl::unexpected(entry.error());
  if (!*entry || (*entry)->id != id) return std::nullopt;
  auto work = work_of(store, **entry);
  if (!work) return tl::unexpected(work.error());
  auto payload = payload_of(store, tenant, **entry);
  if (!payload) return tl::unexpected(payload.error());
  return EntryView{std::move(**entry), std::move(*work), std::move(*payload)};
}

/// Entries that are done, and those that are not, are two lists of one order: a cursor of one goes
/// on in the other.
StoreResult<Page<EntryView>> list_entries(const Store& store, const EntriesAsked& asked) {
  constexpr std::string_view behind = "d.";  // the cursor of the second list
  Page<EntryView> page;
  bool done = asked.status == Status::done || asked.cursor.starts_with(behind);
  std::string cursor = asked.cursor;
  if (cursor.starts_with(behind)) cursor.erase(0, behind.size());
  const bool both = !asked.status;
  for (std::size_t looked_at = 0; looked_at < looked_at_max;) {
    const std::size_t room = asked.limit - page.items.size();
    const auto some =
        store.rows(asked.tenant, {.space = EntryRow::space,
                                  .parent = std::string(done ? done_entries : open_entries),
                                  .cursor = cursor,
                                  .limit = room});
    if (!some) return tl::unexpected(some.error());
    looked_at += std::max<std::size_t>(some->items.size(), 1);
    for (const RowFound& found : some->items) {
      const auto& entry = *row_of<EntryRow>(&found.row);
      if (!asked.source.empty() && entry.source != asked.source) continue;
      auto work = work_of(store, entry);
      if (!work) return tl::unexpected(work.error());
      const Status status = *work ? (*work)->status() : Status::done;
      if (asked.status && status != *asked.status) continue;
      page.items.push_back({.entry = entry, .work = std::move(*work)});
    }
    cursor = some->next;
    if (cursor.empty() && (done || !both)) return page;
    if (cursor.empty()) done = true;
    if (page.items.size() == asked.limit) break;
  }
  page.next = done && both ? std::string(behind) + cursor : cursor;
  return page;
}

}  // namespace holdfast::webhooks

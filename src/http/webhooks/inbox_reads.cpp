// Looking at the inbox.

#include <algorithm>

#include "http/handlers/changes.hpp"
#include "http/handlers/listing.hpp"
#include "http/handlers/problem.hpp"
#include "http/router.hpp"
#include "modules/webhooks/details.hpp"
#include "modules/webhooks/inbox_rows.hpp"

namespace holdfast::http {
namespace {

using webhooks::EntryRow;
using webhooks::PayloadRow;
using webhooks::Status;
using webhooks::WorkRow;

/// Entries looked at for one page, whatever is wanted.
constexpr std::size_t looked_at_max = 2 * page_items_max;

template <typename Row>
StoreResult<std::optional<Row>> find(const Store& store, std::string_view tenant,
                                     std::string_view id) {
  const std::string key(webhooks::row_key_in(id));
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
  auto said = webhooks::Received::read(records->front().detail);
  if (!said || said->entry.id != entry.id) return std::nullopt;
  return std::move(said->payload);
}

Response no_such_entry() { return problem_response(problem_for(Rejection::inbox_entry_not_known)); }

Response entry_response(const Store& store, const std::string& tenant, const std::string& id) {
  const auto entry = find<EntryRow>(store, tenant, id);
  if (!entry) return store_problem(entry.error());
  if (!*entry || (*entry)->id != id) return no_such_entry();
  const auto work = work_of(store, **entry);
  if (!work) return store_problem(work.error());
  const auto payload = payload_of(store, tenant, **entry);
  if (!payload) return store_problem(payload.error());
  Response response;
  JsonWriter json(response.body);
  webhooks::write_entry(json, **entry, *work ? &**work : nullptr, *payload ? &**payload : nullptr);
  return response;
}

struct Wanted {
  std::string tenant;
  std::optional<Status> status{};
  std::string source{};
  std::string cursor{};
  std::size_t limit = page_items_default;
};

struct Shown {
  EntryRow entry;
  std::optional<WorkRow> work;
};

/// Entries that are done, and those that are not, are two lists of one order: a cursor of one goes
/// on in the other. Without a status those that are not done come first.
StoreResult<Page<Shown>> list_entries(const Store& store, const Wanted& wanted) {
  constexpr std::string_view behind = "d.";  // the cursor of the second list
  Page<Shown> page;
  bool done = wanted.status == Status::done || wanted.cursor.starts_with(behind);
  std::string cursor = wanted.cursor;
  if (cursor.starts_with(behind)) cursor.erase(0, behind.size());
  const bool both = !wanted.status;
  for (std::size_t looked_at = 0; looked_at < looked_at_max;) {
    const std::size_t room = wanted.limit - page.items.size();
    const auto some =
        store.rows(wanted.tenant,
                   {.space = EntryRow::space,
                    .parent = std::string(done ? webhooks::done_entries : webhooks::open_entries),
                    .cursor = cursor,
                    .limit = room});
    if (!some) return tl::unexpected(some.error());
    looked_at += std::max<std::size_t>(some->items.size(), 1);
    for (const RowFound& found : some->items) {
      const auto& entry = *row_of<EntryRow>(&found.row);
      if (!wanted.source.empty() && entry.source != wanted.source) continue;
      auto work = work_of(store, entry);
      if (!work) return tl::unexpected(work.error());
      const Status status = *work ? (*work)->status() : Status::done;
      if (wanted.status && status != *wanted.status) continue;
      page.items.push_back({entry, std::move(*work)});
    }
    cursor = some->next;
    if (cursor.empty() && (done || !both)) return page;
    if (cursor.empty()) done = true;
    if (page.items.size() == wanted.limit) break;
  }
  page.next = done && both ? std::string(behind) + cursor : cursor;
  return page;
}

}  // namespace

void show_inbox_entry(Context& context) {
  if (!check_no_query(context)) return;
  auto id = name_in_path(context, 2, "entry");
  if (!id) return;
  context.application.read(context.reply, [&application = context.application, id = std::move(*id),
                                           tenant = context.exchange.identity.caller.tenant] {
    return entry_response(application.store(), tenant, id);
  });
}

void list_inbox(Context& context) {
  QueryReader reader(context);
  Wanted wanted{.tenant = context.exchange.identity.caller.tenant};
  if (const auto given = reader.text("status")) {
    wanted.status = webhooks::status_named(*given);
    if (!wanted.status) reader.wrong("status", "A status is received, processing, done or dead.");
  }
  wanted.source = reader.text("source").value_or("");
  wanted.cursor = reader.text("cursor").value_or("");
  wanted.limit = reader.limit();
  if (reader.refused()) return;
  context.application.read(
      context.reply, [&application = context.application, wanted = std::move(wanted),
                      address = list_address(context, wanted.limit)] {
        const auto page = list_entries(application.store(), wanted);
        if (!page) return list_problem(page.error());
        return page_response(*page, address, [](JsonWriter& json, const Shown& shown) {
          webhooks::write_entry(json, shown.entry, shown.work ? &*shown.work : nullptr, nullptr);
        });
      });
}

}  // namespace holdfast::http

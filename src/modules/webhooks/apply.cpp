// What the records of webhooks do to rows.

#include "modules/webhooks/decide.hpp"
#include "modules/webhooks/details.hpp"
#include "modules/webhooks/kinds.hpp"

namespace holdfast::webhooks {
namespace {

constexpr std::string_view unreadable = "it does not say what became of its entry";
constexpr std::string_view no_entry = "it is about an entry that there is not";
constexpr std::string_view no_work = "it is about an entry that is done";

RowName work_name(std::string_view key) { return {WorkRow::space, WorkRow::tenant_of_queues, key}; }

const WorkRow* find_work(const RowWriter& rows, std::string_view key) {
  return row_of<WorkRow>(rows.find(work_name(key)));
}

void put_work(const Record& record, RowWriter& rows, std::string_view key, WorkRow work) {
  rows.put(work_name(key), {std::make_shared<const WorkRow>(std::move(work)), record.seq});
}

std::string_view received(const Record& record, RowWriter& rows) {
  auto said = Received::read(record.detail);
  if (!said) return unreadable;
  const std::string key(row_key_in(said->entry.id));
  if (key.empty()) return unreadable;
  put_work(record, rows, key, std::move(said->work));
  put_row(rows, record, key, std::move(said->payload));
  put_row(rows, record, key, std::move(said->entry));
  return {};
}

std::string_view leased(const Record& record, RowWriter& rows) {
  const auto said = Leased::read(record.detail);
  if (!said) return unreadable;
  for (const Leased::Item& each : said->items) {
    if (find_work(rows, row_key_in(each.id)) == nullptr) return no_work;
  }
  for (const Leased::Item& each : said->items) {
    const std::string_view key = row_key_in(each.id);
    WorkRow work = *find_work(rows, key);
    work.fence = each.fence;
    work.attempts = each.attempt;
    work.lease_until = said->until;
    work.holder = said->holder;
    put_work(record, rows, key, std::move(work));
  }
  return {};
}

std::string_view moved(const Record& record, RowWriter& rows) {
  const auto said = Moved::read(record.detail);
  if (!said) return unreadable;
  const std::string_view key = row_key_in(said->id);
  const WorkRow* const before = find_work(rows, key);
  if (before == nullptr) return no_work;
  WorkRow work = *before;
  said->change(work);
  put_work(record, rows, key, std::move(work));
  return {};
}

std::string_view completed(const Record& record, RowWriter& rows) {
  const auto said = Completed::read(record.detail);
  if (!said) return unreadable;
  const std::string_view key = row_key_in(said->id);
  const auto* const before = find_row<EntryRow>(rows, record, key);
  if (before == nullptr) return no_entry;
  EntryRow entry = *before;
  entry.done_at = record.at;
  entry.attempts = said->attempts;
  entry.result = said->result;
  if (!rows.remove(work_name(key))) return no_work;
  if (!rows.remove({PayloadRow::space, record.tenant, key})) return no_work;
  put_row(rows, record, key, std::move(entry));
  return {};
}

}  // namespace

std::string_view apply(const Record& record, RowWriter& rows) {
  const RecordKind kind = record.kind;
  if (kind == kinds::received) return received(record, rows);
  if (kind == kinds::leased) return leased(record, rows);
  if (kind == kinds::completed) return completed(record, rows);
  return moved(record, rows);
}

void name_rows(const Record& record, Needs& needs) {
  if (record.kind == kinds::leased) {
    const auto said = Leased::read(record.detail);
    if (!said) return;
    for (const Leased::Item& each : said->items) need_entry(each.id, Payload::left_alone, needs);
    return;
  }
  const bool payload = record.kind == kinds::received || record.kind == kinds::completed;
  need_entry(id_in(record.detail), payload ? Payload::removed : Payload::left_alone, needs);
}

}  // namespace holdfast::webhooks

// What the records of webhooks do to rows.

#include "leased_work/rows.hpp"
#include "modules/webhooks/decide.hpp"
#include "modules/webhooks/details.hpp"
#include "modules/webhooks/kinds.hpp"

namespace holdfast::webhooks {
namespace {

constexpr std::string_view unreadable = "it does not say what became of its entry";
constexpr std::string_view no_entry = "it is about an entry that there is not";
constexpr std::string_view no_work = "it is about an entry that is done";

std::string_view received(const Record& record, RowWriter& rows) {
  const auto said = Received::of(record);
  if (!said) return unreadable;
  const std::string_view key = row_key_in(said->entry.id);
  if (key.empty()) return unreadable;
  rows.put(leased_work::name_in_queues<WorkRow>(key),
           {std::shared_ptr<const WorkRow>(said, &said->work), record.seq});
  rows.put({PayloadRow::space, record.tenant, key},
           {std::shared_ptr<const PayloadRow>(said, &said->payload), record.seq});
  rows.put({EntryRow::space, record.tenant, key},
           {std::shared_ptr<const EntryRow>(said, &said->entry), record.seq});
  return {};
}

std::string_view leased(const Record& record, RowWriter& rows) {
  const auto said = read_leased(record.detail);
  if (!said) return unreadable;
  return leased_work::apply_leased<WorkRow>(record, rows, *said, row_key_in) ? "" : no_work;
}

std::string_view moved(const Record& record, RowWriter& rows) {
  const auto said = Moved::read(record.detail);
  if (!said) return unreadable;
  const std::string_view key = row_key_in(said->id);
  const auto* const before = leased_work::find_in_queues<WorkRow>(rows, key);
  if (before == nullptr) return no_work;
  WorkRow work = *before;
  said->change(work);
  leased_work::put_in_queues(record, rows, key, std::move(work));
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
  if (!rows.remove(leased_work::name_in_queues<WorkRow>(key))) return no_work;
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
    const auto said = read_leased(record.detail);
    if (!said) return;
    for (const leased_work::Leased::Item& each : said->items)
      need_entry(each.id, Payload::left_alone, needs);
    return;
  }
  const bool payload = record.kind == kinds::received || record.kind == kinds::completed;
  need_entry(id_in(record.detail), payload ? Payload::removed : Payload::left_alone, needs);
}

}  // namespace holdfast::webhooks

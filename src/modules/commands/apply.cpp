// What the records of commands do to rows, and how an answer is told of them.

#include "leased_work/rows.hpp"
#include "modules/commands/decide.hpp"
#include "modules/commands/details.hpp"
#include "modules/commands/kinds.hpp"

namespace holdfast::commands {
namespace {

constexpr std::string_view unreadable = "it does not say what became of its command";
constexpr std::string_view no_command = "it is about a command that there is not";
constexpr std::string_view no_effect = "it is about an effect that there is not";

bool is_submission(RecordKind kind) {
  return kind == kinds::accepted || kind == kinds::executed || kind == kinds::rejected;
}

const EffectRow* find_effect(const RowWriter& rows, std::string_view key) {
  return leased_work::find_in_queues<EffectRow>(rows, key);
}

std::string_view submitted(const Record& record, RowWriter& rows) {
  const auto said = Submitted::of(record);
  if (!said) return unreadable;
  const std::string_view key = row_key_in(said->command.id);
  if (key.empty()) return unreadable;
  if (said->effect) {
    rows.put(leased_work::name_in_queues<EffectRow>(key),
             {std::shared_ptr<const EffectRow>(said, &*said->effect), record.seq});
  }
  rows.put({CommandRow::space, record.tenant, key},
           {std::shared_ptr<const CommandRow>(said, &said->command), record.seq});
  return {};
}

std::string_view leased(const Record& record, RowWriter& rows) {
  const auto said = read_leased(record.detail);
  if (!said) return unreadable;
  return leased_work::apply_leased<EffectRow>(record, rows, *said, row_key_in) ? "" : no_effect;
}

/// An effect that had failed for good is there again, as it was then.
std::string_view reopen(const Record& record, RowWriter& rows, std::string_view key) {
  const auto* const before = find_row<CommandRow>(rows, record, key);
  if (before == nullptr) return no_command;
  auto effect = EffectRow::read(before->effect);
  if (!effect) return no_effect;
  CommandRow command = *before;
  command.status = Status::in_progress;
  command.reason.clear();
  command.outcome.clear();
  command.effect.clear();
  command.updated_at = record.at;
  leased_work::put_in_queues(record, rows, key, std::move(*effect));
  put_row(rows, record, key, std::move(command));
  return {};
}

std::string_view moved(const Record& record, RowWriter& rows) {
  const auto said = Moved::read(record.detail);
  if (!said) return unreadable;
  const std::string_view key = row_key_in(said->id);
  if (find_effect(rows, key) == nullptr) {
    if (record.kind != kinds::reopened) return no_effect;
    if (const std::string_view wrong = reopen(record, rows, key); !wrong.empty()) return wrong;
  }
  EffectRow effect = *find_effect(rows, key);
  said->change(effect);
  leased_work::put_in_queues(record, rows, key, std::move(effect));
  return {};
}

std::string_view settled(const Record& record, RowWriter& rows) {
  const auto said = Settled::read(record.detail);
  if (!said) return unreadable;
  const std::string_view key = row_key_in(said->id);
  const auto* const before = find_row<CommandRow>(rows, record, key);
  if (before == nullptr) return no_command;
  CommandRow command = *before;
  command.status = said->status;
  command.reason = said->reason;
  command.outcome = said->outcome;
  command.updated_at = record.at;
  if (const EffectRow* const effect = find_effect(rows, key)) {
    command.effect.clear();
    if (said->status == Status::failed) {
      EffectRow left = *effect;
      left.lease.until.reset();
      left.lease.holder.clear();
      left.uncertain = left.uncertain || said->reason == outcome_unknown;
      JsonWriter json(command.effect);
      left.write(json);
    }
    if (!rows.remove(leased_work::name_in_queues<EffectRow>(key))) return no_effect;
  }
  put_row(rows, record, key, std::move(command));
  return {};
}

std::string_view approved(const Record& record, RowWriter& rows) {
  auto said = Approved::read(record.detail);
  if (!said) return unreadable;
  const std::string key(row_key_in(said->approval.id));
  if (key.empty()) return unreadable;
  put_row(rows, record, key, std::move(said->approval));
  return {};
}

}  // namespace

std::string_view apply(const Record& record, RowWriter& rows) {
  const RecordKind kind = record.kind;
  if (is_submission(kind)) return submitted(record, rows);
  if (kind == kinds::leased) return leased(record, rows);
  if (kind == kinds::settled) return settled(record, rows);
  if (kind == kinds::approved) return approved(record, rows);
  if (kind == kinds::registry) return adopted(record, rows);
  return moved(record, rows);
}

void name_rows(const Record& record, Needs& needs) {
  if (record.kind == kinds::registry) return name_registry(needs);
  const auto name = [&](std::string_view id) { need_effect(id, needs); };
  if (record.kind == kinds::leased) {
    const auto said = read_leased(record.detail);
    if (!said) return;
    for (const leased_work::Leased::Item& each : said->items) name(each.id);
    return;
  }
  if (is_submission(record.kind)) {
    name(id_in(record.detail));
    return;
  }
  const std::string id = id_in(record.detail);
  name(id);
  const std::string_view key = row_key_in(id);
  if (record.kind == kinds::approved && !key.empty()) needs.row(ApprovalRow::space, key);
}

void tell(const void* row, std::uint64_t, Answer& answer) {
  const auto& command = *static_cast<const CommandRow*>(row);
  JsonWriter json(answer.document);
  write_command(command, json);
  if (command.open()) answer.status = 202;
}

}  // namespace holdfast::commands

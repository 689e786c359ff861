// Taking a webhook in: the claim of its event id and its entry are one record.

#include "base/json_members.hpp"
#include "modules/webhooks/decide.hpp"
#include "modules/webhooks/details.hpp"
#include "modules/webhooks/kinds.hpp"

namespace holdfast::webhooks {
namespace {

/// A record has room for it, however much of it JSON has to escape.
constexpr std::size_t body_bytes_max = std::size_t{3} << 19U;

std::string key_of(const Receiving& what, std::string_view tenant) {
  return keyed_row_key(tenant, event_token(what.source, what.event_id));
}

std::uint64_t microseconds(Duration duration) {
  return static_cast<std::uint64_t>(duration.count());
}

EntryRow entry_of(const Receiving& what, const Deciding& deciding, const Record& record,
                  std::string id, std::uint64_t use) {
  const Source& source = *what.declared;
  EntryRow entry;
  entry.id = std::move(id);
  entry.use = use;
  entry.seq = record.seq;
  entry.source = what.source;
  entry.event_id = what.event_id;
  entry.follows = source.follows;
  entry.target = source.target;
  entry.digest = sha256(what.body).hex();
  entry.body_bytes = what.body.size();
  entry.received_at = deciding.now;
  entry.signed_at = what.signed_at;
  entry.expires_at = record.expires_at;
  return entry;
}

WorkRow work_of(const EntryRow& entry, const Source& source, const Deciding& deciding) {
  WorkRow work;
  work.of_entry(entry, deciding.tenant());
  work.lease.ready_at = deciding.now;
  work.lease.attempts_max = source.attempts_max;
  work.lease.backoff = {.first_us = microseconds(source.backoff),
                        .most_us = microseconds(source.backoff_max)};
  return work;
}

}  // namespace

void Receive::needs(const Receiving& what, Needs& needs) {
  const std::string key = key_of(what, needs.tenant());
  needs.row(EntryRow::space, key);
  needs.row(PayloadRow::space, key);
  needs.row_of(WorkRow::tenant_of_queues, WorkRow::space, key);
}

Refused Receive::decide(const Receiving& what, Deciding& deciding) {
  const bool taken_for_what_it_is =
      what.declared != nullptr && what.declared->name == what.source &&
      what.body.size() <= body_bytes_max &&
      deciding.request.token() == event_token(what.source, what.event_id);
  if (!taken_for_what_it_is) return Refusal{Rejection::invalid_request, Reason::webhook_text};
  const std::string key = key_of(what, deciding.tenant());
  const auto* const before = deciding.rows.row<EntryRow>(deciding.tenant(), key);
  // Its window is over, and it is still to be seen to: it is the same one, and nothing new.
  if (before != nullptr && !before->done_at) return {};
  const std::uint64_t use = before == nullptr ? 1 : before->use + 1;
  Record& record = deciding.outcome(kinds::received);
  record.expires_at = after(deciding.now, what.declared->window);
  const EntryRow entry = entry_of(what, deciding, record, entry_id(key, use), use);
  const auto said = std::make_shared<const Received>(
      Received{.entry = entry,
               .work = work_of(entry, *what.declared, deciding),
               .payload = {.body = what.body, .headers = what.headers}});
  record.detail = said->text();
  record.said.value = said;
  return {};
}

void tell(const void* row, std::uint64_t, Answer& answer) {
  JsonWriter json(answer.document);
  json.begin_object();
  text_member(json, "id", static_cast<const EntryRow*>(row)->id);
  json.end_object();
}

}  // namespace holdfast::webhooks

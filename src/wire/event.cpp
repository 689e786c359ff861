#include "wire/event.hpp"

#include "base/time_text.hpp"
#include "domain/answer.hpp"
#include "domain/kind.hpp"
#include "domain/module.hpp"
#include "wire/body.hpp"

namespace holdfast {

std::string_view event_name(RecordKind kind) {
  const KindRow* row = find_kind(kind);
  return row == nullptr ? std::string_view() : row->event;
}

namespace {

/// Of a record that changes rows of its module, it is what the record says.
void write_subject(JsonWriter& json, const Record& record) {
  json.key("subject");
  json.string(find_kind(record.kind)->subject);
  json.key("by");
  json.string(record.operation == Operation::none ? "sweeper" : "caller");
  json.key("data");
  const Module* const module = module_of(record.kind);
  const bool whole = module == nullptr || module->shown == nullptr;
  json.raw(whole ? record.detail : module->shown(record.detail));
}

}  // namespace

void write_event(JsonWriter& json, const Record& record) {
  json.begin_object();
  json.key("seq");
  json.integer(static_cast<std::int64_t>(record.seq));
  json.key("type");
  json.string(event_name(record.kind));
  json.key("at");
  json.string(to_rfc3339(record.at));
  if (find_kind(record.kind)->does == StateChange::rows) {
    write_subject(json, record);
  } else if (record.kind == RecordKind::placed) {
    json.key("hold");
    write_hold(json, hold_of(hold_row_of(record)));
  } else if (record.kind == RecordKind::declared) {
    json.key("resource");
    json.begin_object();
    json.key("name");
    json.string(record.resource);
    json.key("capacity");
    json.integer(record.capacity);
    json.end_object();
  } else {
    json.key("hold");
    json.begin_object();
    json.key("id");
    json.string(record.hold.text());
    if (state_after(record.kind) != HoldState::held) {
      json.key("state");
      json.string(name(state_after(record.kind)));
    }
    if (record.quantity != 0) {
      json.key("quantity");
      json.integer(record.quantity);
    }
    if (record.expires_at != Instant{}) {
      json.key("expires_at");
      json.string(to_rfc3339(record.expires_at));
    }
    json.end_object();
    json.key("by");
    json.string(record.operation == Operation::none ? "sweeper" : "caller");
  }
  json.end_object();
}

}  // namespace holdfast

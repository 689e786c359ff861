#include "domain/window_change.hpp"

#include <simdjson.h>

#include <algorithm>

#include "base/json_members.hpp"

namespace holdfast {

Record window_record(const WindowChange& change, std::uint64_t seq, Instant at) {
  Record record;
  record.seq = seq;
  record.kind = RecordKind::window_changed;
  record.at = at;
  JsonWriter json(record.detail);
  json.begin_object();  // members in the order of RFC 8785
  integer_member(json, "before_us", change.before.count());
  integer_member(json, "window_us", change.window.count());
  json.end_object();
  return record;
}

std::optional<WindowChange> window_change_in(const Record& record) {
  thread_local simdjson::dom::parser parser;
  const auto detail = parser.parse(record.detail.data(), record.detail.size());
  std::int64_t before = 0;
  std::int64_t window = 0;
  if (detail["before_us"].get(before) != simdjson::SUCCESS ||
      detail["window_us"].get(window) != simdjson::SUCCESS || before < 1 || window < 1) {
    return std::nullopt;
  }
  return WindowChange{Duration(before), Duration(window)};
}

void change_window(Rules& rules, const WindowChange& change, const Record& record) {
  WindowHistory& history = rules.history;
  if (!history.made) history.made = change.before;
  for (const OperationRow& each : operations()) {
    Policy& policy = rules.policies[each.id];
    if (!rules.follows(each.id)) {
      history.own |= std::uint64_t{1} << static_cast<unsigned>(each.id);
    } else if (policy.window) {
      policy.window = change.window;
    }
  }
  rules.window = change.window;
  history.forgotten_to =
      std::max(history.forgotten_to,
               duplicate_prevention::forgotten_to(change.before, change.window, record.at));
  history.seq = record.seq;
}

}  // namespace holdfast

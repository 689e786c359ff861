// What counters are and what their records do to them.

#include "modules/counter/counter.hpp"

#include <fmt/format.h>
#include <simdjson.h>

#include <map>

#include "base/json_members.hpp"
#include "base/time_text.hpp"

namespace holdfast::counter {
namespace {

/// The members of a counter in the order of RFC 8785.
void write_members(JsonWriter& json, const Counter& counter, std::string_view name = {}) {
  if (counter.expires) text_member(json, "expires_at", time_text(*counter.expires));
  if (!name.empty()) text_member(json, "name", name);
  if (counter.ready) text_member(json, "ready_at", time_text(*counter.ready));
  integer_member(json, "value", counter.value);
}

using Element = simdjson::simdjson_result<simdjson::dom::element>;

/// False if it is there and is none.
bool instant_in(Element json, std::optional<Instant>& instant) {
  std::string_view text;
  if (json.get(text) != simdjson::SUCCESS) return json.error() == simdjson::NO_SUCH_FIELD;
  instant = parse_rfc3339(text);
  return instant.has_value();
}

std::optional<Counter> counter_in(Element json) {
  Counter counter;
  if (json["value"].get(counter.value) != simdjson::SUCCESS) return std::nullopt;
  const bool whole = instant_in(json["expires_at"], counter.expires) &&
                     instant_in(json["ready_at"], counter.ready);
  return whole ? std::optional(counter) : std::nullopt;
}

auto parsed(std::string_view json) {
  thread_local simdjson::dom::parser parser;
  return parser.parse(json.data(), json.size());
}

}  // namespace

void Counter::write(JsonWriter& json) const {
  json.begin_object();
  write_members(json, *this);
  json.end_object();
}

std::optional<Counter> Counter::read(std::string_view json) { return counter_in(parsed(json)); }

RowIndex Counter::index(std::string_view name) const {
  const std::size_t slash = name.find('/');
  const bool grouped = slash != std::string_view::npos;
  return {.parent = std::string(grouped ? name.substr(0, slash) : ""),
          .position = ready ? ready->time_since_epoch().count() : 0,
          .due = expires};
}

std::string Said::text() const {
  std::string text;
  JsonWriter json(text);
  json.begin_object();
  integer_member(json, "amount", amount);
  write_members(json, then, name);
  json.end_object();
  return text;
}

std::optional<Said> Said::read(std::string_view detail) {
  const auto json = parsed(detail);
  Said said;
  std::string_view name;
  const auto then = counter_in(json);
  if (!then || json["amount"].get(said.amount) != simdjson::SUCCESS) return std::nullopt;
  if (json["name"].get(name) != simdjson::SUCCESS || name.empty()) return std::nullopt;
  said.name = name;
  said.then = *then;
  return said;
}

std::string Took::text() const {
  std::string text;
  JsonWriter json(text);
  json.begin_object();
  json.key("names");
  json.begin_array();
  for (const std::string& each : names) json.string(each);
  json.end_array();
  text_member(json, "ready_at", time_text(ready));
  text_member(json, "tenant", tenant);
  json.end_object();
  return text;
}

std::optional<Took> Took::read(std::string_view detail) {
  const auto json = parsed(detail);
  Took took;
  simdjson::dom::array names;
  std::string_view tenant;
  std::optional<Instant> ready;
  if (json["names"].get(names) != simdjson::SUCCESS) return std::nullopt;
  if (json["tenant"].get(tenant) != simdjson::SUCCESS) return std::nullopt;
  if (!instant_in(json["ready_at"], ready) || !ready) return std::nullopt;
  for (const simdjson::dom::element each : names) {
    std::string_view name;
    if (each.get(name) != simdjson::SUCCESS) return std::nullopt;
    took.names.emplace_back(name);
  }
  took.ready = *ready;
  took.tenant = tenant;
  return took;
}

Refused Add::decide(const Adding& what, Deciding& deciding) {
  const Counter* const before = deciding.rows.row<Counter>(deciding.tenant(), what.name);
  const std::int64_t value = before == nullptr ? 0 : before->value;
  if (what.amount > quantity_max - value)
    return Refusal{Rejection::invalid_request, Reason::quantity_bounds};
  const Said said{what.name, what.amount, {value + what.amount, deciding.now + what.lifetime}};
  deciding.outcome(added).detail = said.text();
  return {};
}

Refused Take::decide(const Taking& what, Deciding& deciding) {
  Took took{{}, deciding.now + what.pause, what.tenant};
  for (const RowName& name : deciding.rows.listed(Counter::space, what.tenant, what.group)) {
    if (took.names.size() == static_cast<std::size_t>(what.count)) break;
    const auto* const counter = row_of<Counter>(deciding.rows.row(name));
    const bool ready = counter != nullptr && counter->ready.value_or(deciding.now) <= deciding.now;
    if (ready) took.names.emplace_back(name.key);
  }
  deciding.outcome(taken).detail = took.text();
  return {};
}

Refused Remove::decide(const Removing& what, Deciding& deciding) {
  if (deciding.rows.row<Counter>(deciding.tenant(), what.name) == nullptr)
    return Refusal{Rejection::not_known};
  deciding.outcome(removed).detail = Said{what.name, 0, {}}.text();
  return {};
}

void name_rows(const Record& record, Needs& needs) {
  if (record.kind == taken) {
    const auto took = Took::read(record.detail);
    if (!took) return;
    for (const std::string& each : took->names) needs.row_of(took->tenant, Counter::space, each);
  } else if (const auto said = Said::read(record.detail)) {
    needs.row(Counter::space, said->name);
  }
}

namespace {

std::string_view take(const Record& record, RowWriter& rows) {
  const auto took = Took::read(record.detail);
  if (!took) return "it does not say what was taken";
  for (const std::string& each : took->names) {
    const RowName name{Counter::space, took->tenant, each};
    const auto* const before = row_of<Counter>(rows.find(name));
    if (before == nullptr) return "it takes a counter that is not there";
    Counter counter = *before;
    counter.ready = took->ready;
    rows.put(name, {std::make_shared<const Counter>(counter), record.seq});
  }
  return {};
}

}  // namespace

std::string_view apply(const Record& record, RowWriter& rows) {
  if (record.kind == taken) return take(record, rows);
  const auto said = Said::read(record.detail);
  if (!said) return "it does not say how its counter stands";
  if (record.kind == removed) {
    const bool there = rows.remove({Counter::space, record.tenant, said->name});
    return there ? std::string_view() : "it removes a counter that is not there";
  }
  put_row(rows, record, said->name, said->then);
  return {};
}

void sweep(const WorkingSet& rows, const Due& due, Draft& draft) {
  for (const RowName& name : due.rows) {
    if (name.space != Counter::space) continue;
    const auto* const counter = rows.row<Counter>(name.tenant, name.key);
    if (counter == nullptr) continue;                                  // removed in this batch
    if (!counter->expires || *counter->expires > draft.now) continue;  // added to in this batch
    draft.add(reset, name.tenant).detail = Said{std::string(name.key), 0, {}}.text();
  }
}

void show(std::string_view name, const void* row, JsonWriter& json) {
  json.begin_object();
  write_members(json, *static_cast<const Counter*>(row), name);
  json.end_object();
}

namespace {

class Books final : public ModuleBooks {
 public:
  void see(const Record& record, ModuleFindings& findings) override {
    if (record.kind == taken) return;
    const auto said = Said::read(record.detail);
    if (!said) return findings.check(0, false, record, [] { return "it names no counter"; });
    std::int64_t& sum = sums_[{record.tenant, said->name}];
    const std::int64_t should = record.kind == added ? sum + said->amount : 0;
    findings.check(0, said->then.value == should, record, [&] {
      return fmt::format("the counter is said to be {}, not {}", said->then.value, should);
    });
    sum = said->then.value;
  }

 private:
  std::map<std::pair<std::string, std::string>, std::int64_t> sums_;  // by tenant and name
};

}  // namespace

std::unique_ptr<ModuleBooks> make_books() { return std::make_unique<Books>(); }

}  // namespace holdfast::counter

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
  integer_member(json, "value", counter.value);
}

std::optional<Counter> counter_in(simdjson::simdjson_result<simdjson::dom::element> json) {
  Counter counter;
  if (json["value"].get(counter.value) != simdjson::SUCCESS) return std::nullopt;
  std::string_view expires;
  if (json["expires_at"].get(expires) != simdjson::SUCCESS) return counter;
  counter.expires = parse_rfc3339(expires);
  return counter.expires ? std::optional(counter) : std::nullopt;
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
  return {.parent = std::string(grouped ? name.substr(0, slash) : ""), .due = expires};
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

Refused Add::decide(const Adding& what, Deciding& deciding) {
  const Counter* const before = deciding.rows.row<Counter>(deciding.tenant(), what.name);
  const std::int64_t value = before == nullptr ? 0 : before->value;
  if (what.amount > quantity_max - value)
    return Refusal{Rejection::invalid_request, Reason::quantity_bounds};
  const Said said{what.name, what.amount, {value + what.amount, deciding.now + what.lifetime}};
  deciding.outcome(added).detail = said.text();
  return {};
}

void name_rows(const Record& record, Needs& needs) {
  if (const auto said = Said::read(record.detail)) needs.row(Counter::space, said->name);
}

std::string_view apply(const Record& record, RowWriter& rows) {
  const auto said = Said::read(record.detail);
  if (!said) return "it does not say how its counter stands";
  put_row(rows, record, said->name, said->then);
  return {};
}

void sweep(const WorkingSet& rows, const Due& due, Draft& draft) {
  for (const RowName& name : due.rows) {
    if (name.space != Counter::space) continue;
    const auto* const counter = rows.row<Counter>(name.tenant, name.key);
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
    const auto said = Said::read(record.detail);
    if (!said) return findings.check(0, false, record, [] { return "it names no counter"; });
    std::int64_t& sum = sums_[{record.tenant, said->name}];
    const std::int64_t should = record.kind == reset ? 0 : sum + said->amount;
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

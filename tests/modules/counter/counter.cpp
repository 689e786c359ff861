// What counters are and what their records do to them.

#include "modules/counter/counter.hpp"

#include <fmt/format.h>

#include <map>

namespace holdfast::counter {

RowIndex Counter::index(std::string_view key) const {
  const std::size_t slash = key.find('/');
  return {.parent = std::string(slash == std::string_view::npos ? "" : key.substr(0, slash)),
          .due = expires};
}

Refused Add::decide(const Adding& what, Deciding& deciding) {
  const Counter* const before = deciding.rows.row<Counter>(deciding.tenant(), what.name);
  const std::int64_t value = before == nullptr ? 0 : before->value;
  if (what.amount > quantity_max - value)
    return Refusal{Rejection::invalid_request, Reason::quantity_bounds};
  const Counter then{what.name, value + what.amount, deciding.now + what.lifetime};
  deciding.outcome(added).detail = object_text(Said{then, what.amount});
  return {};
}

void name_rows(const Record& record, Needs& needs) {
  if (const auto said = object_in<Said>(record.detail)) needs.row(Counter::space, said->then.name);
}

std::string_view apply(const Record& record, RowWriter& rows) {
  const auto said = object_in<Said>(record.detail);
  if (!said) return "it does not say how its counter stands";
  put_row(rows, record, said->then.name, said->then);
  return {};
}

void sweep(const WorkingSet& rows, const Due& due, Draft& draft) {
  for (const RowName& name : due.rows) {
    if (name.space != Counter::space) continue;
    const auto* const counter = rows.row<Counter>(name.tenant, name.key);
    if (!counter->expires || *counter->expires > draft.now) continue;  // added to in this batch
    draft.add(reset, name.tenant).detail = object_text(Said{{counter->name}});
  }
}

namespace {

class Books final : public ModuleBooks {
  void see(const Record& record, ModuleFindings& findings) override {
    const auto said = object_in<Said>(record.detail);
    if (!said) return findings.check(0, false, record, [] { return "it names no counter"; });
    std::int64_t& sum = sums_[{record.tenant, said->then.name}];
    const std::int64_t should = record.kind == added ? sum + said->amount : 0;
    findings.check(0, said->then.value == should, record, [&] {
      return fmt::format("the counter is said to be {}, not {}", said->then.value, should);
    });
    sum = said->then.value;
  }

  std::map<std::pair<std::string, std::string>, std::int64_t> sums_;  // by tenant and name
};

}  // namespace

std::unique_ptr<ModuleBooks> make_books() { return std::make_unique<Books>(); }

}  // namespace holdfast::counter

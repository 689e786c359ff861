#include "modules/pool/pool.hpp"

namespace holdfast::pool {

RowIndex Thing::index(std::string_view key) const {
  const std::size_t slash = key.find('/');
  return {.parent = std::string(slash == std::string_view::npos ? "" : key.substr(0, slash)),
          .position = ready ? ready->time_since_epoch().count() : 0,
          .due = expires};
}

Refused Put::decide(const Putting& what, Deciding& deciding) {
  const Thing* const before = deciding.rows.row<Thing>(deciding.tenant(), what.name);
  const std::int64_t times = before == nullptr ? 1 : before->times + 1;
  const Thing then{what.name, times, deciding.now + what.lifetime};
  deciding.outcome(put).detail = object_text(then);
  return {};
}

Refused Take::decide(const Taking& what, Deciding& deciding) {
  Took took{{}, deciding.now + what.pause, what.tenant};
  for (const RowName& name : deciding.rows.listed(Thing::space, what.tenant, what.pool)) {
    if (took.names.size() == static_cast<std::size_t>(what.count)) break;
    const auto* const thing = row_of<Thing>(deciding.rows.row(name));
    if (thing != nullptr && thing->ready.value_or(deciding.now) <= deciding.now)
      took.names.push_back(thing->name);
  }
  deciding.outcome(taken).detail = object_text(took);
  return {};
}

Refused Remove::decide(const Removing& what, Deciding& deciding) {
  if (deciding.rows.row<Thing>(deciding.tenant(), what.name) == nullptr)
    return Refusal{Rejection::not_known};
  deciding.outcome(removed).detail = object_text(Gone{what.name});
  return {};
}

void name_rows(const Record& record, Needs& needs) {
  if (record.kind == taken) {
    const auto took = object_in<Took>(record.detail);
    if (!took) return;
    for (const std::string& each : took->names) needs.row_of(took->tenant, Thing::space, each);
  } else if (const auto named = object_in<Gone>(record.detail)) {
    needs.row(Thing::space, named->name);
  }
}

namespace {

std::string_view take(const Record& record, RowWriter& rows) {
  const auto took = object_in<Took>(record.detail);
  if (!took) return "it does not say what was taken";
  for (const std::string& each : took->names) {
    const RowName name{Thing::space, took->tenant, each};
    const auto* const before = row_of<Thing>(rows.find(name));
    if (before == nullptr) return "it takes what is not there";
    Thing thing = *before;
    thing.ready = took->ready;
    rows.put(name, {std::make_shared<const Thing>(std::move(thing)), record.seq});
  }
  return {};
}

}  // namespace

std::string_view apply(const Record& record, RowWriter& rows) {
  if (record.kind == taken) return take(record, rows);
  if (record.kind == put) {
    const auto thing = object_in<Thing>(record.detail);
    if (!thing) return "it does not say what was put in";
    put_row(rows, record, thing->name, *thing);
    return {};
  }
  const auto gone = object_in<Gone>(record.detail);
  if (!gone) return "it does not say what was removed";
  const bool there = rows.remove({Thing::space, record.tenant, gone->name});
  return there ? std::string_view() : "it removes what is not there";
}

void sweep(const WorkingSet& rows, const Due& due, Draft& draft) {
  for (const RowName& name : due.rows) {
    if (name.space != Thing::space) continue;
    const auto* const thing = rows.row<Thing>(name.tenant, name.key);
    if (thing == nullptr || thing->expires > draft.now) continue;  // changed in this batch
    draft.add(removed, name.tenant).detail = object_text(Gone{thing->name});
  }
}

}  // namespace holdfast::pool

#include "modules/counter_calls.hpp"

#include <set>

#include "domain/module.hpp"
#include "support/journals/audit.hpp"

namespace holdfast::test {
namespace {

using counter::Counter;

std::string text_of(const Counter* counter) {
  std::string text;
  if (counter == nullptr) return "none";
  JsonWriter json(text);
  counter->write(json);
  return text;
}

std::vector<std::string> names_folded(const ModuleStates& rows, const std::string& group,
                                      std::string_view tenant) {
  std::vector<std::string> names;
  const auto found =
      rows.list({.space = Counter::space, .tenant = tenant, .parent = group, .limit = SIZE_MAX});
  for (const RowFound& each : found) names.push_back(each.place.key);
  return names;
}

}  // namespace

std::vector<std::string> names_in(const Store& store, const std::string& group, std::size_t limit,
                                  std::string_view tenant) {
  std::vector<std::string> found;
  std::string cursor;
  do {
    const auto page = store.rows(
        tenant, {.space = Counter::space, .parent = group, .cursor = cursor, .limit = limit});
    EXPECT_TRUE(page) << page.error().message;
    for (const RowFound& each : page->items) found.push_back(each.place.key);
    cursor = page->next;
  } while (!cursor.empty());
  return found;
}

void expect_counters_follow(const Store& store) {
  ModuleStates rows(false);
  std::set<std::pair<std::string, std::string>> names;   // tenant, counter
  std::set<std::pair<std::string, std::string>> groups;  // tenant, group
  for (const Record& each : all_records(store)) {
    if (find_kind(each.kind)->does != StateChange::rows) continue;
    EXPECT_EQ(change_rows(each, rows), "");
    const auto said = counter::Said::read(each.detail);
    if (!said) continue;
    names.emplace(each.tenant, said->name);
    const std::string group = said->then.index(said->name).parent;
    if (!group.empty()) groups.emplace(each.tenant, group);
  }
  for (const auto& [tenant, name] : names) {
    const auto* const expected = row_of<Counter>(rows.find({Counter::space, tenant, name}));
    const auto found = counter_in(store, name, tenant);
    EXPECT_EQ(text_of(found ? &*found : nullptr), text_of(expected)) << tenant << " " << name;
  }
  for (const auto& [tenant, group] : groups)
    EXPECT_EQ(names_in(store, group, 100, tenant), names_folded(rows, group, tenant)) << group;
}

}  // namespace holdfast::test

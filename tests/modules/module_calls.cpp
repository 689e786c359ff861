#include "modules/module_calls.hpp"

#include <set>

#include "domain/module.hpp"
#include "support/journals/audit.hpp"

namespace holdfast::test {
namespace {

using counter::Counter;
using pool::Thing;

template <typename Row>
std::string text_of(const Row* row) {
  return row == nullptr ? "none" : object_text(*row);
}

/// What is seen of one kind of rows, and their names and lists as records mention them.
template <typename Row>
class Expected {
 public:
  void mention(const std::string& tenant, const Row& row) {
    names_.emplace(tenant, row.name);
    const std::string parent = row.index(row.name).parent;
    if (!parent.empty()) parents_.emplace(tenant, parent);
  }
  void compare(const Store& store, const ModuleStates& rows) const {
    for (const auto& [tenant, name] : names_) {
      const auto* const expected = row_of<Row>(rows.find({Row::space, tenant, name}));
      const auto found = row_in<Row>(store, name, tenant);
      EXPECT_EQ(text_of(found ? &*found : nullptr), text_of(expected)) << tenant << " " << name;
    }
    for (const auto& [tenant, parent] : parents_) {
      std::vector<std::string> names;
      for (const RowFound& each :
           rows.list({.space = Row::space, .tenant = tenant, .parent = parent, .limit = SIZE_MAX}))
        names.push_back(each.place.key);
      EXPECT_EQ(names_in(store, parent, 100, tenant, Row::space), names) << parent;
    }
  }

 private:
  std::set<std::pair<std::string, std::string>> names_;    // tenant, row
  std::set<std::pair<std::string, std::string>> parents_;  // tenant, list
};

}  // namespace

std::vector<std::string> names_in(const Store& store, const std::string& group, std::size_t limit,
                                  std::string_view tenant, RowSpace space) {
  std::vector<std::string> found;
  std::string cursor;
  do {
    const auto page =
        store.rows(tenant, {.space = space, .parent = group, .cursor = cursor, .limit = limit});
    EXPECT_TRUE(page) << page.error().message;
    for (const RowFound& each : page->items) found.push_back(each.place.key);
    cursor = page->next;
  } while (!cursor.empty());
  return found;
}

void expect_rows_follow(const Store& store) {
  ModuleStates rows(false);
  Expected<Counter> counters;
  Expected<Thing> things;
  for (const Record& each : all_records(store)) {
    if (find_kind(each.kind)->does != StateChange::rows) continue;
    EXPECT_EQ(change_rows(each, rows), "");
    if (const auto said = object_in<counter::Said>(each.detail))
      counters.mention(each.tenant, said->then);
    if (const auto thing = object_in<Thing>(each.detail)) things.mention(each.tenant, *thing);
  }
  counters.compare(store, rows);
  things.compare(store, rows);
}

}  // namespace holdfast::test

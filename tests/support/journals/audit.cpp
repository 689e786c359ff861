#include "support/journals/audit.hpp"

#include <fmt/format.h>

#include <map>
#include <set>

#include "domain/invariants.hpp"
#include "domain/module.hpp"
#include "support/calls.hpp"

namespace holdfast::test {
namespace {

/// What the records say there is, found without the product's own fold.
struct Expected {
  struct HoldSeen {
    std::string tenant;
    HoldDetails details;
  };
  std::map<std::uint64_t, HoldSeen> holds;
  std::map<std::pair<std::string, std::string>, Resource> resources;
};

std::optional<HoldState> resolution(RecordKind kind) {
  switch (kind) {
    case RecordKind::confirmed:
      return HoldState::confirmed;
    case RecordKind::released:
      return HoldState::released;
    case RecordKind::expired:
      return HoldState::expired;
    default:
      return std::nullopt;
  }
}

/// What happens to holds that are there without ending them.
void change(const Record& record, Expected& seen) {
  const auto hold = [&](std::int64_t i) -> Hold& {
    return seen.holds[record.hold.ordinal + static_cast<std::uint64_t>(i)].details.hold;
  };
  if (record.kind == RecordKind::extended) hold(0).expires_at = record.expires_at;
  if (record.kind == RecordKind::partly_confirmed) hold(0).quantity_confirmed += record.quantity;
  if (record.kind == RecordKind::cancelled) hold(0).quantity_cancelled += record.quantity;
  if (record.kind != RecordKind::grouped) return;
  for (std::int64_t i = 0; i < record.count; ++i) hold(i).group = GroupId{record.hold};
}

/// What it takes of its resource.
std::int64_t taken(const HoldDetails& details) {
  const Hold& hold = details.hold;
  const bool held = hold.state == HoldState::held && !details.lapsed;
  return (held ? hold.quantity : hold.quantity_confirmed) - hold.quantity_cancelled;
}

Expected expected_of(const std::vector<Record>& records, Instant now) {
  Expected seen;
  for (const Record& record : records) {
    if (record.kind == RecordKind::placed) {
      Hold hold{.id = record.hold,
                .resource = record.resource,
                .requester = record.requester,
                .quantity = record.quantity,
                .state = HoldState::held,
                .placed_at = record.at,
                .expires_at = record.expires_at,
                .resolved_at = {}};
      seen.holds[record.hold.ordinal] = {record.tenant, {std::move(hold), record.token, false}};
      seen.resources[{record.tenant, record.resource}].name = record.resource;
    } else if (record.kind == RecordKind::declared) {
      Resource& resource = seen.resources[{record.tenant, record.resource}];
      resource.name = record.resource;
      resource.capacity = record.capacity;
      resource.declared = true;
    } else if (const auto state = resolution(record.kind)) {
      Hold& hold = seen.holds[record.hold.ordinal].details.hold;
      const std::int64_t rest = hold.quantity - hold.quantity_confirmed;
      hold.state = *state;
      hold.resolved_at = record.at;
      if (state == HoldState::confirmed)
        hold.quantity_confirmed += record.quantity == 0 ? rest : record.quantity;
    } else {
      change(record, seen);
    }
  }
  for (auto& [ordinal, each] : seen.holds) {
    const Hold& hold = each.details.hold;
    each.details.lapsed = hold.state == HoldState::held && now >= hold.expires_at;
    seen.resources[{each.tenant, hold.resource}].in_use += taken(each.details);
  }
  return seen;
}

std::string words(const HoldDetails& details) {
  return fmt::format("{}{} placed with {}", test::words(details.hold),
                     details.lapsed ? " (lapsed)" : "", visible(details.token));
}

void compare_holds(const Store& store, const Expected& seen, std::vector<std::string>& found) {
  for (const auto& [ordinal, each] : seen.holds) {
    const auto shown = store.hold(each.tenant, each.details.hold.id);
    const std::string said = !shown    ? "error: " + shown.error().message
                             : !*shown ? "nothing"
                                       : words(**shown);
    if (said != words(each.details)) {
      found.push_back(fmt::format("store shows {}, records say {}", said, words(each.details)));
    }
  }
}

void compare_resources(const Store& store, const Expected& seen, std::vector<std::string>& found) {
  for (const auto& [name, resource] : seen.resources) {
    const Resource shown = *store.resource(name.first, name.second);
    if (shown == resource) continue;
    found.push_back(
        fmt::format("store shows {}, records say {}", test::words(shown), test::words(resource)));
  }
}

void compare_counts(const Store& store, const Expected& seen, std::size_t records,
                    std::vector<std::string>& found) {
  const Counts counts = store.counts();
  std::uint64_t live = 0;
  for (const auto& [ordinal, each] : seen.holds) {
    if (each.details.hold.state == HoldState::held) ++live;
  }
  const auto compare = [&](std::string_view what, std::uint64_t shown, std::uint64_t said) {
    if (shown != said) found.push_back(fmt::format("counts {} {}, not {}", shown, what, said));
  };
  compare("records", counts.records, records);
  compare("holds", counts.holds, seen.holds.size());
  compare("live holds", counts.live_holds, live);
  compare("resources", counts.resources, seen.resources.size());
}

/// The rows of modules, folded from records as they are read: whoever wrote one may have had more.
class FoldedRows final : public RowWriter {
 public:
  [[nodiscard]] const ModuleRow* find(const RowName& name) const override {
    return rows_.find(name);
  }
  void put(const RowName& name, ModuleRow row) override {
    names_.emplace(name);
    rows_.put(name, std::move(row));
  }
  [[nodiscard]] bool remove(const RowName& name) override { return rows_.remove(name); }
  /// Of every row that there ever was.
  [[nodiscard]] const std::set<OwnedRowName, RowNameOrder>& names() const { return names_; }

 private:
  ModuleStates rows_{false};
  std::set<OwnedRowName, RowNameOrder> names_;
};

std::string text_of(const RowName& name, const ModuleRow* row) {
  if (row == nullptr) return "none";
  std::string text = fmt::format("{} ", row->version);
  JsonWriter json(text);
  find_row_kind(name.space)->write(row->value.get(), json);
  return text;
}

void compare_rows(const Store& store, const std::vector<Record>& records,
                  std::vector<std::string>& found) {
  FoldedRows folded;
  for (const Record& each : records) {
    if (find_kind(each.kind)->does != StateChange::rows) continue;
    if (const std::string_view wrong = change_rows(each, folded); !wrong.empty())
      found.push_back(fmt::format("record {} changes no row: {}", each.seq, wrong));
  }
  for (const OwnedRowName& each : folded.names()) {
    const auto page = store.rows(each.tenant, {.space = each.space, .key = each.key});
    const ModuleRow* const shown = page && !page->items.empty() ? &page->items[0].row : nullptr;
    const std::string expected = text_of(each, folded.find(each));
    if (const std::string is = text_of(each, shown); is != expected)
      found.push_back(fmt::format("row {} is {}, not {}", each.key, is, expected));
  }
}

}  // namespace

std::vector<Record> all_records(const Store& store) {
  constexpr std::size_t step = 1000;
  std::vector<Record> all;
  for (;;) {
    auto some = store.records(all.empty() ? 0 : all.back().seq, step);
    if (!some || some->empty()) return all;
    all.insert(all.end(), some->begin(), some->end());
  }
}

std::vector<std::string> violations(const std::vector<Record>& records, const Rules& rules) {
  Audit audit(rules);
  for (const Record& record : records) audit.see(record);
  std::vector<std::string> found;
  for (const Violation& each : audit.finish().violations) {
    found.push_back(fmt::format("{} at record {}: {}", each.invariant, each.seq, each.text));
  }
  return found;
}

std::vector<std::string> violations(const Store& store) {
  const std::vector<Record> records = all_records(store);
  std::vector<std::string> found = violations(records, store.rules());
  const Expected seen = expected_of(records, store.now());
  compare_holds(store, seen, found);
  compare_resources(store, seen, found);
  compare_counts(store, seen, records.size(), found);
  compare_rows(store, records, found);
  return found;
}

}  // namespace holdfast::test

#include "domain/module_state.hpp"

#include <algorithm>

#include "base/assert.hpp"
#include "base/process_key.hpp"
#include "domain/module.hpp"

namespace holdfast {

std::size_t RowNameHash::operator()(const RowName& name) const {
  const HashKey& key = process_key();
  const HashKey of_space{key[0] ^ static_cast<std::uint64_t>(name.space), key[1]};
  return siphash128(of_space, name.tenant, name.key).low;
}

const ModuleRow* RowTable::find(const RowName& name) const {
  const auto found = rows_.find(name);
  return found == rows_.end() ? nullptr : &found->second.row;
}

void RowTable::put(const RowName& name, ModuleRow row) {
  const RowKind* const kind = find_row_kind(name.space);
  HOLDFAST_ASSERT(kind != nullptr && row.value != nullptr);
  auto at = rows_.find(name);
  if (at == rows_.end()) {
    at = rows_.try_emplace(OwnedRowName(name)).first;
    bytes_ += bytes_of(name);
  } else {
    drop(at);
  }
  Entry& entry = at->second;
  entry.index = kind->index(name.key, row.value.get());
  entry.row = std::move(row);
  if (!entry.index.parent.empty()) {
    lists_[{name.space, at->first.tenant, entry.index.parent}].emplace(
        RowPlace{entry.index.position, at->first.key}, &entry);
  }
  if (entry.index.due) due_.emplace(*entry.index.due, at->first);
}

bool RowTable::remove(const RowName& name) {
  const auto at = rows_.find(name);
  if (at == rows_.end()) return false;
  drop(at);
  bytes_ -= bytes_of(name);
  rows_.erase(at);
  return true;
}

/// Takes a row that is about to change out of its list and out of what is due.
void RowTable::drop(Rows::const_iterator row) {
  const RowIndex& index = row->second.index;
  if (!index.parent.empty()) {
    const auto list = lists_.find({row->first.space, row->first.tenant, index.parent});
    list->second.erase({index.position, row->first.key});
    if (list->second.empty()) lists_.erase(list);
  }
  if (index.due) due_.erase({*index.due, row->first});
}

std::vector<RowFound> RowTable::list(const RowRange& range) const {
  std::vector<RowFound> found;
  const auto list =
      lists_.find({range.space, std::string(range.tenant), std::string(range.parent)});
  if (list == lists_.end()) return found;
  auto at = range.after ? list->second.upper_bound(*range.after) : list->second.begin();
  for (; at != list->second.end() && found.size() < range.limit; ++at) {
    if (at->first.position > range.last_position) break;
    found.push_back({at->first, at->second->row});
  }
  return found;
}

ListSizes RowTable::list_sizes(std::string_view tenant, RowSpace space) const {
  ListSizes sizes;
  for (auto at = lists_.lower_bound({space, std::string(tenant), {}}); at != lists_.end(); ++at) {
    const auto& [its_space, its_tenant, parent] = at->first;
    if (its_space != space || its_tenant != tenant) break;
    sizes.push_back({parent, at->second.size()});
  }
  return sizes;
}

std::vector<DueRow> RowTable::due(Instant until, std::size_t limit) const {
  std::vector<DueRow> found;
  for (const auto& [due, name] : due_) {
    if (due > until || found.size() == limit) break;
    found.push_back({due, name});
  }
  return found;
}

ModuleStates::ModuleStates(bool own) {
  for (const Module* module : modules()) {
    if (module->rows.empty()) continue;
    const bool brings = own && module->state != nullptr;
    states_.push_back(brings ? module->state() : std::make_unique<RowTable>());
    for (const RowKind& kind : module->rows) places_.push_back({kind.space, states_.back().get()});
  }
}

ModuleState& ModuleStates::of(RowSpace space) const {
  const auto found = std::find_if(places_.begin(), places_.end(),
                                  [&](const Place& each) { return each.space == space; });
  HOLDFAST_ASSERT(found != places_.end());
  return *found->state;
}

const ModuleRow* ModuleStates::find(const RowName& name) const { return of(name.space).find(name); }

void ModuleStates::put(const RowName& name, ModuleRow row) {
  of(name.space).put(name, std::move(row));
}

bool ModuleStates::remove(const RowName& name) { return of(name.space).remove(name); }

std::vector<RowFound> ModuleStates::list(const RowRange& range) const {
  return of(range.space).list(range);
}

ListSizes ModuleStates::list_sizes(std::string_view tenant, RowSpace space) const {
  return of(space).list_sizes(tenant, space);
}

std::vector<DueRow> ModuleStates::due(Instant until, std::size_t limit) const {
  std::vector<DueRow> found;
  for (const auto& each : states_) {
    const std::vector<DueRow> some = each->due(until, limit);
    found.insert(found.end(), some.begin(), some.end());
  }
  std::sort(found.begin(), found.end(), [](const DueRow& a, const DueRow& b) {
    return a.due != b.due ? a.due < b.due : a.name < b.name;
  });
  if (found.size() > limit) found.resize(limit);
  return found;
}

std::optional<Instant> ModuleStates::next_due() const {
  if (states_.empty()) return std::nullopt;
  const std::vector<DueRow> first = due(Instant::max(), 1);
  return first.empty() ? std::nullopt : std::optional(first.front().due);
}

std::size_t ModuleStates::bytes() const {
  std::size_t bytes = 0;
  for (const auto& each : states_) bytes += each->bytes();
  return bytes;
}

}  // namespace holdfast

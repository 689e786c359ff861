// What is known of all operations and kinds together, found by number or by name. Made once, from
// the modules' tables.

#include <algorithm>
#include <array>
#include <vector>

#include "base/assert.hpp"
#include "domain/module.hpp"

namespace holdfast {
namespace {

/// Kinds of the journal itself.
constexpr std::array core_kinds{
    KindRow{.kind = RecordKind::rejected, .name = "rejected"},
    KindRow{.kind = RecordKind::collided, .name = "collided", .outcome = false},
    KindRow{.kind = RecordKind::replayed, .name = "replayed", .outcome = false},
    KindRow{.kind = RecordKind::window_changed,
            .name = "window-changed",
            .subject = "store",
            .outcome = false}};

struct OperationEntry {
  const OperationSpec* spec = nullptr;
  std::vector<const Parameter*> canonical{};
};

class Registry {
 public:
  static const Registry& get() {
    static const Registry registry;
    return registry;
  }

  std::array<OperationEntry, operation_limit> operations{};  ///< by number
  std::vector<OperationRow> rows;                            ///< in order of number
  std::vector<const KindRow*> kinds;                         ///< in order of number
  std::vector<const RowKind*> row_kinds;

  [[nodiscard]] const KindRow* kind(RecordKind wanted) const {
    const auto number = static_cast<std::size_t>(wanted);
    return number < by_kind_.size() ? by_kind_[number] : nullptr;
  }
  [[nodiscard]] const Module* module(RecordKind wanted) const {
    const auto number = static_cast<std::size_t>(wanted);
    return number < module_of_kind_.size() ? module_of_kind_[number] : nullptr;
  }

 private:
  Registry() {
    for (const KindRow& each : core_kinds) add(each);
    for (const Module* module : modules()) {
      for (const OperationSpec& each : module->operations) add(each);
      for (const KindRow& each : module->kinds) add(each, module);
      for (const RowKind& each : module->rows) row_kinds.push_back(&each);
    }
    for (const OperationEntry& each : operations) {
      if (each.spec != nullptr) rows.push_back(each.spec->row);
    }
    for (const KindRow* each : by_kind_) {
      if (each != nullptr) kinds.push_back(each);
    }
  }

  void add(const OperationSpec& spec) {
    OperationEntry& entry = operations.at(static_cast<std::size_t>(spec.row.id));
    HOLDFAST_ASSERT(entry.spec == nullptr && spec.row.id != Operation::none);
    entry.spec = &spec;
    for (const Parameter& each : spec.fields) {
      if (!each.ephemeral) entry.canonical.push_back(&each);
    }
    std::sort(entry.canonical.begin(), entry.canonical.end(),
              [](const Parameter* a, const Parameter* b) { return a->canonical < b->canonical; });
  }

  void add(const KindRow& row, const Module* module = nullptr) {
    const auto number = static_cast<std::size_t>(row.kind);
    if (by_kind_.size() <= number) by_kind_.resize(number + 1);
    if (module_of_kind_.size() <= number) module_of_kind_.resize(number + 1);
    HOLDFAST_ASSERT(by_kind_[number] == nullptr && number != 0);
    HOLDFAST_ASSERT(row.does != StateChange::rows || module->apply != nullptr);
    by_kind_[number] = &row;
    module_of_kind_[number] = module;
  }

  std::vector<const KindRow*> by_kind_;
  std::vector<const Module*> module_of_kind_;
};

const OperationEntry& entry_of(Operation id) {
  const auto number = static_cast<std::size_t>(id);
  return Registry::get().operations[number < operation_limit ? number : 0];
}

}  // namespace

std::span<const OperationRow> operations() { return Registry::get().rows; }

std::string_view name(Operation id) {
  if (id == Operation::none) return "sweep";
  const OperationSpec* spec = find_spec(id);
  return spec == nullptr ? std::string_view() : spec->row.name;
}

std::optional<Operation> operation_numbered(std::int64_t number) {
  if (number == 0) return Operation::none;
  for (const OperationRow& each : operations()) {
    if (static_cast<std::int64_t>(each.id) == number) return each.id;
  }
  return std::nullopt;
}

std::optional<Operation> operation_named(std::string_view wanted) {
  for (const OperationRow& each : operations()) {
    if (each.name == wanted) return each.id;
  }
  return std::nullopt;
}

Policies::Policies() {
  for (const OperationRow& each : operations()) (*this)[each.id] = each.policy;
}

const OperationSpec* find_spec(Operation id) { return entry_of(id).spec; }

const OperationSpec& spec_of(Operation id) {
  const OperationSpec* spec = find_spec(id);
  HOLDFAST_ASSERT(spec != nullptr);
  return *spec;
}

std::span<const Parameter* const> canonical_fields(Operation id) { return entry_of(id).canonical; }

HoldId hold_named_by(const Command& command) {
  for (const Parameter* each : canonical_fields(command.operation())) {
    if (each->type == ParameterType::hold) return each->of<HoldId>(command.parameters());
  }
  return {};
}

std::span<const KindRow* const> kinds() { return Registry::get().kinds; }
const KindRow* find_kind(RecordKind kind) { return Registry::get().kind(kind); }

const Module* module_of(RecordKind kind) { return Registry::get().module(kind); }

const RowKind* find_row_kind(RowSpace space) {
  for (const RowKind* each : Registry::get().row_kinds) {
    if (each->space == space) return each;
  }
  return nullptr;
}

std::span<const RowKind* const> row_kinds() { return Registry::get().row_kinds; }

std::string_view change_rows(const Record& record, RowWriter& rows) {
  return module_of(record.kind)->apply(record, rows);
}

void tell_rows_of(const Record& record, Needs& needs) {
  const Module* const module = module_of(record.kind);
  if (module != nullptr && module->needs != nullptr) module->needs(record, needs);
}

std::string_view name(RecordKind kind) {
  const KindRow* row = find_kind(kind);
  return row == nullptr ? std::string_view() : row->name;
}

bool made_by_engine(const Record& record) {
  const KindRow* row = find_kind(record.kind);
  return row != nullptr && row->swept && record.operation == Operation::none;
}

bool is_part(const Record& record) {
  if (record.ref <= record.seq) return false;
  const KindRow* row = find_kind(record.kind);
  return row != nullptr && row->changes();
}

bool binds_token(const Record& record) {
  if (record.token.empty() || is_part(record)) return false;
  const KindRow* row = find_kind(record.kind);
  return row == nullptr || row->outcome;
}

}  // namespace holdfast

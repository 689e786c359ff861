#include "domain/rows.hpp"

#include "base/assert.hpp"
#include "domain/kind.hpp"
#include "domain/operation.hpp"
#include "domain/request.hpp"

namespace holdfast {

const TokenRow* WorkingSet::token(const Hash128& key) const {
  const auto found = tokens_.find(key);
  return found == tokens_.end() ? nullptr : &found->second;
}

const HoldRow* WorkingSet::hold(std::uint64_t ordinal) const {
  const auto found = holds_.find(ordinal);
  return found == holds_.end() ? nullptr : &found->second;
}

const HoldRow* WorkingSet::hold(std::string_view tenant, HoldId id) const {
  const HoldRow* row = hold(id.ordinal);
  return row != nullptr && row->id == id && row->tenant == tenant ? row : nullptr;
}

const ResourceRow& WorkingSet::resource(const ScopedName& key) const {
  static const ResourceRow unknown;
  const auto found = resources_.find(key);
  return found == resources_.end() ? unknown : found->second;
}

void WorkingSet::place(const Record& record) {
  const bool fresh = holds_.try_emplace(record.hold.ordinal, hold_row_of(record)).second;
  HOLDFAST_ASSERT(fresh);
  resources_[{record.tenant, record.resource}].occupied += record.quantity;
}

HoldRow& WorkingSet::changed(const Record& record) {
  const auto found = holds_.find(record.hold.ordinal);
  HOLDFAST_ASSERT(found != holds_.end());
  return found->second;
}

/// A resource that was not loaded is not placed on in this batch.
void WorkingSet::occupy(const HoldRow& hold, std::int64_t before) {
  if (hold.occupied() == before) return;
  const auto resource = resources_.find({hold.tenant, hold.resource});
  if (resource != resources_.end()) resource->second.occupied += hold.occupied() - before;
}

void WorkingSet::resolve(const Record& record) {
  HoldRow& hold = changed(record);
  const std::int64_t before = hold.occupied();
  holdfast::resolve(hold, record);
  occupy(hold, before);
}

void WorkingSet::amend(const Record& record) {
  HoldRow& hold = changed(record);
  const std::int64_t before = hold.occupied();
  holdfast::amend(hold, record);
  occupy(hold, before);
}

void WorkingSet::gather(const Record& record) {
  for (std::uint64_t i = 0; i < static_cast<std::uint64_t>(record.count); ++i) {
    const auto found = holds_.find(record.hold.ordinal + i);
    HOLDFAST_ASSERT(found != holds_.end());
    holdfast::gather(found->second, record);
  }
}

std::span<const RowName> WorkingSet::listed(RowSpace space, std::string_view tenant,
                                            std::string_view parent) const {
  const auto found = lists_.find(RowName{space, tenant, parent});
  if (found == lists_.end()) return {};
  return found->second;
}

class WorkingSet::ModuleWriter final : public RowWriter {
 public:
  explicit ModuleWriter(WorkingSet& rows) : rows_(rows) {}
  [[nodiscard]] const ModuleRow* find(const RowName& name) const override {
    return rows_.row(name);
  }
  void put(const RowName& name, ModuleRow row) override {
    rows_.module_rows_.insert_or_assign(OwnedRowName(name), std::move(row));
  }
  [[nodiscard]] bool remove(const RowName& name) override {
    const auto found = rows_.module_rows_.find(name);
    if (found == rows_.module_rows_.end() || found->second.value == nullptr) return false;
    found->second = {};
    return true;
  }

 private:
  WorkingSet& rows_;
};

void WorkingSet::change_rows(const Record& record) {
  ModuleWriter writer(*this);
  HOLDFAST_ASSERT(holdfast::change_rows(record, writer).empty());
}

void WorkingSet::declare(const Record& record) {
  resources_[{record.tenant, record.resource}].capacity = record.capacity;
}

void WorkingSet::bind_token(const Record& record) {
  tokens_.insert_or_assign(record.key, outcome_of(record));
}

const TokenRow* WorkingSet::nonce(const Hash128& key) const {
  const auto found = nonces_.find(key);
  return found == nonces_.end() ? nullptr : &found->second;
}

void WorkingSet::spend_nonce(const Record& record) {
  nonces_.insert_or_assign(record.nonce_key, token_row_of(record));
}

void derive(Record& record) {
  record.key = key_of(record.tenant, record.token);
  record.fingerprint = fingerprint_of(record.operation, record.principal, record.digest);
  if (!record.nonce.empty()) record.nonce_key = nonce_key_of(record.tenant, record.nonce);
}

std::optional<Instant> own_end_of(const Record& record) {
  const OperationSpec* const spec = find_spec(record.operation);
  if (spec == nullptr || !spec->own_window) return std::nullopt;
  return record.expires_at == Instant{} ? never : record.expires_at;
}

TokenRow token_row_of(const Record& record) {
  const bool speaks_of_hold = record.rejection != Rejection::not_known;
  return {.operation = record.operation,
          .fingerprint = record.fingerprint,
          .recorded_at = record.at,
          .seq = record.seq,
          .rejection = record.rejection,
          .reason = record.reason,
          .hold_ordinal = speaks_of_hold ? record.hold.ordinal : 0,
          .ends = own_end_of(record)};
}

TokenRow outcome_of(const Record& record) {
  TokenRow row = token_row_of(record);
  if (record.detail.empty()) return row;
  const OperationSpec* const spec = find_spec(record.operation);
  const bool told_by_row = spec != nullptr && spec->later != nullptr && !record.rejection;
  if (!told_by_row) row.detail = std::make_shared<const std::string>(record.detail);
  return row;
}

HoldRow hold_row_of(const Record& record) {
  return {.id = record.hold,
          .tenant = record.tenant,
          .resource = record.resource,
          .requester = record.requester,
          .quantity = record.quantity,
          .state = HoldState::held,
          .placed_at = record.at,
          .expires_at = record.expires_at,
          .first_expires_at = record.expires_at};
}

void resolve(HoldRow& hold, const Record& record) {
  HOLDFAST_ASSERT(hold.state == HoldState::held);
  hold.state = state_after(record.kind);
  hold.resolved_at = record.at;
  if (hold.state == HoldState::confirmed) {  // all of it, unless the record says how much
    hold.confirmed = record.quantity == 0 ? hold.quantity : hold.confirmed + record.quantity;
  }
  if (hold.changed_seq != 0 || record.quantity != 0) hold.changed_seq = record.seq;
}

void gather(HoldRow& hold, const Record& record) {
  hold.group = record.hold;
  hold.group_size = static_cast<std::uint32_t>(record.count);
}

void amend(HoldRow& hold, const Record& record) {
  switch (find_kind(record.kind)->does) {
    case StateChange::extend:
      hold.expires_at = record.expires_at;
      break;
    case StateChange::keep:
      hold.confirmed += record.quantity;
      break;
    default:
      hold.cancelled += record.quantity;
  }
  hold.changed_seq = record.seq;
}

}  // namespace holdfast

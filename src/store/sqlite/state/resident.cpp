#include "store/sqlite/state/resident.hpp"

#include <fmt/format.h>

#include "domain/answer.hpp"
#include "domain/kind.hpp"
#include "domain/window_change.hpp"

namespace holdfast::sqlite {

Resident::Resident(const Rules& rules) : tokens_(rules), nonces_(rules) {}

std::uint32_t Resident::intern_tenant(std::string_view name) {
  if (!is_last_tenant(name)) last_tenant_ = tenants_.intern(0, name);
  return last_tenant_;
}

void Resident::place(const Record& record) {
  const std::uint32_t tenant = intern_tenant(record.tenant);
  holds_.place(record, resource_names_.intern(tenant, record.resource),
               requester_names_.intern(tenant, record.requester));
}

void Resident::resolve(const Record& record) { holds_.resolve(record); }

void Resident::amend(const Record& record) { holds_.amend(record); }

void Resident::gather(const Record& record) { holds_.gather(record); }

void Resident::change_rows(const Record& record) {
  const std::string_view objection = holdfast::change_rows(record, rows_);
  if (objection_.empty()) objection_ = objection;
}

void Resident::declare(const Record& record) {
  const std::uint32_t tenant = intern_tenant(record.tenant);
  holds_.declare(resource_names_.intern(tenant, record.resource), record.capacity);
}

const ModuleRow* Resident::row_spoken_of(const TokenRow& outcome, std::string_view tenant,
                                         std::string_view token) const {
  const auto name = holdfast::row_spoken_of(outcome.operation, tenant, token);
  return name ? rows_.find(*name) : nullptr;
}

void Resident::bind_token(const Record& record) {
  tokens_.record(record.key, token_row_of(record));
}

void Resident::spend_nonce(const Record& record) {
  nonces_.record(record.nonce_key, token_row_of(record));
}

bool Resident::forget(Instant now, std::size_t limit) {
  const bool more_tokens = tokens_.forget(now, limit);
  return nonces_.forget(now, limit) || more_tokens;
}

namespace {

bool is_name(std::string_view name) { return !name.empty() && name.size() <= name_bytes_max; }

}  // namespace

std::optional<std::string> Resident::contradiction(const Record& record) const {
  if (record.tenant.size() > name_bytes_max) return "a tenant's name is too long";
  if (record.nonce.size() > nonce_bytes_max) return "a nonce is too long";
  if (binds_token(record) && record.operation == Operation::none)
    return "a token, but no operation";
  const KindRow* const kind = find_kind(record.kind);
  if (kind == nullptr) return "a kind of record this version does not know";
  switch (kind->does) {
    case StateChange::place:
      if (record.hold.ordinal <= holds_.last_ordinal()) return "a hold's ordinal is used again";
      if (record.hold.ordinal > UINT32_MAX) return "a hold's ordinal is out of range";
      if (record.quantity < 1 || record.quantity > quantity_max)
        return "a quantity is out of range";
      if (!is_name(record.resource) || !is_name(record.requester))
        return "a name is missing or too long";
      return std::nullopt;
    case StateChange::resolve:
    case StateChange::extend:
    case StateChange::keep:
    case StateChange::give_back:
      return contradiction_of_hold(record, kind->does);
    case StateChange::gather:
      return contradiction_of_group(record);
    case StateChange::declare:
      if (record.capacity < 1 || record.capacity > quantity_max)
        return "a capacity is out of range";
      if (!is_name(record.resource)) return "a name is missing or too long";
      return std::nullopt;
    case StateChange::rows:
    case StateChange::none:
      if (record.kind == RecordKind::window_changed && !window_change_in(record))
        return "it changes the window, and does not say to what";
      if (record.kind == RecordKind::rejected && (!record.rejection || record.token.empty()))
        return "a rejection without reason or token";
      return std::nullopt;
  }
  return std::nullopt;
}

std::optional<std::string> Resident::contradiction_of_group(const Record& record) const {
  const std::uint64_t newest = holds_.last_ordinal();
  const auto count = static_cast<std::uint64_t>(record.count);
  if (count < 1 || count > newest || record.hold.ordinal != newest - count + 1)
    return "its holds are not those placed last";
  if (holds_.hold(record.hold.ordinal)->salt != record.hold.salt)
    return "it names a hold that is not there";
  for (std::uint64_t each = record.hold.ordinal; each <= newest; ++each) {
    const HoldSlot* const slot = holds_.hold(each);
    if (slot == nullptr || slot->changed != 0) return "a hold of it is not as it was placed";
  }
  return std::nullopt;
}

std::optional<std::string> Resident::contradiction_of_hold(const Record& record,
                                                           StateChange does) const {
  const HoldSlot* slot = holds_.hold(record.hold.ordinal);
  if (slot == nullptr || slot->salt != record.hold.salt) return "it names a hold that is not there";
  const HoldRow hold = holds_.terms(*slot, record.hold.ordinal);
  const bool ends = does == StateChange::resolve;
  const bool gives_back = does == StateChange::give_back;
  if (!gives_back && hold.state != HoldState::held) return "its hold is already resolved";
  if (does == StateChange::extend) {
    if (record.expires_at < hold.expires_at) return "it makes a hold shorter";
    return std::nullopt;
  }
  const std::int64_t most = gives_back ? hold.confirmed - hold.cancelled : hold.held();
  if (record.quantity < (ends ? 0 : 1) || record.quantity > most)
    return "a quantity is out of range";
  return std::nullopt;
}

HoldRow Resident::row(const HoldSlot& slot, std::uint64_t ordinal) const {
  HoldRow row = holds_.terms(slot, ordinal);
  row.tenant = tenants_.name(resource_names_.scope(slot.resource));
  row.resource = resource_names_.name(slot.resource);
  row.requester = requester_names_.name(slot.requester);
  return row;
}

std::optional<HoldRow> Resident::hold(std::uint64_t ordinal) const {
  const HoldSlot* slot = holds_.hold(ordinal);
  if (slot == nullptr) return std::nullopt;
  return row(*slot, ordinal);
}

const ResourceSlot* Resident::resource(std::string_view tenant, std::string_view name) const {
  const auto scope = this->tenant(tenant);
  if (!scope) return nullptr;
  const auto number = resource_names_.find(*scope, name);
  return number ? &holds_.resource(*number) : nullptr;
}

std::optional<std::uint32_t> Resident::requester(std::string_view tenant,
                                                 std::string_view name) const {
  const auto scope = this->tenant(tenant);
  return scope ? requester_names_.find(*scope, name) : std::nullopt;
}

std::size_t Resident::name_bytes() const {
  return tenants_.bytes() + resource_names_.bytes() + requester_names_.bytes();
}

}  // namespace holdfast::sqlite

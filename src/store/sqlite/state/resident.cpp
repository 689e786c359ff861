#include "store/sqlite/state/resident.hpp"

#include <fmt/format.h>

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

void Resident::resolve(const Record& record) {
  holds_.resolve(record.hold.ordinal, state_after(record.kind), record.at);
}

void Resident::declare(const Record& record) {
  const std::uint32_t tenant = intern_tenant(record.tenant);
  holds_.declare(resource_names_.intern(tenant, record.resource), record.capacity);
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
  switch (record.kind) {
    case RecordKind::placed:
      if (record.hold.ordinal <= holds_.last_ordinal()) return "a hold's ordinal is used again";
      if (record.hold.ordinal > UINT32_MAX) return "a hold's ordinal is out of range";
      if (record.quantity < 1 || record.quantity > quantity_max)
        return "a quantity is out of range";
      if (!is_name(record.resource) || !is_name(record.requester))
        return "a name is missing or too long";
      return std::nullopt;
    case RecordKind::confirmed:
    case RecordKind::released:
    case RecordKind::expired: {
      const HoldSlot* slot = holds_.hold(record.hold.ordinal);
      if (slot == nullptr || slot->salt != record.hold.salt)
        return "it names a hold that is not there";
      if (slot->state != static_cast<std::uint8_t>(HoldState::held))
        return "its hold is already resolved";
      return std::nullopt;
    }
    case RecordKind::declared:
      if (record.capacity < 1 || record.capacity > quantity_max)
        return "a capacity is out of range";
      if (!is_name(record.resource)) return "a name is missing or too long";
      return std::nullopt;
    case RecordKind::rejected:
      if (!record.rejection || record.token.empty()) return "a rejection without reason or token";
      return std::nullopt;
    case RecordKind::collided:
    case RecordKind::replayed:
      return std::nullopt;
  }
  return "a kind of record this version does not know";
}

HoldRow Resident::row(const HoldSlot& slot, std::uint64_t ordinal) const {
  HoldRow row;
  row.id = {ordinal, slot.salt};
  row.tenant = tenants_.name(resource_names_.scope(slot.resource));
  row.resource = resource_names_.name(slot.resource);
  row.requester = requester_names_.name(slot.requester);
  row.quantity = slot.quantity;
  row.state = static_cast<HoldState>(slot.state);
  row.placed_at = Instant(Duration(slot.placed_us));
  row.expires_at = Instant(Duration(slot.expires_us));
  if (row.state != HoldState::held) row.resolved_at = Instant(Duration(slot.place_or_end));
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

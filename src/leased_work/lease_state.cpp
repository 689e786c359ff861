#include "leased_work/lease_state.hpp"

#include <fmt/format.h>

#include "domain/digest.hpp"

namespace holdfast::leased_work {

void write_attempts(JsonWriter& json, const LeaseState& lease) {
  integer_member(json, "attempts", signed_of(lease.attempts));
  integer_member(json, "attempts_max", signed_of(lease.attempts_max));
  integer_member(json, "backoff_max_us", signed_of(lease.backoff.most_us));
  integer_member(json, "backoff_us", signed_of(lease.backoff.first_us));
}

void read_lease_state(ObjectReader& reader, LeaseState& lease) {
  reader.number("attempts", lease.attempts, true);
  reader.number("attempts_max", lease.attempts_max, true);
  reader.number("backoff_max_us", lease.backoff.most_us, true);
  reader.number("backoff_us", lease.backoff.first_us, true);
  reader.text("error", lease.error);
  reader.number("fence", lease.fence, true);
  reader.text("holder", lease.holder);
  reader.instant("lease_until", lease.until);
  reader.instant("ready_at", lease.ready_at, true);
}

std::int64_t position_of(const LeaseState& lease) {
  return lease.ready_at.time_since_epoch().count();
}

std::string queue_of_dispatchers(std::string_view does, std::string_view name) {
  return fmt::format("{} {}", does, name);
}

std::string queue_of_workers(std::string_view tenant, std::string_view kind) {
  return fmt::format("work {} {}", tenant_in_list(tenant), kind);
}

std::string tenant_in_list(std::string_view tenant) { return sha256(tenant).hex().substr(0, 32); }

}  // namespace holdfast::leased_work

#include "store/sqlite/state/listing.hpp"

#include <algorithm>
#include <mutex>

#include "domain/answer.hpp"
#include "store/cursor.hpp"

namespace holdfast::sqlite {
namespace {

constexpr std::size_t rows_per_step = 4'096;
constexpr std::size_t rows_per_page = 1'000'000;

/// What a query asks for, in numbers.
struct Wanted {
  std::uint32_t tenant = 0;
  std::optional<std::uint32_t> resource{};
  std::optional<std::uint32_t> requester{};
  std::optional<HoldState> state{};
  std::optional<Instant> placed_after{};
  std::optional<std::string> prefix{};
  std::optional<GroupId> group{};
};

class HoldSearch {
 public:
  HoldSearch(const Resident& resident, const Wanted& wanted)
      : resident_(resident), wanted_(wanted) {}

  /// The newest hold to look at; 0 when there is none.
  [[nodiscard]] std::uint64_t start(std::optional<std::uint64_t> cursor) const {
    std::uint64_t newest = resident_.holds().last_ordinal();
    if (wanted_.requester) newest = resident_.holds().newest_of_requester(*wanted_.requester);
    if (wanted_.resource) newest = resident_.holds().resource(*wanted_.resource).newest;
    if (wanted_.group) newest = std::min(newest, last_of(*wanted_.group));
    return cursor ? std::min(*cursor - 1, resident_.holds().last_ordinal()) : newest;
  }

  /// The next older hold that could match.
  [[nodiscard]] std::uint64_t older(std::uint64_t ordinal) const {
    const HoldSlot* slot = resident_.holds().hold(ordinal);
    const auto is = [](const auto& one, std::uint32_t other) { return one && *one == other; };
    if (slot != nullptr && is(wanted_.resource, slot->resource)) return slot->older_of_resource;
    if (slot != nullptr && is(wanted_.requester, slot->requester)) return slot->older_of_requester;
    return ordinal - 1;  // a cursor may begin anywhere
  }

  /// Whether everything older is out of the question.
  [[nodiscard]] bool ends_at(std::uint64_t ordinal) const {
    if (wanted_.group && ordinal < wanted_.group->first.ordinal) return true;
    const HoldSlot* slot = resident_.holds().hold(ordinal);
    return slot != nullptr && wanted_.placed_after &&
           Instant(Duration(slot->placed_us)) <= *wanted_.placed_after;
  }

  [[nodiscard]] bool matches(std::uint64_t ordinal) const {
    const HoldSlot* slot = resident_.holds().hold(ordinal);
    return slot != nullptr && resident_.resource_tenant(slot->resource) == wanted_.tenant &&
           (!wanted_.resource || slot->resource == *wanted_.resource) &&
           (!wanted_.requester || slot->requester == *wanted_.requester) &&
           (!wanted_.state || static_cast<HoldState>(slot->state) == *wanted_.state) &&
           (!wanted_.prefix ||
            resident_.resource_name(slot->resource).starts_with(*wanted_.prefix)) &&
           (!wanted_.group ||
            resident_.holds().terms(*slot, ordinal).group == wanted_.group->first);
  }

 private:
  /// The ordinal of the last hold of a group; 0 if there is no such group.
  [[nodiscard]] std::uint64_t last_of(GroupId group) const {
    const HoldSlot* first = resident_.holds().hold(group.first.ordinal);
    if (first == nullptr) return 0;
    const HoldRow row = resident_.holds().terms(*first, group.first.ordinal);
    return row.group == group.first ? group.first.ordinal + row.group_size - 1 : 0;
  }

  const Resident& resident_;
  const Wanted wanted_;
};

/// Nothing if the query names something that does not exist.
std::optional<Wanted> resolve(const Resident& resident, std::string_view tenant,
                              const HoldQuery& query) {
  const auto scope = resident.tenant(tenant);
  if (!scope) return std::nullopt;
  Wanted wanted{.tenant = *scope,
                .state = query.state,
                .placed_after = query.placed_after,
                .prefix = query.resource_prefix,
                .group = query.group};
  if (query.resource) {
    const ResourceSlot* slot = resident.resource(tenant, *query.resource);
    if (slot == nullptr) return std::nullopt;
    wanted.resource = slot->number;
  }
  if (query.requester) {
    wanted.requester = resident.requester(tenant, *query.requester);
    if (!wanted.requester) return std::nullopt;
  }
  return wanted;
}

}  // namespace

StoreResult<Page<HoldDetails>> list_holds(const Resident& resident, std::shared_mutex& mutex,
                                          std::string_view tenant, const HoldQuery& query,
                                          Instant now, std::vector<std::uint64_t>& placed_seqs) {
  Page<HoldDetails> page;
  const auto cursor = position_of(List::holds, query.cursor);
  if (!cursor) return tl::unexpected(cursor.error());
  const std::size_t limit = page_items(query.limit);

  std::shared_lock lock(mutex);
  const auto wanted = resolve(resident, tenant, query);
  if (!wanted) return page;
  const HoldSearch search(resident, *wanted);
  std::uint64_t at = search.start(*cursor);
  for (std::size_t rows = 0; at != 0 && rows < rows_per_page; ++rows) {
    if (search.ends_at(at)) at = 0;
    if (at == 0 || page.items.size() == limit) break;
    if (search.matches(at)) {
      const HoldRow row = *resident.hold(at);
      page.items.push_back({hold_of(row), {}, row.lapsed(now)});
      placed_seqs.push_back(resident.holds().hold(at)->placed_seq);
    }
    at = search.older(at);
    if (rows % rows_per_step == rows_per_step - 1) {
      lock.unlock();
      lock.lock();
    }
  }
  if (at != 0) page.next = cursor_at(List::holds, at + 1);
  return page;
}

Resource resource_of(const Resident& resident, const ResourceSlot& slot, Instant now) {
  std::int64_t in_use = slot.occupied;
  HoldTable::for_each_lapsed(slot, now, [&](std::uint64_t ordinal) {
    in_use -= resident.holds().held(ordinal);
    return true;
  });
  return {.name = std::string(resident.resource_name(slot.number)),
          .capacity = slot.capacity,
          .in_use = in_use,
          .declared = slot.declared};
}

Availability availability_of(const Resident& resident, const ResourceSlot& slot, Instant now) {
  const Resource resource = resource_of(resident, slot, now);
  Availability found{.resource = resource.name,
                     .capacity = slot.capacity,
                     .held = resource.in_use - slot.confirmed,
                     .confirmed = slot.confirmed};
  if (const auto next_us = slot.live.next_after(now.time_since_epoch().count()))
    found.next_expiry = Instant(Duration(*next_us));
  return found;
}

StoreResult<Page<Resource>> list_resources(const Resident& resident, std::shared_mutex& mutex,
                                           std::string_view tenant, const ResourceQuery& query,
                                           Instant now) {
  Page<Resource> page;
  const auto cursor = position_of(List::resources, query.cursor);
  if (!cursor) return tl::unexpected(cursor.error());
  const std::size_t limit = page_items(query.limit);

  std::shared_lock lock(mutex);
  const auto scope = resident.tenant(tenant);
  if (!scope) return page;
  // Newest first: `at` is one past the number to look at next.
  const std::uint64_t end = resident.holds().resource_count();
  std::uint64_t at = std::min(cursor->value_or(end), end);
  for (std::size_t rows = 0; at > 0 && rows < rows_per_page; ++rows) {
    if (page.items.size() == limit) break;
    const auto number = static_cast<std::uint32_t>(--at);
    const bool named = !query.prefix || resident.resource_name(number).starts_with(*query.prefix);
    if (named && resident.resource_tenant(number) == *scope) {
      page.items.push_back(resource_of(resident, resident.holds().resource(number), now));
    }
    if (rows % rows_per_step == rows_per_step - 1) {
      lock.unlock();
      lock.lock();
    }
  }
  if (at > 0) page.next = cursor_at(List::resources, at);
  return page;
}

StoreResult<Page<RowFound>> list_rows(const Resident& resident, std::shared_mutex& mutex,
                                      std::string_view tenant, const RowQuery& query) {
  const std::shared_lock lock(mutex);
  return read_rows(resident.rows(), tenant, query);
}

ListSizes read_list_sizes(const Resident& resident, std::shared_mutex& mutex,
                          std::string_view tenant, RowSpace space) {
  const std::shared_lock lock(mutex);
  return resident.rows().list_sizes(tenant, space);
}

Counts counts_of(const Resident& resident, std::uint64_t records) {
  const HoldTable& holds = resident.holds();
  Counts counts{.records = records,
                .holds = holds.last_ordinal(),
                .live_holds = holds.live_count(),
                .confirmed_holds = holds.resolved_count(HoldState::confirmed),
                .released_holds = holds.resolved_count(HoldState::released),
                .expired_holds = holds.resolved_count(HoldState::expired),
                .next_expiry = holds.next_expiry(),
                .live_tokens = resident.tokens().size(),
                .resources = holds.resource_count()};
  if (const auto due = resident.rows().next_due())
    counts.next_expiry = std::min(counts.next_expiry.value_or(never), *due);
  return counts;
}

Footprint footprint_of(const Resident& resident) {
  return {.token_bytes = resident.tokens().bytes() + resident.nonces().bytes(),
          .hold_bytes = resident.holds().hold_bytes(),
          .live_hold_bytes = resident.holds().live_bytes(),
          .resource_bytes = resident.holds().resource_bytes(),
          .name_bytes = resident.name_bytes(),
          .module_bytes = resident.rows().bytes()};
}

}  // namespace holdfast::sqlite

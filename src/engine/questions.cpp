#include "engine/questions.hpp"

#include <algorithm>

#include "domain/answer.hpp"
#include "domain/operation.hpp"

namespace holdfast {

StoreResult<std::optional<Group>> read_group(const Store& store, std::string_view tenant,
                                             GroupId id) {
  constexpr std::uint64_t ordinal_max = INT64_MAX - group_size_max;  // its last hold has one, too
  if (id.first.ordinal == 0 || id.first.ordinal > ordinal_max) return std::nullopt;
  auto page = store.holds(tenant, {.group = id, .limit = group_size_max});
  if (!page) return tl::unexpected(page.error());
  if (page->items.empty()) return std::nullopt;
  Group group{.id = id, .holds = {}};
  for (HoldDetails& each : page->items) group.holds.push_back(std::move(each.hold));
  std::reverse(group.holds.begin(), group.holds.end());  // lists are newest first
  return group;
}

StoreResult<Answer> try_to_place(const Store& store, std::string_view tenant, const Placing& what) {
  const Call call{.command = Command(what)};
  const Instant now = store.now();
  const auto fields = std::span(spec_of(Placing::operation).fields);
  if (const Refused bad = check_bounds(fields, call.command.parameters(), store.rules(), now))
    return refuse(call, bad->rejection, bad->reason);
  const auto found = store.availability(tenant, what.resource);
  if (!found) return tl::unexpected(found.error());
  if (what.quantity > found->capacity)
    return refuse(call, Rejection::invalid_request, Reason::quantity_above_capacity);
  if (what.quantity > found->free()) return refuse(call, Rejection::resource_unavailable);
  Answer answer;
  answer.operation = Placing::operation;
  answer.hold = Hold{.id = {},
                     .resource = what.resource,
                     .requester = what.requester,
                     .quantity = what.quantity,
                     .state = HoldState::held,
                     .placed_at = now,
                     .expires_at = now + what.duration,
                     .resolved_at = std::nullopt};
  return answer;
}

}  // namespace holdfast

#include "modules/holds/groups.hpp"

#include <algorithm>
#include <map>

#include "domain/group_document.hpp"
#include "modules/holds/commitment.hpp"
#include "modules/holds/decide.hpp"

namespace holdfast::holds {
namespace {

/// What of a group is asked of one resource, all its holds on it together.
using Asked = std::map<std::string_view, std::int64_t>;

Asked asked_of(const std::vector<GroupItem>& items) {
  Asked asked;
  for (const GroupItem& each : items) {
    std::int64_t& sum = asked[each.resource];
    sum = std::min(sum + each.quantity, quantity_max + 1);  // which fits nowhere
  }
  return asked;
}

/// What is free of a resource once everything that has lapsed on it is gone.
std::int64_t free_of(const ResourceRow& resource, const Deciding& deciding) {
  std::int64_t free = resource.capacity - resource.occupied;
  for (const std::uint64_t ordinal : resource.lapsed) {
    const HoldRow* const hold = deciding.rows.hold(ordinal);
    if (hold != nullptr && hold->lapsed(deciding.now)) free += hold->held();
  }
  return free;
}

/// The holds of a group, or null if there is no such group here.
using Members = std::vector<const HoldRow*>;
Members members_of(GroupId group, const Deciding& deciding) {
  Members members;
  const HoldRow* const first = deciding.rows.hold(deciding.tenant(), group.first);
  if (first == nullptr || first->group != group.first) return members;
  for (std::uint64_t i = 0; i < first->group_size; ++i)
    members.push_back(deciding.rows.hold(group.first.ordinal + i));
  return members;
}

/// Does the same to everything of a group that is still held, all or nothing. `may` refuses one;
/// `say` completes the record of one.
template <typename May, typename Say>
Refused do_to_all(GroupId group, RecordKind part, RecordKind outcome, Deciding& deciding,
                  const May& may, const Say& say) {
  const Members members = members_of(group, deciding);
  if (members.empty()) return Refusal{Rejection::not_known};
  Members held;
  std::copy_if(members.begin(), members.end(), std::back_inserter(held),
               [](const HoldRow* each) { return each->state == HoldState::held; });
  deciding.blame.hold = members.front()->id;
  if (held.empty()) return Refusal{Rejection::not_held};
  for (const HoldRow* const each : held) {
    deciding.blame.hold = each->id;
    if (Refused refused = may(*each)) return refused;
  }
  std::vector<HoldRow> after;
  for (const HoldRow* const each : members) after.push_back(*each);
  std::size_t more = held.size();
  for (const HoldRow* const each : held) {
    Record& record = deciding.part(part, --more);
    record.hold = each->id;
    say(*each, record);
    HoldRow& changed = after[each->id.ordinal - group.first.ordinal];
    part == RecordKind::extended ? amend(changed, record) : resolve(changed, record);
  }
  Record& record = deciding.outcome(outcome);
  record.hold = group.first;
  record.count = static_cast<std::int64_t>(held.size());
  record.detail = group_document(group, after);
  return {};
}

void say_nothing(const HoldRow&, Record&) {}

}  // namespace

void PlaceGroup::needs(const Grouping& what, Needs& needs) {
  for (const GroupItem& each : what.holds) {
    if (!each.resource.empty() && each.resource.size() <= name_bytes_max)
      needs.resource_in_full(each.resource);
  }
}

Refused PlaceGroup::decide(const Grouping& what, Deciding& deciding) {
  const Asked asked = asked_of(what.holds);
  std::vector<Shortage> short_of;
  std::vector<std::uint64_t> lapsed;
  for (const auto& [name, quantity] : asked) {
    const ResourceRow& resource = resource_of(name, deciding);
    if (quantity > resource.capacity)
      return Refusal{Rejection::invalid_request, Reason::quantity_above_capacity};
    const auto room =
        commitment::make_room(deciding.rows, resource, resource.capacity, quantity, deciding.now);
    if (room) {
      lapsed.insert(lapsed.end(), room->begin(), room->end());
    } else {
      short_of.push_back({std::string(name), quantity, free_of(resource, deciding)});
    }
  }
  if (!short_of.empty()) {
    deciding.blame = {.resource = short_of.front().resource,
                      .quantity = short_of.front().asked,
                      .detail = shortage_document(short_of)};
    return Refusal{Rejection::resource_unavailable};
  }
  expire_lapsed(deciding.rows, lapsed, deciding.draft);
  std::vector<HoldRow> placed;
  std::size_t more = what.holds.size();
  for (const GroupItem& each : what.holds) {
    Record& record = deciding.part(RecordKind::placed, --more);
    record.hold = deciding.ids.take();
    record.resource = each.resource;
    record.requester = what.requester;
    record.quantity = each.quantity;
    record.expires_at = deciding.now + what.duration;
    placed.push_back(hold_row_of(record));
  }
  Record& record = deciding.outcome(RecordKind::grouped);
  record.hold = placed.front().id;
  record.count = static_cast<std::int64_t>(placed.size());
  for (HoldRow& each : placed) gather(each, record);
  record.detail = group_document({record.hold}, placed);
  return {};
}

void PlaceGroup::describe(const Grouping& what, Record& record) {
  record.requester = what.requester;
}

Refused ConfirmGroup::decide(const GroupConfirming& what, Deciding& deciding) {
  const auto may = [&](const HoldRow& hold) {
    return commitment::may_confirm(&hold, std::nullopt, deciding.now);
  };
  return do_to_all(what.group, RecordKind::confirmed, RecordKind::group_confirmed, deciding, may,
                   say_nothing);
}

Refused ReleaseGroup::decide(const GroupReleasing& what, Deciding& deciding) {
  const auto may = [&](const HoldRow& hold) {
    return commitment::may_release(&hold, deciding.now);
  };
  return do_to_all(what.group, RecordKind::released, RecordKind::group_released, deciding, may,
                   say_nothing);
}

Refused ExtendGroup::decide(const GroupExtending& what, Deciding& deciding) {
  const auto to = [&](const HoldRow& hold) {
    return extended_to(hold, what.duration, deciding.now);
  };
  const auto may = [&](const HoldRow& hold) {
    return commitment::may_extend(&hold, to(hold), deciding.rules.lifetime_max, deciding.now);
  };
  return do_to_all(what.group, RecordKind::extended, RecordKind::group_extended, deciding, may,
                   [&](const HoldRow& hold, Record& record) { record.expires_at = to(hold); });
}

}  // namespace holdfast::holds

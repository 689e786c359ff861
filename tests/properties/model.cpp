#include "properties/model.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "domain/operation.hpp"
#include "support/calls.hpp"

namespace holdfast::test {
namespace {

std::optional<GroupId> group_named_by(const Command& command) {
  if (const auto* what = command.as<GroupConfirming>()) return what->group;
  if (const auto* what = command.as<GroupReleasing>()) return what->group;
  if (const auto* what = command.as<GroupExtending>()) return what->group;
  return std::nullopt;
}

/// Two requests are one and the same exactly when these lines are equal.
std::string request_line(const Call& call) {
  const Command& c = call.command;
  const std::string line = fmt::format("{} by {}:", name(c.operation()), call.caller.principal);
  if (const auto* what = c.as<Placing>()) {
    return fmt::format("{} {}|{}|{}|{}", line, what->resource, what->requester,
                       what->duration.count(), what->quantity);
  }
  if (const auto* what = c.as<Declaring>()) {
    return fmt::format("{} {}|{}", line, what->resource, what->capacity);
  }
  if (const auto* what = c.as<Grouping>()) {
    std::string items;
    for (const GroupItem& each : what->holds)
      items += fmt::format("|{}|{}", each.resource, each.quantity);
    return fmt::format("{} {}|{}{}", line, what->requester, what->duration.count(), items);
  }
  if (const auto group = group_named_by(c)) {
    const auto* extending = c.as<GroupExtending>();
    return fmt::format("{} {}|{}|{}", line, group->first.ordinal, group->first.salt,
                       extending == nullptr ? 0 : extending->duration.count());
  }
  std::string rest;
  if (const auto* what = c.as<Confirming>())
    rest = fmt::format("|{}|{}", what->quantity.value_or(-7), what->final);
  if (const auto* what = c.as<Extending>()) rest = fmt::format("|{}", what->duration.count());
  if (const auto* what = c.as<Cancelling>()) rest = fmt::format("|{}", what->quantity.value_or(-7));
  const HoldId hold = hold_named_by(c);
  return fmt::format("{} {}|{}{}", line, hold.ordinal, hold.salt, rest);
}

Answer rejected(const Call& call, Rejection rejection, Reason reason = Reason::none) {
  Answer answer;
  answer.operation = call.command.operation();
  answer.token = call.token.bytes();
  answer.rejection = rejection;
  answer.reason = reason;
  return answer;
}

Answer succeeded(const Call& call) {
  Answer answer = rejected(call, Rejection::invalid_request);
  answer.rejection.reset();
  return answer;
}

bool is_quantity(const std::optional<std::int64_t>& quantity) {
  return !quantity || (*quantity >= 1 && *quantity <= quantity_max);
}

std::int64_t held(const Hold& hold) {
  return hold.state == HoldState::held ? hold.quantity - hold.quantity_confirmed : 0;
}

bool is_blank(const std::string& name) { return name.find_first_not_of(' ') == std::string::npos; }

}  // namespace

Instant Model::act_at(Instant clock) { return time_ = std::max(time_, clock); }

std::optional<Duration> Model::window_of(Operation operation) const {
  const Policy& policy = rules_.policies[operation];
  if (policy.token_class == TokenClass::i1_strict) return std::nullopt;
  return policy.window ? *policy.window : rules_.window;
}

/// semantics.md §3: claim, run, record.
Answer Model::submit(const Call& call, Instant clock) {
  const std::string& token = call.token.bytes();
  if (token.empty() || token.size() > rules_.token_bytes_max) {
    return rejected(call, Rejection::invalid_request, Reason::token_size);
  }
  const Instant now = act_at(clock);
  const Name key(call.caller.tenant, token);
  const auto known = tokens_.find(key);
  if (known != tokens_.end()) {
    const Recording& recording = known->second;
    const bool seen = !recording.window || now - recording.at < *recording.window;
    if (seen) last_written_ = now;  // every decision is evidence
    if (seen && recording.request != request_line(call)) {
      return rejected(call, Rejection::token_collision);
    }
    if (seen) {
      Answer again = recording.answer;
      again.replayed = true;
      return again;
    }
  }
  Answer answer = run(call, now);
  const Policy& policy = rules_.policies[call.command.operation()];
  if (!answer.ok() && policy.on_reject == OnReject::release) return answer;
  answer.recorded = true;
  const auto window = window_of(call.command.operation());
  answer.token_expires = window ? now + *window : never;
  if (window) window_ends_.push_back(answer.token_expires);
  tokens_[key] = Recording{request_line(call), answer, now, window};
  last_written_ = now;
  return answer;
}

Answer Model::run(const Call& call, Instant now) {
  switch (call.command.operation()) {
    case Operation::hold_place:
      return place(call, now);
    case Operation::resource_declare:
      return declare(call, now);
    case Operation::hold_confirm:
      return confirm(call, now);
    case Operation::hold_extend:
      return extend(call, now);
    case Operation::hold_cancel:
      return cancel(call);
    case Operation::group_place:
      return place_group(call, now);
    case Operation::group_confirm:
    case Operation::group_release:
    case Operation::group_extend:
      return change_group(call, *group_named_by(call.command), now);
    default:
      return resolve(call, now);
  }
}

bool Model::is_duration(Duration duration, Instant now) const {
  return duration >= rules_.duration_min && duration <= rules_.duration_max &&
         duration < never - now;
}

std::optional<Reason> Model::reason_against(const Placing& what, const std::string& tenant,
                                            Instant now) const {
  if (is_blank(what.resource)) return Reason::resource_blank;
  if (is_blank(what.requester)) return Reason::requester_blank;
  if (!is_duration(what.duration, now)) return Reason::duration_bounds;
  if (what.quantity < 1 || what.quantity > quantity_max) return Reason::quantity_bounds;
  if (what.quantity > capacity(tenant, what.resource)) return Reason::quantity_above_capacity;
  return std::nullopt;
}

Answer Model::place(const Call& call, Instant now) {
  const Placing& what = *call.command.as<Placing>();
  const std::string& tenant = call.caller.tenant;
  if (const auto reason = reason_against(what, tenant, now)) {
    return rejected(call, Rejection::invalid_request, *reason);
  }
  const Name resource(tenant, what.resource);
  if (!make_room(resource, what.quantity, capacity(tenant, what.resource), now)) {
    return rejected(call, Rejection::resource_unavailable);
  }
  const HoldSeen& placed =
      add_hold(call, what.resource, what.requester, what.quantity, what.duration, now);
  Answer answer = succeeded(call);
  answer.hold = placed.hold;
  return answer;
}

Model::HoldSeen& Model::add_hold(const Call& call, std::string resource, std::string requester,
                                 std::int64_t quantity, Duration duration, Instant now) {
  Hold hold{.id = {holds_.size() + 1, 0},
            .resource = std::move(resource),
            .requester = std::move(requester),
            .quantity = quantity,
            .state = HoldState::held,
            .placed_at = now,
            .expires_at = now + duration,
            .resolved_at = {}};
  return holds_.emplace_back(HoldSeen{call.caller.tenant, std::move(hold), call.token.bytes()});
}

/// All of the holds, or none; a resource that is named twice needs room for both.
Answer Model::place_group(const Call& call, Instant now) {
  const Grouping& what = *call.command.as<Grouping>();
  const std::string& tenant = call.caller.tenant;
  const auto invalid = [&](Reason reason) {
    return rejected(call, Rejection::invalid_request, reason);
  };
  if (is_blank(what.requester)) return invalid(Reason::requester_blank);
  if (!is_duration(what.duration, now)) return invalid(Reason::duration_bounds);
  if (what.holds.empty() || what.holds.size() > group_size_max) return invalid(Reason::group_size);
  std::map<std::string, std::int64_t> asked;
  for (const GroupItem& each : what.holds) {
    if (is_blank(each.resource)) return invalid(Reason::resource_blank);
    if (!is_quantity(each.quantity)) return invalid(Reason::quantity_bounds);
    asked[each.resource] += each.quantity;
  }
  std::vector<HoldSeen*> due;
  std::string shortages;
  for (const auto& [resource, quantity] : asked) {
    const std::int64_t there = capacity(tenant, resource);
    if (quantity > there) return invalid(Reason::quantity_above_capacity);
    if (const auto chosen = room_for({tenant, resource}, quantity, there, now)) {
      due.insert(due.end(), chosen->begin(), chosen->end());
      continue;
    }
    shortages +=
        fmt::format(R"({}{{"asked":{},"free":{},"resource":"{}"}})", shortages.empty() ? "" : ",",
                    quantity, there - in_use(tenant, resource, now), resource);
  }
  if (!shortages.empty()) {
    Answer answer = rejected(call, Rejection::resource_unavailable);
    answer.document = fmt::format(R"({{"short":[{}]}})", shortages);
    return answer;
  }
  for (HoldSeen* each : due) {
    each->hold.state = HoldState::expired;
    each->hold.resolved_at = now;
  }
  const GroupId id{{holds_.size() + 1, 0}};
  for (const GroupItem& each : what.holds)
    add_hold(call, each.resource, what.requester, each.quantity, what.duration, now).hold.group =
        id;
  Answer answer = succeeded(call);
  answer.document = group_words(id);
  return answer;
}

/// What is still held of it, all together: the first that cannot be changed is in the way.
Answer Model::change_group(const Call& call, GroupId id, Instant now) {
  const auto* extending = call.command.as<GroupExtending>();
  if (extending != nullptr && !is_duration(extending->duration, now))
    return rejected(call, Rejection::invalid_request, Reason::duration_bounds);
  const HoldSeen* const first = find(call.caller.tenant, id.first);
  const bool known =
      first != nullptr && first->hold.group && first->hold.group->first.ordinal == id.first.ordinal;
  if (!known) return rejected(call, Rejection::not_known);
  std::vector<Hold*> members;
  for (HoldSeen& each : holds_) {
    const bool member = each.hold.group && each.hold.group->first.ordinal == id.first.ordinal;
    if (member && each.hold.state == HoldState::held) members.push_back(&each.hold);
  }
  if (members.empty()) return rejected(call, Rejection::not_held);
  const auto until = [&](const Hold& hold) {
    return std::max(hold.expires_at, now + extending->duration);
  };
  for (const Hold* each : members) {
    if (now >= each->expires_at) return rejected(call, Rejection::window_elapsed);
    if (extending != nullptr && until(*each) - each->placed_at > rules_.lifetime_max)
      return rejected(call, Rejection::lifetime_exceeded);
  }
  for (Hold* each : members) {
    if (extending != nullptr) {
      each->expires_at = until(*each);
      continue;
    }
    const bool confirms = call.command.operation() == Operation::group_confirm;
    each->state = confirms ? HoldState::confirmed : HoldState::released;
    each->resolved_at = now;
    if (confirms) each->quantity_confirmed = each->quantity;
  }
  Answer answer = succeeded(call);
  answer.document = group_words({{id.first.ordinal, 0}});
  return answer;
}

std::string Model::group_words(GroupId id) const {
  std::string text;
  for (const HoldSeen& each : holds_) {
    if (each.hold.group && each.hold.group->first.ordinal == id.first.ordinal)
      text += words(salted(each.hold)) + "; ";
  }
  return text;
}

Hold Model::salted(Hold hold) const {
  const auto salt_of = [&](std::uint64_t ordinal) {
    const auto found = salts.find(ordinal);
    return found == salts.end() ? 0 : found->second;
  };
  hold.id.salt = salt_of(hold.id.ordinal);
  if (hold.group) hold.group->first.salt = salt_of(hold.group->first.ordinal);
  return hold;
}

Answer Model::about(const Call& call, const Hold& hold, std::optional<Rejection> rejection) const {
  Answer answer = rejection ? rejected(call, *rejection) : succeeded(call);
  answer.hold = hold;
  return answer;
}

/// All that is still held, or a part; `final` gives back the rest.
Answer Model::confirm(const Call& call, Instant now) {
  const Confirming& what = *call.command.as<Confirming>();
  if (!is_quantity(what.quantity))
    return rejected(call, Rejection::invalid_request, Reason::quantity_bounds);
  HoldSeen* seen = find(call.caller.tenant, what.hold);
  if (seen == nullptr) return rejected(call, Rejection::not_known);
  Hold& hold = seen->hold;
  if (hold.state != HoldState::held) return about(call, hold, Rejection::not_held);
  if (now >= hold.expires_at) return about(call, hold, Rejection::window_elapsed);
  const std::int64_t part = what.quantity.value_or(held(hold));
  if (part > held(hold)) return about(call, hold, Rejection::quantity_exceeded);
  const bool ends = part == held(hold) || what.final;
  hold.quantity_confirmed += part;
  if (ends) {
    hold.state = HoldState::confirmed;
    hold.resolved_at = now;
  }
  return about(call, hold, std::nullopt);
}

Answer Model::extend(const Call& call, Instant now) {
  const Extending& what = *call.command.as<Extending>();
  if (!is_duration(what.duration, now))
    return rejected(call, Rejection::invalid_request, Reason::duration_bounds);
  HoldSeen* seen = find(call.caller.tenant, what.hold);
  if (seen == nullptr) return rejected(call, Rejection::not_known);
  Hold& hold = seen->hold;
  if (hold.state != HoldState::held) return about(call, hold, Rejection::not_held);
  if (now >= hold.expires_at) return about(call, hold, Rejection::window_elapsed);
  const Instant until = std::max(hold.expires_at, now + what.duration);
  if (until - hold.placed_at > rules_.lifetime_max)
    return about(call, hold, Rejection::lifetime_exceeded);
  hold.expires_at = until;
  return about(call, hold, std::nullopt);
}

/// What is confirmed of it and was not given back before.
Answer Model::cancel(const Call& call) {
  const Cancelling& what = *call.command.as<Cancelling>();
  if (!is_quantity(what.quantity))
    return rejected(call, Rejection::invalid_request, Reason::quantity_bounds);
  HoldSeen* seen = find(call.caller.tenant, what.hold);
  if (seen == nullptr) return rejected(call, Rejection::not_known);
  Hold& hold = seen->hold;
  const std::int64_t kept = hold.quantity_confirmed - hold.quantity_cancelled;
  if (kept == 0) return about(call, hold, Rejection::not_confirmed);
  const std::int64_t part = what.quantity.value_or(kept);
  if (part > kept) return about(call, hold, Rejection::quantity_exceeded);
  hold.quantity_cancelled += part;
  return about(call, hold, std::nullopt);
}

Answer Model::declare(const Call& call, Instant now) {
  const Declaring& what = *call.command.as<Declaring>();
  const auto invalid = [&](Reason reason) {
    return rejected(call, Rejection::invalid_request, reason);
  };
  if (is_blank(what.resource)) return invalid(Reason::resource_blank);
  if (what.capacity < 1 || what.capacity > quantity_max) return invalid(Reason::capacity_bounds);
  const Name resource(call.caller.tenant, what.resource);
  if (!make_room(resource, 0, what.capacity, now)) {
    return rejected(call, Rejection::capacity_in_use);
  }
  declared_[resource] = what.capacity;
  Answer answer = succeeded(call);
  answer.resource =
      Resource{.name = what.resource, .capacity = what.capacity, .in_use = 0, .declared = true};
  return answer;
}

/// semantics.md §2: refusals in the order of the table; at `expires_at` itself it has lapsed.
Answer Model::resolve(const Call& call, Instant now) {
  HoldSeen* seen = find(call.caller.tenant, hold_named_by(call.command));
  if (seen == nullptr) return rejected(call, Rejection::not_known);
  Hold& hold = seen->hold;
  const bool expires = call.command.operation() == Operation::hold_expire;
  const bool elapsed = now >= hold.expires_at;
  std::optional<Rejection> rejection;
  if (hold.state != HoldState::held) {
    rejection = Rejection::not_held;
  } else if (!expires && elapsed) {
    rejection = Rejection::window_elapsed;
  } else if (expires && !elapsed) {
    rejection = Rejection::window_not_elapsed;
  }
  if (!rejection) {
    hold.state = expires ? HoldState::expired : HoldState::released;
    hold.resolved_at = now;
  }
  return about(call, hold, rejection);
}

/// Lapsed holds, earliest first.
std::vector<Model::HoldSeen*> Model::lapsed(Instant now) {
  std::vector<HoldSeen*> found;
  for (HoldSeen& each : holds_) {
    if (each.hold.state == HoldState::held && now >= each.hold.expires_at) found.push_back(&each);
  }
  std::stable_sort(found.begin(), found.end(), [](const HoldSeen* left, const HoldSeen* right) {
    return left->hold.expires_at < right->hold.expires_at;
  });
  return found;
}

/// Expires as few lapsed holds of the resource as are needed; none if it would be in vain.
bool Model::make_room(const Name& resource, std::int64_t quantity, std::int64_t capacity,
                      Instant now) {
  const auto chosen = room_for(resource, quantity, capacity, now);
  if (!chosen) return false;
  for (HoldSeen* each : *chosen) {
    each->hold.state = HoldState::expired;
    each->hold.resolved_at = now;
  }
  return true;
}

std::optional<std::vector<Model::HoldSeen*>> Model::room_for(const Name& resource,
                                                             std::int64_t quantity,
                                                             std::int64_t capacity, Instant now) {
  const auto of_resource = [&](const HoldSeen& each) {
    return each.tenant == resource.first && each.hold.resource == resource.second;
  };
  std::int64_t needed = quantity - capacity;
  for (const HoldSeen& each : holds_) {
    if (of_resource(each))
      needed += held(each.hold) + each.hold.quantity_confirmed - each.hold.quantity_cancelled;
  }
  std::vector<HoldSeen*> chosen;
  for (HoldSeen* each : lapsed(now)) {
    if (needed <= 0) break;
    if (!of_resource(*each)) continue;
    chosen.push_back(each);
    needed -= held(each->hold);
  }
  if (needed > 0) return std::nullopt;
  return chosen;
}

std::size_t Model::sweep(Instant clock, std::size_t most) {
  const Instant now = act_at(clock);
  std::vector<HoldSeen*> due = lapsed(now);
  if (due.size() > most) due.resize(most);
  for (HoldSeen* each : due) {
    each->hold.state = HoldState::expired;
    each->hold.resolved_at = now;
    last_written_ = now;
  }
  return due.size();
}

Model::HoldSeen* Model::find(const std::string& tenant, HoldId id) {
  if (id.ordinal < 1 || id.ordinal > holds_.size()) return nullptr;
  HoldSeen& seen = holds_[id.ordinal - 1];
  return seen.tenant == tenant && salts[id.ordinal] == id.salt ? &seen : nullptr;
}

std::int64_t Model::capacity(const std::string& tenant, const std::string& resource) const {
  const auto found = declared_.find({tenant, resource});
  return found == declared_.end() ? 1 : found->second;
}

std::int64_t Model::in_use(const std::string& tenant, const std::string& resource,
                           Instant clock) const {
  const Instant now = std::max(time_, clock);
  std::int64_t sum = 0;
  for (const HoldSeen& each : holds_) {
    const Hold& hold = each.hold;
    if (each.tenant != tenant || hold.resource != resource) continue;
    sum += hold.quantity_confirmed - hold.quantity_cancelled;
    if (now < hold.expires_at) sum += held(hold);
  }
  return sum;
}

}  // namespace holdfast::test

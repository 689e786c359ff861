#include "properties/model.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "domain/operation.hpp"

namespace holdfast::test {
namespace {

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
  const HoldId hold = hold_named_by(c);
  return fmt::format("{} {}|{}", line, hold.ordinal, hold.salt);
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
    default:
      return resolve(call, now);
  }
}

std::optional<Reason> Model::reason_against(const Placing& what, const std::string& tenant,
                                            Instant now) const {
  if (is_blank(what.resource)) return Reason::resource_blank;
  if (is_blank(what.requester)) return Reason::requester_blank;
  if (what.duration < rules_.duration_min || what.duration > rules_.duration_max ||
      what.duration >= never - now) {
    return Reason::duration_bounds;
  }
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
  Hold hold{.id = {holds_.size() + 1, 0},
            .resource = what.resource,
            .requester = what.requester,
            .quantity = what.quantity,
            .state = HoldState::held,
            .placed_at = now,
            .expires_at = now + what.duration,
            .resolved_at = {}};
  holds_.push_back({tenant, hold, call.token.bytes()});
  Answer answer = succeeded(call);
  answer.hold = hold;
  return answer;
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
    hold.state = expires                                               ? HoldState::expired
                 : call.command.operation() == Operation::hold_confirm ? HoldState::confirmed
                                                                       : HoldState::released;
    hold.resolved_at = now;
  }
  Answer answer = rejection ? rejected(call, *rejection) : succeeded(call);
  answer.hold = hold;
  return answer;
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
  const auto of_resource = [&](const HoldSeen& each) {
    return each.tenant == resource.first && each.hold.resource == resource.second;
  };
  std::int64_t needed = quantity - capacity;
  for (const HoldSeen& each : holds_) {
    const bool occupies =
        each.hold.state == HoldState::held || each.hold.state == HoldState::confirmed;
    if (of_resource(each) && occupies) needed += each.hold.quantity;
  }
  std::vector<HoldSeen*> chosen;
  for (HoldSeen* each : lapsed(now)) {
    if (needed <= 0) break;
    if (!of_resource(*each)) continue;
    chosen.push_back(each);
    needed -= each->hold.quantity;
  }
  if (needed > 0) return false;
  for (HoldSeen* each : chosen) {
    each->hold.state = HoldState::expired;
    each->hold.resolved_at = now;
  }
  return true;
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
    const bool held = hold.state == HoldState::held && now < hold.expires_at;
    if (held || hold.state == HoldState::confirmed) sum += hold.quantity;
  }
  return sum;
}

}  // namespace holdfast::test

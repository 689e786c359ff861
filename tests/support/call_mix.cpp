#include "support/call_mix.hpp"

#include <algorithm>
#include <array>
#include <limits>

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;

constexpr std::int64_t second = 1'000'000;
constexpr std::int64_t day = 86'400 * second;
constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t smallest = std::numeric_limits<std::int64_t>::min();

const std::array<std::string, 3> tenants{"default", "acme", "büro-東京"};
const std::array<std::string, 4> principals{"local", "front desk", "Zoë", "ops\"\\/"};
const std::array<std::string, 6> requesters{"guest_g91", "guest_k22", "Gäste GmbH & Co",
                                            "客人",      "GUEST_G91", "o'hara \"the\" <guest>"};

const std::vector<std::string>& resources() {
  static const std::vector<std::string> all{"room_307",
                                            "room_308",
                                            "ROOM_307",
                                            "room_307 ",
                                            "row 12, \"seats\"",
                                            "Zimmer Ärger",
                                            "Zimmer A\u0308rger",
                                            "席/東京\\",
                                            "bed\ttab\nline",
                                            "🛏",
                                            "credit:acme",
                                            std::string(name_bytes_max, 'r'),
                                            "stock/1",
                                            "stock/2",
                                            "a",
                                            "\x7f\x1f"};
  return all;
}

/// Names that are no names; the engine says why of each.
const std::vector<std::string>& wrong_names() {
  static const std::vector<std::string> all{"",
                                            " \t\r\n",
                                            std::string(name_bytes_max + 1, 'x'),
                                            "half a \xc3",
                                            "\xed\xa0\x80",
                                            std::string("nul\0inside", 10)};
  return all;
}

constexpr std::array wrong_durations{
    std::int64_t{0},   std::int64_t{-1},   std::int64_t{1}, std::int64_t{999},
    366 * day + 1,     smallest,           largest,         quantity_max + 1,
    -quantity_max - 1, std::int64_t{1000}, 366 * day /* this is one */};
constexpr std::array wrong_quantities{std::int64_t{0}, std::int64_t{-1}, quantity_max + 1, smallest,
                                      largest,         quantity_max,     std::int64_t{60}};

}  // namespace

void CallMix::wait_until(Instant instant) {
  now_ = instant;
  latest_ = std::max(latest_, now_);
}

void CallMix::pause() {
  const std::uint64_t kind = dice_.below(100);
  if (kind < 30) return;
  if (kind < 40) return aim_at_a_hold();
  if (kind < 46) return aim_at_a_token();
  std::int64_t us = 0;
  if (kind < 70) {
    us = dice_.between(1, 1000);
  } else if (kind < 88) {
    us = dice_.between(1000, 5 * second);
  } else if (kind < 97) {
    us = dice_.between(second, 120 * second);
  } else if (kind < 98) {
    us = dice_.between(60 * second, 900 * second);
  } else {
    us = -dice_.between(1, second);
  }
  wait_until(now_ + Duration(us * options_.pace));
}

void CallMix::pause_for_good() { wait_until(latest_ + 1s); }

/// A microsecond before a hold lapses, at that instant, or a microsecond after.
void CallMix::aim_at_a_hold() {
  if (held_.empty()) return;
  const Known& hold = dice_.recent(held_);
  const Instant at = hold.expires_at + Duration(dice_.between(-1, 1));
  if (at < latest_ || at > latest_ + 30min) return;
  wait_until(at);
  PlainCall call = fresh(dice_.chance(75) ? ending() : Operation::hold_place);
  call.caller = hold.caller;
  call.hold = hold.id;
  call.resource = hold.resource;
  call.requester = dice_.of(requesters);
  call.duration_us = dice_.between(second, 900 * second);
  planned_.push_back(std::move(call));
}

/// The same with a token that is about to be forgotten.
void CallMix::aim_at_a_token() {
  if (asked_.empty()) return;
  const Asked& asked = dice_.recent(asked_);
  const Instant forgotten_at = asked.forgotten_at;
  if (forgotten_at == Instant{} || forgotten_at == never) return;
  const Instant at = forgotten_at + Duration(dice_.between(-1, 1));
  if (at < latest_ || at > latest_ + 30min) return;
  wait_until(at);
  planned_.push_back(dice_.chance(60) ? asked.call : colliding(asked.call));
}

std::vector<PlainCall> CallMix::calls(std::size_t count) {
  std::vector<PlainCall> all;
  while (all.size() < count) {
    const std::uint64_t kind = all.empty() ? 100 : dice_.below(100);
    if (kind < 9) {
      all.push_back(PlainCall(dice_.of(all)));
    } else if (kind < 13) {
      all.push_back(colliding(dice_.of(all)));
    } else {
      all.push_back(next_call());
    }
  }
  return all;
}

PlainCall CallMix::next_call() {
  if (!planned_.empty()) {
    PlainCall call = std::move(planned_.front());
    planned_.pop_front();
    return call;
  }
  if (!coded_.empty() && dice_.chance(25)) return with_code();
  if (options_.changes && dice_.chance(45)) return changing();
  const std::uint64_t kind = dice_.below(100);
  if (kind < 26) return placing();
  if (kind < 55) return resolving();
  if (kind < 63) return declaring();
  if (kind < 70) return wrong_value();
  if (kind < 72) return wrong_caller();
  if (kind < 82) return repeating();
  if (kind < 88) return asked_.empty() ? placing() : colliding(dice_.recent(asked_).call);
  if (kind < 94) return with_nonce();
  return with_code();
}

/// Half of the calls are of one caller.
Caller CallMix::caller() {
  if (dice_.chance(50)) return {};
  return {.tenant = dice_.of(tenants), .principal = dice_.of(principals)};
}

PlainCall CallMix::fresh(Operation operation) {
  PlainCall call{.operation = operation};
  call.token = fresh_token(operation);
  call.caller = caller();
  return call;
}

/// Mostly plain; sometimes no text at all, or as long as may be. None for an operation that makes
/// its own, or one all the same.
std::string CallMix::fresh_token(Operation operation) {
  const bool derived = options_.policies[operation].key_mode == KeyMode::derived;
  if (derived && dice_.chance(90)) return {};
  std::string token = options_.prefix + "t" + std::to_string(++tokens_made_);
  switch (dice_.below(40)) {
    case 0:
      return "\xff\xfe" + token;
    case 1:
      return token + std::string("\0\x01", 2);
    case 2:
      return "tökén-" + token;
    case 3:
      return token + " \"quoted\\\"";
    case 4:
      return token + std::string(256 - token.size(), '~');
    default:
      return token;
  }
}

PlainCall CallMix::placing() {
  PlainCall call = fresh(Operation::hold_place);
  // What was confirmed is taken for good: most of what is asked for must be new.
  call.resource =
      dice_.chance(40) ? "unit_" + std::to_string(tokens_made_ / 4) : dice_.of(resources());
  call.requester = dice_.of(requesters);
  const std::uint64_t kind = dice_.below(100);
  if (kind < 45) {
    call.duration_us = dice_.between(1000, 60 * second);
  } else if (kind < 88) {
    call.duration_us = dice_.between(60, 1800) * second;
  } else {
    call.duration_us = kind < 97 ? dice_.between(1, 365) * day : kind == 97 ? 1000 : 366 * day;
  }
  if (dice_.chance(15)) call.quantity = dice_.between(1, 12);
  return call;
}

PlainCall CallMix::declaring() {
  PlainCall call = fresh(Operation::resource_declare);
  call.resource = dice_.of(resources());
  call.capacity = dice_.chance(5) ? quantity_max : dice_.between(1, 30);
  return call;
}

Operation CallMix::ending() {
  constexpr std::array all{Operation::hold_confirm, Operation::hold_confirm,
                           Operation::hold_release, Operation::hold_release,
                           Operation::hold_expire};
  return dice_.of(all);
}

void CallMix::notice_lapsed() {
  const auto lapsed = std::stable_partition(
      held_.begin(), held_.end(), [&](const Known& hold) { return hold.expires_at > now_; });
  lapsed_.insert(lapsed_.end(), lapsed, held_.end());
  held_.erase(lapsed, held_.end());
}

/// Mostly of a hold that is held; also of one that is not, of another tenant's, and of none.
PlainCall CallMix::resolving() {
  PlainCall call = fresh(ending());
  notice_lapsed();
  const std::uint64_t kind = dice_.below(100);
  const std::vector<Known>& from = kind < 65 ? held_ : kind < 83 ? lapsed_ : resolved_;
  if (from.empty()) return call;
  const Known& hold = dice_.recent(from);
  call.hold = hold.id;
  call.caller.tenant = hold.caller.tenant;
  if (kind % 3 != 0) call.caller = hold.caller;
  if (kind % 25 == 0) call.caller.tenant = dice_.of(tenants);
  if (kind % 25 == 1) call.hold.salt ^= 1U;
  if (kind % 25 == 2) call.hold.ordinal += 1'000'000;
  if (kind == 78 && options_.unreadable_calls) call.hold.ordinal = UINT64_MAX;
  if (kind == 79 && options_.unreadable_calls) call.hold.salt = UINT64_MAX;
  return call;
}

PlainCall CallMix::changing() {
  constexpr std::array one{Operation::hold_confirm, Operation::hold_confirm, Operation::hold_extend,
                           Operation::hold_cancel};
  notice_lapsed();
  const std::uint64_t kind = dice_.below(100);
  if (kind < 24) return grouping();
  if (kind < 44) return of_a_group();
  if (kind < 52) return wrong_change();
  PlainCall call = fresh(dice_.of(one));
  const bool cancels = call.operation == Operation::hold_cancel;
  const std::vector<Known>& from = cancels == dice_.chance(80) ? resolved_ : held_;
  if (from.empty()) return call;
  const Known& hold = dice_.recent(from);
  call.hold = hold.id;
  call.caller = hold.caller;
  call.duration_us = dice_.chance(90) ? dice_.between(1, 1800) * second : 366 * day;
  if (dice_.chance(70)) call.part = dice_.chance(85) ? 1 : dice_.between(1, 12);
  call.final = call.operation == Operation::hold_confirm && dice_.chance(25);
  if (kind % 25 == 1) call.hold.salt ^= 1U;
  return call;
}

PlainCall CallMix::grouping() {
  PlainCall call = fresh(Operation::group_place);
  call.requester = dice_.of(requesters);
  call.duration_us = dice_.between(1, 900) * second;
  for (std::uint64_t left = 1 + dice_.below(4); left > 0; --left) {
    const bool plenty = dice_.chance(60);
    call.items.push_back(
        {plenty ? "unit_" + std::to_string(tokens_made_ / 4 + left) : dice_.of(resources()),
         plenty || dice_.chance(70) ? 1 : dice_.between(1, 6)});
  }
  if (dice_.chance(20)) call.items.push_back(GroupItem(dice_.of(call.items)));
  return call;
}

/// Of one that was placed; also of a hold that is no group, and of another tenant's.
PlainCall CallMix::of_a_group() {
  constexpr std::array all{Operation::group_confirm, Operation::group_release,
                           Operation::group_extend, Operation::group_extend};
  PlainCall call = fresh(dice_.of(all));
  call.duration_us = dice_.chance(90) ? dice_.between(1, 1800) * second : 366 * day;
  const bool known = !groups_.empty() && dice_.chance(90);
  const std::vector<Known>& from = known ? groups_ : held_;
  if (from.empty()) return call;
  const Known& group = dice_.recent(from);
  call.hold = group.id;
  if (dice_.chance(95)) call.caller = group.caller;
  return call;
}

PlainCall CallMix::wrong_change() {
  PlainCall call = grouping();
  if (!held_.empty() && dice_.chance(50)) {
    const Known& hold = dice_.recent(held_);
    call.operation = dice_.chance(50) ? Operation::hold_confirm : Operation::hold_extend;
    if (dice_.chance(30)) call.operation = Operation::hold_cancel;
    call.hold = hold.id;
    call.caller = hold.caller;
    call.part = dice_.of(wrong_quantities);
    call.duration_us = dice_.of(wrong_durations);
    return call;
  }
  switch (dice_.below(5)) {
    case 0:
      call.items.clear();
      break;
    case 1:
      call.items.resize(group_size_max + 1, {"a", 1});
      break;
    case 2:
      call.items.back().resource = dice_.of(wrong_names());
      break;
    case 3:
      call.duration_us = dice_.of(wrong_durations);
      break;
    default:
      call.items.back().quantity = dice_.of(wrong_quantities);
  }
  return call;
}

PlainCall CallMix::wrong_value() {
  PlainCall call = dice_.chance(75) ? placing() : declaring();
  const bool places = call.operation == Operation::hold_place;
  switch (dice_.below(6)) {
    case 0:
      call.resource = dice_.of(wrong_names());
      break;
    case 1:
      (places ? call.requester : call.resource) = dice_.of(wrong_names());
      break;
    case 2:
      call.duration_us = dice_.of(wrong_durations);
      break;
    case 3:
      call.token = dice_.chance(50) ? "" : std::string(257, 't');
      break;
    default:
      call.quantity = call.capacity = dice_.of(wrong_quantities);
  }
  return call;
}

PlainCall CallMix::wrong_caller() {
  PlainCall call = dice_.chance(50) ? placing() : declaring();
  if (!options_.unreadable_calls) return call;
  switch (dice_.below(4)) {
    case 0:
      call.caller.tenant = dice_.chance(50) ? "" : "\xff";
      break;
    case 1:
      call.caller.principal = std::string(name_bytes_max + 1, 'p');
      break;
    case 2:
      call.nonce = std::string(nonce_bytes_max + 1, 'n');
      break;
    default:
      call.operation = Operation::none;
  }
  return call;
}

PlainCall CallMix::repeating() {
  return asked_.empty() ? placing() : PlainCall(dice_.recent(asked_).call);
}

/// The same token, and something else is another.
PlainCall CallMix::colliding(PlainCall call) {
  switch (dice_.below(5)) {
    case 0:
      call.quantity += 1;
      call.capacity += 1;
      call.hold.salt ^= 2U;
      break;
    case 1:
      call.duration_us += 1;
      call.capacity += 2;
      call.hold.ordinal += 1;
      break;
    case 2:
      call.caller.principal = dice_.of(principals);
      break;
    case 3:
      call.operation = call.operation == Operation::hold_confirm ? Operation::hold_release
                                                                 : Operation::hold_confirm;
      break;
    default:
      call.caller.tenant = dice_.of(tenants);  // no collision: tenants see nothing of each other
  }
  return call;
}

/// A new one, or one that was seen; of those that were seen most are spent.
PlainCall CallMix::with_nonce() {
  PlainCall call = dice_.chance(60) ? placing() : dice_.chance(50) ? declaring() : resolving();
  if (nonces_.empty() || dice_.chance(50)) {
    nonces_.push_back((dice_.chance(10) ? "\xc0n" : "n") + options_.prefix +
                      std::to_string(++nonces_made_));
    call.nonce = nonces_.back();
  } else {
    call.nonce = dice_.recent(nonces_);
  }
  return call;
}

/// With the code that was asked for, or one that is not quite it, or the code of another call.
PlainCall CallMix::with_code() {
  if (coded_.empty()) return dice_.chance(50) ? placing() : resolving();
  PlainCall call = dice_.recent(coded_, 4);
  switch (dice_.below(8)) {
    case 0:
      call.confirmation.back() = call.confirmation.back() == '0' ? '1' : '0';
      break;
    case 1:
      call.token = fresh_token(call.operation);
      break;
    case 2:
      call.confirmation = dice_.chance(50) ? "x" : dice_.of(coded_).confirmation;
      break;
    default:
      break;
  }
  return call;
}

void CallMix::learn(const PlainCall& asked, const Answer& answer) {
  asked_.push_back({asked, answer.recorded ? answer.token_expires : Instant{}});
  if (!answer.confirmation.empty()) {
    coded_.push_back(asked);
    coded_.back().confirmation = answer.confirmation;
  }
  if (!answer.ok() || answer.replayed) return;
  if (const auto group = group_in(answer)) return learn_group(asked, *group);
  if (!answer.hold) return;
  if (answer.operation == Operation::hold_place) {
    held_.push_back(
        {answer.hold->id, asked.caller, answer.hold->resource, answer.hold->expires_at});
    return;
  }
  for (std::vector<Known>* list : {&held_, &lapsed_}) {
    const auto known = std::find_if(list->begin(), list->end(),
                                    [&](const Known& each) { return each.id == answer.hold->id; });
    if (known == list->end()) continue;
    if (answer.hold->state == HoldState::held) {
      known->expires_at = answer.hold->expires_at;
      return;
    }
    resolved_.push_back(*known);
    list->erase(known);
    return;
  }
}

void CallMix::learn_group(const PlainCall& asked, const Group& group) {
  const bool placed = asked.operation == Operation::group_place;
  if (placed)
    groups_.push_back({group.id.first, asked.caller, asked.items.front().resource,
                       group.holds.front().expires_at});
  for (const Hold& each : group.holds) {
    if (placed) held_.push_back({each.id, asked.caller, each.resource, each.expires_at});
    const auto known = std::find_if(held_.begin(), held_.end(),
                                    [&](const Known& hold) { return hold.id == each.id; });
    if (known == held_.end()) continue;
    known->expires_at = each.expires_at;
    if (each.state == HoldState::held) continue;
    resolved_.push_back(*known);
    held_.erase(known);
  }
}

}  // namespace holdfast::test

#include "domain/commitment.hpp"

#include "base/utf8.hpp"

namespace holdfast::commitment {
namespace {

struct NameReasons {
  Reason blank;
  Reason size;
  Reason text;
};

Verdict invalid(Reason reason) { return Refusal{Rejection::invalid_request, reason}; }

Verdict check_name(std::string_view name, const NameReasons& reasons) {
  if (name.find_first_not_of(" \t\r\n\v\f") == std::string_view::npos)
    return invalid(reasons.blank);
  if (name.size() > name_bytes_max) return invalid(reasons.size);
  if (name.find('\0') != std::string_view::npos || !is_valid_utf8(name))
    return invalid(reasons.text);
  return {};
}

constexpr NameReasons resource_reasons{Reason::resource_blank, Reason::resource_size,
                                       Reason::resource_text};
constexpr NameReasons requester_reasons{Reason::requester_blank, Reason::requester_size,
                                        Reason::requester_text};

bool within_bounds(std::int64_t quantity) { return quantity >= 1 && quantity <= quantity_max; }

Verdict must_be_held(const HoldRow* hold) {
  if (hold == nullptr) return Refusal{Rejection::not_known};
  if (hold->state != HoldState::held) return Refusal{Rejection::not_held};
  return {};
}

}  // namespace

Verdict check_placing(const Command& command, std::int64_t capacity, const Rules& rules,
                      Instant now) {
  if (Verdict bad = check_name(command.resource, resource_reasons)) return bad;
  if (Verdict bad = check_name(command.requester, requester_reasons)) return bad;
  const bool in_bounds =
      command.duration >= rules.duration_min && command.duration <= rules.duration_max;
  if (!in_bounds || command.duration.count() < 1 || after(now, command.duration) == never) {
    return invalid(Reason::duration_bounds);
  }
  if (!within_bounds(command.quantity)) return invalid(Reason::quantity_bounds);
  if (command.quantity > capacity) return invalid(Reason::quantity_above_capacity);
  return {};
}

Verdict check_declaring(const Command& command) {
  if (Verdict bad = check_name(command.resource, resource_reasons)) return bad;
  if (!within_bounds(command.capacity)) return invalid(Reason::capacity_bounds);
  return {};
}

Verdict may_confirm(const HoldRow* hold, Instant now) {
  if (Verdict refused = must_be_held(hold)) return refused;
  if (hold->lapsed(now)) return Refusal{Rejection::window_elapsed};
  return {};
}

Verdict may_release(const HoldRow* hold, Instant now) { return may_confirm(hold, now); }

Verdict may_expire(const HoldRow* hold, Instant now) {
  if (Verdict refused = must_be_held(hold)) return refused;
  if (!hold->lapsed(now)) return Refusal{Rejection::window_not_elapsed};
  return {};
}

std::optional<std::vector<std::uint64_t>> make_room(const WorkingSet& rows,
                                                    const ResourceRow& resource,
                                                    std::int64_t capacity, std::int64_t quantity,
                                                    Instant now) {
  std::vector<std::uint64_t> chosen;
  // Both sides are below 2^54: no overflow.
  std::int64_t missing = resource.occupied + quantity - capacity;
  for (const std::uint64_t ordinal : resource.lapsed) {
    if (missing <= 0) break;
    const HoldRow* hold = rows.hold(ordinal);
    if (hold == nullptr || !hold->lapsed(now)) continue;  // resolved earlier in this batch
    chosen.push_back(ordinal);
    missing -= hold->quantity;
  }
  if (missing > 0) return std::nullopt;
  return chosen;
}

}  // namespace holdfast::commitment

#include "support/calls.hpp"

#include <fmt/format.h>

#include "base/time_text.hpp"

namespace holdfast {

void PrintTo(const Answer& answer, std::ostream* out) {
  *out << test::words(answer) << (answer.replayed ? " (a replay)" : "");
}

void PrintTo(const Hold& hold, std::ostream* out) { *out << test::words(hold); }

void PrintTo(const Resource& resource, std::ostream* out) { *out << test::words(resource); }

}  // namespace holdfast

namespace holdfast::test {
namespace {

Call call_of(Command command, std::string token, Caller caller) {
  return {.command = std::move(command),
          .token = Token(std::move(token)),
          .caller = std::move(caller),
          .confirmation = {}};
}

}  // namespace

Call place(Placing what, std::string token, Caller caller) {
  return call_of(Command::place(std::move(what)), std::move(token), std::move(caller));
}

Call confirm(HoldId id, std::string token, Caller caller) {
  return call_of(Command::confirm(id), std::move(token), std::move(caller));
}

Call release(HoldId id, std::string token, Caller caller) {
  return call_of(Command::release(id), std::move(token), std::move(caller));
}

Call expire(HoldId id, std::string token, Caller caller) {
  return call_of(Command::expire(id), std::move(token), std::move(caller));
}

Call confirm_part(HoldId id, std::int64_t quantity, std::string token, Caller caller) {
  return call_of(Command(Confirming{.hold = id, .quantity = quantity}), std::move(token),
                 std::move(caller));
}

Call confirm_finally(HoldId id, std::int64_t quantity, std::string token, Caller caller) {
  return call_of(Command(Confirming{.hold = id, .quantity = quantity, .final = true}),
                 std::move(token), std::move(caller));
}

Call extend(HoldId id, Duration duration, std::string token, Caller caller) {
  return call_of(Command(Extending{.hold = id, .duration = duration}), std::move(token),
                 std::move(caller));
}

Call cancel(HoldId id, std::string token, Caller caller) {
  return call_of(Command(Cancelling{.hold = id}), std::move(token), std::move(caller));
}

Call cancel_part(HoldId id, std::int64_t quantity, std::string token, Caller caller) {
  return call_of(Command(Cancelling{.hold = id, .quantity = quantity}), std::move(token),
                 std::move(caller));
}

Call place_group(Grouping what, std::string token, Caller caller) {
  return call_of(Command(std::move(what)), std::move(token), std::move(caller));
}

Call confirm_group(GroupId id, std::string token, Caller caller) {
  return call_of(Command(GroupConfirming{id}), std::move(token), std::move(caller));
}

Call release_group(GroupId id, std::string token, Caller caller) {
  return call_of(Command(GroupReleasing{id}), std::move(token), std::move(caller));
}

Call extend_group(GroupId id, Duration duration, std::string token, Caller caller) {
  return call_of(Command(GroupExtending{.group = id, .duration = duration}), std::move(token),
                 std::move(caller));
}

Call declare(std::string resource, std::int64_t capacity, std::string token, Caller caller) {
  return call_of(Command::declare(std::move(resource), capacity), std::move(token),
                 std::move(caller));
}

std::string visible(std::string_view bytes) {
  std::string text;
  for (const char byte : bytes) {
    const bool plain = byte > ' ' && byte <= '~' && byte != '\\';
    text +=
        plain ? std::string(1, byte) : fmt::format("\\x{:02x}", static_cast<unsigned char>(byte));
  }
  return text;
}

std::string words(const Hold& hold) {
  std::string text = fmt::format(
      "{} of {} by {} quantity {} from {} to {} is {} since {}", hold.id.text(), hold.resource,
      hold.requester, hold.quantity, to_rfc3339(hold.placed_at), to_rfc3339(hold.expires_at),
      name(hold.state), hold.resolved_at ? to_rfc3339(*hold.resolved_at) : "then");
  if (hold.quantity_confirmed != 0) text += fmt::format(" confirmed {}", hold.quantity_confirmed);
  if (hold.quantity_cancelled != 0) text += fmt::format(" cancelled {}", hold.quantity_cancelled);
  if (hold.group) text += " in " + hold.group->text();
  return text;
}

std::string words(const Resource& resource) {
  return fmt::format("{} capacity {} in use {}{}", resource.name, resource.capacity,
                     resource.in_use, resource.declared ? " declared" : "");
}

std::string words(const Answer& answer) {
  std::string text = fmt::format("{} token {} -> {}", name(answer.operation), visible(answer.token),
                                 answer.text());
  if (answer.hold) text += " | hold " + words(*answer.hold);
  if (answer.resource) text += " | resource " + words(*answer.resource);
  if (!answer.document.empty()) text += " | document " + answer.document;
  if (answer.recorded) {
    text += fmt::format(" | recorded until {}", to_rfc3339(answer.token_expires));
  }
  if (answer.effect == Effect::unknown) text += " | effect unknown";
  if (!answer.confirmation.empty()) {
    text += fmt::format(" | confirm by {} with {}", to_rfc3339(answer.confirmation_expires),
                        answer.confirmation);
  }
  return text;
}

}  // namespace holdfast::test

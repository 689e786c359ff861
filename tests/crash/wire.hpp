#pragma once

#include <fmt/format.h>

#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "domain/operation.hpp"
#include "support/calls.hpp"

/// What a process that may be killed says about its calls, a line each, to the one that kills it.
/// Lines are shorter than a pipe's atomic write, so none is ever cut or mixed with another.
namespace holdfast::test {

/// What a client keeps of an answer.
struct Told {
  std::optional<Rejection> rejection;
  bool recorded = false;
  bool replayed = false;
  std::string words;  ///< the whole answer, but for `replayed`
  Effect effect = Effect::none;

  /// Whether it is the store's word on the call, rather than a refusal to say anything.
  [[nodiscard]] bool acknowledged() const {
    return rejection != Rejection::store_unavailable && rejection != Rejection::overloaded &&
           rejection != Rejection::in_progress;
  }
};

[[nodiscard]] inline Told told_of(const Answer& answer) {
  return {answer.rejection, answer.recorded, answer.replayed, words(answer), answer.effect};
}

namespace wire {

/// The parameters of any of the operations that are sent; of each only what it has.
struct Sent {
  Placing placing{};
  std::int64_t capacity = 1;
  HoldId hold{};  ///< or the first of a group
  std::optional<std::int64_t> part{};
  bool final = false;
  std::vector<GroupItem> items{};
};

[[nodiscard]] inline Sent parameters_in(const Command& command) {
  Sent sent{.hold = hold_named_by(command)};
  if (const auto* placing = command.as<Placing>()) sent.placing = *placing;
  if (const auto* declaring = command.as<Declaring>()) {
    sent.placing.resource = declaring->resource;
    sent.capacity = declaring->capacity;
  }
  if (const auto* confirming = command.as<Confirming>()) {
    sent.part = confirming->quantity;
    sent.final = confirming->final;
  }
  if (const auto* cancelling = command.as<Cancelling>()) sent.part = cancelling->quantity;
  if (const auto* extending = command.as<Extending>()) sent.placing.duration = extending->duration;
  if (const auto* grouping = command.as<Grouping>()) {
    sent.placing.requester = grouping->requester;
    sent.placing.duration = grouping->duration;
    sent.items = grouping->holds;
  }
  if (const auto* confirming = command.as<GroupConfirming>()) sent.hold = confirming->group.first;
  if (const auto* releasing = command.as<GroupReleasing>()) sent.hold = releasing->group.first;
  if (const auto* extending = command.as<GroupExtending>()) {
    sent.hold = extending->group.first;
    sent.placing.duration = extending->duration;
  }
  return sent;
}

/// Names here are plain: they have neither of these signs.
[[nodiscard]] inline std::string text_of(const std::vector<GroupItem>& items) {
  std::string text;
  for (const GroupItem& each : items) text += fmt::format("{}={};", each.resource, each.quantity);
  return text;
}

[[nodiscard]] inline std::string sent_line(std::uint64_t number, const Call& call) {
  const Sent sent = parameters_in(call.command);
  return fmt::format("sent\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{:d}\t{}\n", number,
                     static_cast<int>(call.command.operation()), call.token.bytes(),
                     call.caller.principal, sent.placing.resource, sent.placing.requester,
                     sent.placing.duration.count(), sent.placing.quantity, sent.capacity,
                     sent.hold.ordinal, sent.hold.salt, sent.part.value_or(0), sent.final,
                     text_of(sent.items));
}

[[nodiscard]] inline std::string told_line(std::uint64_t number, const Told& told) {
  return fmt::format("told\t{}\t{}\t{:d}\t{:d}\t{:d}\t{}\n", number,
                     told.rejection ? static_cast<int>(*told.rejection) : 0, told.recorded,
                     told.replayed, told.effect == Effect::unknown, told.words);
}

[[nodiscard]] inline std::vector<std::string_view> fields_of(std::string_view line) {
  std::vector<std::string_view> fields;
  while (true) {
    const std::size_t end = line.find('\t');
    fields.push_back(line.substr(0, end));
    if (end == std::string_view::npos) return fields;
    line.remove_prefix(end + 1);
  }
}

template <typename Number = std::int64_t>
[[nodiscard]] Number number_in(std::string_view field) {
  Number number{};
  std::from_chars(field.data(), field.data() + field.size(), number);
  return number;
}

[[nodiscard]] inline std::vector<GroupItem> items_in(std::string_view text) {
  std::vector<GroupItem> items;
  while (!text.empty()) {
    const std::size_t sign = text.find('=');
    const std::size_t end = text.find(';');
    items.push_back(
        {std::string(text.substr(0, sign)), number_in(text.substr(sign + 1, end - sign - 1))});
    text.remove_prefix(end + 1);
  }
  return items;
}

[[nodiscard]] inline Command command_in(const std::vector<std::string_view>& fields) {
  const std::string resource(fields.at(5));
  const HoldId hold{number_in<std::uint64_t>(fields.at(10)),
                    number_in<std::uint64_t>(fields.at(11))};
  const Duration duration(number_in(fields.at(7)));
  std::optional<std::int64_t> part;
  if (fields.at(12) != "0") part = number_in(fields.at(12));
  switch (operation_numbered(number_in(fields.at(2))).value_or(Operation::none)) {
    case Operation::hold_place:
      return Command::place({.resource = resource,
                             .requester = std::string(fields.at(6)),
                             .duration = duration,
                             .quantity = number_in(fields.at(8))});
    case Operation::hold_confirm:
      return Command(Confirming{.hold = hold, .quantity = part, .final = fields.at(13) == "1"});
    case Operation::hold_extend:
      return Command(Extending{.hold = hold, .duration = duration});
    case Operation::hold_cancel:
      return Command(Cancelling{.hold = hold, .quantity = part});
    case Operation::group_place:
      return Command(Grouping{.requester = std::string(fields.at(6)),
                              .duration = duration,
                              .holds = items_in(fields.at(14))});
    case Operation::group_confirm:
      return Command(GroupConfirming{{hold}});
    case Operation::group_release:
      return Command(GroupReleasing{{hold}});
    case Operation::group_extend:
      return Command(GroupExtending{.group = {hold}, .duration = duration});
    case Operation::hold_release:
      return Command::release(hold);
    case Operation::hold_expire:
      return Command::expire(hold);
    case Operation::resource_declare:
      return Command::declare(resource, number_in(fields.at(9)));
    default:
      return {};
  }
}

[[nodiscard]] inline Call call_in(const std::vector<std::string_view>& fields) {
  return {.command = command_in(fields),
          .token = Token(std::string(fields.at(3))),
          .caller = {.principal = std::string(fields.at(4))}};
}

[[nodiscard]] inline Told told_in(const std::vector<std::string_view>& fields) {
  return {.rejection = rejection_numbered(number_in(fields.at(2))),
          .recorded = fields.at(3) == "1",
          .replayed = fields.at(4) == "1",
          .words = std::string(fields.at(6)),
          .effect = fields.at(5) == "1" ? Effect::unknown : Effect::none};
}

}  // namespace wire
}  // namespace holdfast::test

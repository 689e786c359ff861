#include "cli/reply.hpp"

#include <fmt/format.h>

#include "cli/document.hpp"
#include "cli/failure.hpp"
#include "cli/text.hpp"
#include "domain/execution_document.hpp"
#include "domain/group_document.hpp"
#include "domain/operation.hpp"

namespace holdfast::cli {
namespace {

/// What was done, in one sentence.
std::string sentence(const Answer& answer) {
  if (answer.resource) {
    return fmt::format("{} now has a capacity of {}.", printable(answer.resource->name),
                       number_text(static_cast<std::uint64_t>(answer.resource->capacity)));
  }
  const OperationSpec* spec = find_spec(answer.operation);
  if (answer.status == 202) return "Accepted: it is in progress, and its outcome will follow.";
  if (spec == nullptr || spec->command.done.empty()) return "Done.";
  if (!answer.hold) return std::string(spec->command.done);
  return fmt::format(fmt::runtime(spec->command.done),
                     fmt::arg("resource", printable(answer.hold->resource)),
                     fmt::arg("requester", printable(answer.hold->requester)));
}

/// What to do with the token now. Nothing to say when it could not be a token at all.
std::string token_line(const Answer& answer) {
  if (answer.token.empty() || answer.reason == Reason::token_size) return {};
  const std::string shown = printable(answer.token);
  const std::string option = token_option(answer.token);
  if (answer.collided) {
    return fmt::format("token {} keeps its first answer (see it with: holdfast token {})", shown,
                       shell_quoted(answer.token));
  }
  if (answer.rejection == Rejection::confirmation_required) return {};  // said with the code
  if (answer.recorded || answer.ok()) {
    return fmt::format("token {} (repeat with {} to get this same answer)", shown, option);
  }
  if (answer.effect == Effect::unknown) {
    return fmt::format("token {} (whether it was done is not known: repeat with {} to learn it)",
                       shown, option);
  }
  return fmt::format("token {} (this call did nothing; repeat with {})", shown, option);
}

/// How to confirm; nothing when that is not what is missing.
std::string confirmation_line(const Answer& answer, Instant now) {
  if (answer.confirmation.empty()) return {};
  const std::string token = answer.token.empty() ? "" : token_option(answer.token) + " ";
  return fmt::format("confirmation {} is good until {}; repeat with {}--confirmation {}",
                     printable(answer.confirmation), moment_text(answer.confirmation_expires, now),
                     token, shell_quoted(answer.confirmation));
}

void print_replay_note(Output& out, const Answer& answer) {
  if (!answer.replayed) return;
  out.line(out.paint(Colour::yellow,
                     "This is a replay: an earlier call with this token got this answer, and "
                     "nothing was changed now."));
}

void print_done(Context& context, const Answer& answer) {
  Output& out = context.out;
  out.line(out.paint(Colour::green, sentence(answer)));
  print_replay_note(out, answer);
  if (answer.hold) {
    out.line();
    print_hold(context, *answer.hold);
  }
  if (const auto group = group_in(answer)) {
    out.line();
    print_group(context, *group);
  } else if (!answer.document.empty()) {
    out.line();
    Table table = facts();
    add_members(table, answer.document);
    table.print(out);
  }
  const std::string token = token_line(answer);
  if (token.empty()) return;  // it has none of its own
  out.line();
  out.line(out.paint(Colour::dim, token));
}

/// What is missing or wrong with a command.
void print_execution(Output& err, const Answer& answer) {
  const std::string execution = execution_in(answer.document);
  if (execution.empty()) return;
  Table table = facts();
  add_members(table, execution);
  table.print(err);
}

void print_refused(Context& context, const Answer& answer) {
  Output& err = context.err;
  err.line(fmt::format("{} {}", err.paint(Colour::red, "holdfast:"), printable(answer.text())));
  for (const Shortage& each : shortages_of(answer.document)) {
    err.line(fmt::format("  {}: {} asked, {} free", printable(each.resource),
                         number_text(static_cast<std::uint64_t>(each.asked)),
                         number_text(static_cast<std::uint64_t>(each.free))));
  }
  print_execution(err, answer);
  print_replay_note(err, answer);
  const std::string confirmation = confirmation_line(answer, context.now());
  if (!confirmation.empty()) err.line(confirmation);
  const std::string token = token_line(answer);
  if (!token.empty()) err.line(err.paint(Colour::dim, token));
}

}  // namespace

int reply(Context& context, const Answer& answer) {
  context.token_used = answer.token;
  if (context.settings.json) {
    const std::string body = answer_body(answer);
    Envelope envelope{.body = body, .status = http_status(answer), .replayed = answer.replayed};
    const bool derived = answer.token.empty() && !context.token_given;
    if (!derived) envelope.token = answer.token;
    print_json(context.out, envelope);
  } else if (answer.ok()) {
    print_done(context, answer);
  } else {
    print_refused(context, answer);
  }
  return answer.ok() ? 0 : exit_code(*answer.rejection);
}

void print_hold(Context& context, const Hold& hold, bool lapsed) {
  const Instant now = context.now();
  Table table = facts();
  table.add({{"hold"}, {hold.id.text(), Colour::bold}});
  table.add({{"resource"}, {hold.resource}});
  table.add({{"requester"}, {hold.requester}});
  table.add({{"quantity"}, {number_text(static_cast<std::uint64_t>(hold.quantity))}});
  const auto part = [&](std::string_view name, std::int64_t quantity) {
    if (quantity != 0 && quantity != hold.quantity)
      table.add({{std::string(name)}, {number_text(static_cast<std::uint64_t>(quantity))}});
  };
  part("  confirmed", hold.quantity_confirmed);
  part("  released", hold.quantity_released());
  if (hold.quantity_cancelled != 0)
    table.add(
        {{"  cancelled"}, {number_text(static_cast<std::uint64_t>(hold.quantity_cancelled))}});
  table.add({{"state"}, state_cell(hold.state, lapsed)});
  if (hold.group) table.add({{"group"}, {hold.group->text()}});
  table.add({{"placed"}, {moment_text(hold.placed_at, now)}});
  const bool over = hold.state != HoldState::held || hold.expires_at <= now;
  table.add({{over ? "expiry" : "expires"}, {moment_text(hold.expires_at, now)}});
  if (hold.resolved_at) {
    table.add({{std::string(name(hold.state))}, {moment_text(*hold.resolved_at, now)}});
  }
  table.print(context.out);
}

void print_group(Context& context, const Group& group) {
  Table facts_of_group = facts();
  facts_of_group.add({{"group"}, {group.id.text(), Colour::bold}});
  facts_of_group.print(context.out);
  for (const Hold& each : group.holds) {
    context.out.line();
    print_hold(context, each);
  }
}

Cell state_cell(HoldState state, bool lapsed) {
  if (lapsed) return {"held, lapsed", Colour::yellow};
  switch (state) {
    case HoldState::held:
      return {"held", Colour::cyan};
    case HoldState::confirmed:
      return {"confirmed", Colour::green};
    case HoldState::released:
      return {"released", Colour::dim};
    case HoldState::expired:
      return {"expired", Colour::dim};
  }
  return {};
}

Table facts() { return Table({{}, {}}, "  "); }

}  // namespace holdfast::cli

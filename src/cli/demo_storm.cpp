#include "cli/demo_storm.hpp"

#include <fmt/format.h>

#include <array>

#include "cli/progress.hpp"
#include "cli/text.hpp"
#include "wire/body.hpp"

namespace holdfast::cli {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

/// Calls that arrive within this long reach the engine together, as they would in a real burst.
constexpr Duration tick = seconds(3);

constexpr unsigned doubled_percent = 12;
constexpr unsigned straggler_percent = 8;

/// After so many attempts the weather clears, so that every client gets its answer well within the
/// tokens' ten minutes.
constexpr unsigned attempts_max = 7;

// What clients do with a room they hold; the rest walk away and let it lapse.
constexpr unsigned confirm_percent = 55;
constexpr unsigned release_percent = 25;
constexpr unsigned careless_percent = 4;  ///< first try to confirm with the token of the place

constexpr unsigned rooms_tried_max = 3;

std::string room_name(std::uint64_t number) { return fmt::format("room_{:03}", number); }

}  // namespace

std::uint64_t Dice::below(std::uint64_t bound) {
  std::array<std::uint8_t, 8> bytes{};
  random_->fill(bytes);
  std::uint64_t number = 0;
  for (const std::uint8_t byte : bytes) number = (number << 8U) | byte;
  return number % bound;
}

Duration Dice::between(Duration low, Duration high) {
  return low + Duration(static_cast<std::int64_t>(
                   below(static_cast<std::uint64_t>((high - low).count()))));
}

Storm::Storm(const Stage& stage, std::size_t clients)
    : stage_(stage), dice_(seeded_random(stage.seed + 1)), rooms_(clients), rooms_tried_(clients) {
  for (std::size_t client = 0; client < clients; ++client) {
    want_room(client, dice_.between(seconds(0), minutes(4)));
  }
}

void Storm::plan(Event event) {
  event.order = planned_++;
  events_.push(event);
}

void Storm::intend(std::size_t client, Command command, Token token, Duration after) {
  intents_.push_back({.client = client, .command = std::move(command), .token = std::move(token)});
  plan({.at = stage_.clock->now() + after, .intent = intents_.size() - 1});
}

void Storm::want_room(std::size_t client, Duration after) {
  ++rooms_tried_[client];
  intend(client,
         Command::place({.resource = room_name(dice_.below(rooms_)),
                         .requester = fmt::format("client_{:03}", client),
                         .duration = dice_.between(minutes(4), minutes(12))}),
         dice_.token(), after);
}

/// A client sends; the network decides what becomes of it.
void Storm::send(std::size_t index) {
  Intent& intent = intents_[index];
  if (intent.has_answer) return;
  const bool clear = ++intent.attempts >= attempts_max;
  const Instant now = stage_.clock->now();
  const Duration patience = dice_.between(seconds(4), seconds(10)) * intent.attempts;
  ++tally_.sent;
  plan({.at = now + patience, .intent = index});  // asks again unless answered by then
  if (!clear && dice_.chance(request_lost_percent)) {
    ++tally_.requests_lost;
    return;
  }
  plan({.at = now,
        .intent = index,
        .arrival = true,
        .heard = clear || !dice_.chance(answer_lost_percent)});
  const bool twice = dice_.chance(doubled_percent);
  if (!twice && !dice_.chance(straggler_percent)) return;
  ++tally_.copies;
  const Duration delay = twice ? Duration::zero() : dice_.between(seconds(5), minutes(1));
  plan({.at = now + delay, .intent = index, .arrival = true});
}

void Storm::answered(const Event& event, const Answer& answer) {
  Intent& intent = intents_[event.intent];
  const std::string body = answer_body(answer);
  if (intent.first_body.empty()) {
    intent.first_body = body;
    intent.done = answer.ok();
  } else if (intent.first_body != body) {
    ++tally_.different;
  }
  if (answer.replayed) ++tally_.replays;
  if (answer.replayed && answer.ok()) ++tally_.doubles_averted;
  if (answer.rejection == Rejection::token_collision) ++tally_.collisions;
  if (!event.heard) {
    ++tally_.answers_lost;
  } else if (!intent.has_answer) {
    intent.has_answer = true;
    carry_on(event.intent, answer);
  }
}

/// What a client does once it knows.
void Storm::carry_on(std::size_t index, const Answer& answer) {
  const Intent intent = intents_[index];
  if (answer.rejection == Rejection::token_collision) {  // now properly, with a token of its own
    return intend(intent.client, intent.command, dice_.token(), seconds(2));
  }
  if (intent.command.operation() != Operation::hold_place) return;
  if (!answer.ok()) {
    if (rooms_tried_[intent.client] < rooms_tried_max) want_room(intent.client, seconds(10));
    return;
  }
  const HoldId id = answer.hold->id;
  const Duration thinking = dice_.between(seconds(30), minutes(6));
  const std::uint64_t mind = dice_.below(100);
  if (mind < confirm_percent) {
    const Token token = dice_.chance(careless_percent) ? intent.token : dice_.token();
    intend(intent.client, Command::confirm(id), token, thinking);
  } else if (mind < confirm_percent + release_percent) {
    intend(intent.client, Command::release(id), dice_.token(), thinking);
  }
}

void Storm::submit_tick(Holdfast& holdfast, std::vector<Event> arrivals) {
  std::vector<Call> calls;
  for (const Event& each : arrivals) {
    const Intent& intent = intents_[each.intent];
    calls.push_back({.command = intent.command, .token = intent.token});
  }
  tally_.arrived += calls.size();
  const std::vector<Answer> answers = holdfast.submit(std::move(calls));
  for (std::size_t i = 0; i < answers.size(); ++i) answered(arrivals[i], answers[i]);
}

Result<void> Storm::run(Holdfast& holdfast) {
  ProgressLine progress(stage_.context.err);
  const Instant restart_at = stage_.clock->now() + minutes(4);
  while (!events_.empty() && !interrupted()) {
    stage_.clock->set(std::max(stage_.clock->now(), events_.top().at));
    const Instant until = stage_.clock->now() + tick;
    std::vector<Event> arrivals;
    while (!events_.empty() && events_.top().at <= until) {
      const Event event = events_.top();
      events_.pop();
      if (event.arrival) {
        arrivals.push_back(event);
      } else {
        send(event.intent);
      }
    }
    stage_.clock->set(until);
    if (!arrivals.empty()) submit_tick(holdfast, std::move(arrivals));
    progress.show(fmt::format("{}  {} sent", stage_.time(), count_text(tally_.sent, "call")));
    if (tally_.restarts == 0 && until >= restart_at) {
      { const Holdfast closing = std::move(holdfast); }
      auto reopened = stage_.open();
      if (!reopened) return tl::unexpected(reopened.error());
      holdfast = std::move(*reopened);
      ++tally_.restarts;
    }
  }
  stage_.clock->advance(minutes(13));  // past every expiry
  holdfast.sweep();
  return {};
}

}  // namespace holdfast::cli

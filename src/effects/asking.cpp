#include "effects/asking.hpp"

#include <algorithm>

#include "holdfast/commands.hpp"

namespace holdfast::effects {
namespace {

constexpr Duration again_min = std::chrono::milliseconds(50);
constexpr Duration again_max = std::chrono::seconds(1);

bool is_answer(const Call& call, const Answer& answer) {
  if (!answer.rejection) return true;
  switch (*answer.rejection) {
    case Rejection::store_unavailable:
    case Rejection::overloaded:
      return false;
    case Rejection::in_progress:  // of a submission: its command is
      return call.command.as<Submitting>() != nullptr;
    default:
      return true;
  }
}

}  // namespace

void Asking::ask(Call call, Then then) {
  questions_.push_front({.call = std::move(call), .then = std::move(then)});
  submit(questions_.begin());
}

void Asking::submit(Place question) {
  if (!question->may_be_done) question->since = time_now();
  question->again_at = Time::max();
  service_.submit(question->call, [this, mailbox = mailbox_, question](const Answer& answer) {
    mailbox->post([this, question, answer] { answered(question, answer); });
  });
}

void Asking::answered(Place question, Answer answer) {
  if (!is_answer(question->call, answer)) {
    const Duration pause = again_min * (1 << std::min(question->tries++, 5));
    question->may_be_done = question->may_be_done || answer.effect == Effect::unknown ||
                            answer.rejection == Rejection::in_progress;
    question->again_at = time_now() + std::min(pause, again_max);
    return;
  }
  const Then then = std::move(question->then);
  const Told told{.answer = std::move(answer), .since = question->since};
  questions_.erase(question);
  then(told);
}

void Asking::ask_again(Time now) {
  for (auto each = questions_.begin(); each != questions_.end(); ++each) {
    if (each->again_at <= now) submit(each);
  }
}

}  // namespace holdfast::effects

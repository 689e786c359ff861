#include <fmt/format.h>

#include "cli/demo.hpp"
#include "cli/text.hpp"
#include "wire/body.hpp"

namespace holdfast::cli {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

/// Tells the story, one call after the other, and remembers whether it went as it should.
class Hotel {
 public:
  Hotel(const Stage& stage, Holdfast& holdfast) : stage_(stage), holdfast_(holdfast) {}

  void step(int number, std::string_view text) {
    const Output& out = stage_.context.out;
    stage_.say();
    stage_.say(fmt::format("{} {}  {}", out.paint(Colour::bold, fmt::format("{}.", number)),
                           out.paint(Colour::dim, stage_.time()), text));
  }

  void wait(Duration span) { stage_.clock->advance(span); }

  Answer place(const std::string& token) {
    show_call(fmt::format("hold room_307 guest_g91 24h --token {}", token));
    return show(holdfast_.place(
        {.resource = "room_307", .requester = "guest_g91", .duration = hours(24)}, Token(token)));
  }

  Answer confirm(HoldId id, const std::string& token) {
    show_call(fmt::format("confirm {} --token {}", id.text(), token));
    return show(holdfast_.confirm(id, Token(token)));
  }

  /// What this should have come to; the story is worth nothing if it did not.
  void expect(bool held) {
    if (!held) stage_.say(stage_.context.out.paint(Colour::red, "     NOT AS EXPECTED"));
    as_expected_ = as_expected_ && held;
  }

  [[nodiscard]] bool as_expected() const { return as_expected_; }

 private:
  void show_call(const std::string& words) const { stage_.say("     $ holdfast " + words); }

  Answer show(Answer answer) const {
    const Output& out = stage_.context.out;
    const std::string text =
        answer.rejection
            ? fmt::format("{}: {}", name(*answer.rejection), row(*answer.rejection).title)
            : fmt::format("{}, {}", name(answer.hold->state), answer.hold->id.text());
    const std::string replay =
        answer.replayed ? out.paint(Colour::yellow, "  [replayed: the first answer again]") : "";
    stage_.say(fmt::format("     → {}{}",
                           out.paint(answer.ok() ? Colour::green : Colour::red, text), replay));
    return answer;
  }

  const Stage& stage_;
  Holdfast& holdfast_;
  bool as_expected_ = true;
};

bool same_words(const Answer& one, const Answer& other) {
  return answer_body(one) == answer_body(other);
}

}  // namespace

bool play_hotel(const Stage& stage, Holdfast& holdfast) {
  Hotel hotel(stage, holdfast);
  stage.say(stage.context.out.paint(Colour::bold, "Act one: a room, a guest and a bad network"));
  stage.say("The clock is simulated. This store remembers a token for 10 minutes.");

  hotel.step(1, "A guest asks for room 307. The answer is lost on its way back.");
  const Answer first = hotel.place("idem_x73a");
  hotel.expect(first.ok() && !first.replayed);
  if (!first.ok()) return false;
  const HoldId id = first.hold->id;

  hotel.wait(seconds(5));
  hotel.step(2, "Not knowing whether it worked, the guest's phone asks again with the same token.");
  const Answer again = hotel.place("idem_x73a");
  hotel.expect(again.replayed && same_words(first, again));

  hotel.wait(seconds(10));
  hotel.step(3, "And twice more. It is still one hold: the room was asked for once.");
  for (int i = 0; i < 2; ++i) {
    const Answer more = hotel.place("idem_x73a");
    hotel.expect(more.replayed && same_words(first, more));
  }

  hotel.wait(hours(2));
  hotel.step(4, "Two hours later the guest pays: a new change, so a new token.");
  const Answer paid = hotel.confirm(id, "idem_y22");
  hotel.expect(paid.ok() && !paid.replayed);

  hotel.wait(seconds(3));
  hotel.step(5,
             "The browser's back button sends it again. Run twice, it would be refused: the hold\n"
             "             is no longer held. The token brings back the first answer instead.");
  const Answer back = hotel.confirm(id, "idem_y22");
  hotel.expect(back.ok() && back.replayed && same_words(paid, back));

  hotel.wait(minutes(11));
  hotel.step(6,
             "Eleven minutes on, the very first request turns up once more. Its token is\n"
             "             forgotten, so it is a new request; and by now the room is taken.");
  const Answer late = hotel.place("idem_x73a");
  hotel.expect(late.rejection == Rejection::resource_unavailable && !late.replayed);
  return hotel.as_expected();
}

}  // namespace holdfast::cli

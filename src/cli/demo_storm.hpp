#pragma once

#include <map>
#include <queue>
#include <string>
#include <vector>

#include "cli/demo.hpp"

namespace holdfast::cli {

/// Chance, the same for the same seed.
class Dice {
 public:
  explicit Dice(std::shared_ptr<Random> random) : random_(std::move(random)) {}
  [[nodiscard]] std::uint64_t below(std::uint64_t bound);
  [[nodiscard]] bool chance(unsigned percent) { return below(100) < percent; }
  [[nodiscard]] Duration between(Duration low, Duration high);
  [[nodiscard]] Token token() { return Token::fresh(*random_); }

 private:
  std::shared_ptr<Random> random_;
};

/// How bad the network is, in percent of calls.
inline constexpr unsigned request_lost_percent = 15;
inline constexpr unsigned answer_lost_percent = 30;

/// One change somebody wants to happen once, however many calls it takes.
struct Intent {
  std::size_t client = 0;
  Command command;
  Token token;
  unsigned attempts = 0;
  bool has_answer = false;   ///< the client has its answer
  std::string first_body{};  ///< the first answer, word for word
  bool done = false;         ///< that answer was a success
};

/// What the network did, and what the engine answered.
struct Tally {
  std::uint64_t sent = 0;           ///< by clients, first tries and retries
  std::uint64_t requests_lost = 0;  ///< never reached the engine
  std::uint64_t copies = 0;         ///< double clicks and stray duplicates
  std::uint64_t arrived = 0;        ///< at the engine
  std::uint64_t answers_lost = 0;   ///< answered, but the answer never came back
  std::uint64_t replays = 0;
  std::uint64_t collisions = 0;
  std::uint64_t doubles_averted = 0;  ///< replays of changes that had been made
  std::uint64_t different = 0;        ///< answers that were not the first one, word for word
  std::uint64_t restarts = 0;
};

/// Act two: clients that want rooms over a network that loses requests and answers, doubles and
/// delays them. Everything but the engine and its file is simulated, so minutes take moments.
class Storm {
 public:
  Storm(const Stage& stage, std::size_t clients);

  /// Plays to the end: until every client has all its answers. Restarts the engine on the way.
  [[nodiscard]] Result<void> run(Holdfast& holdfast);

  [[nodiscard]] const Tally& tally() const { return tally_; }
  [[nodiscard]] const std::vector<Intent>& intents() const { return intents_; }

 private:
  /// Something that is going to happen: a client sends, or a request arrives.
  struct Event {
    Instant at;
    std::uint64_t order = 0;  ///< of two at one instant, the one planned first comes first
    std::size_t intent = 0;
    bool arrival = false;
    bool heard = false;  ///< of an arrival: its answer gets back to the client
    bool operator>(const Event& other) const {
      return at != other.at ? at > other.at : order > other.order;
    }
  };

  void plan(Event event);
  void intend(std::size_t client, Command command, Token token, Duration after);
  void want_room(std::size_t client, Duration after);
  void send(std::size_t intent);
  void answered(const Event& event, const Answer& answer);
  void carry_on(std::size_t intent, const Answer& answer);
  void submit_tick(Holdfast& holdfast, std::vector<Event> arrivals);

  const Stage& stage_;
  Dice dice_;
  std::size_t rooms_;
  Tally tally_;
  std::vector<Intent> intents_;
  std::vector<unsigned> rooms_tried_;  ///< by client
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
  std::uint64_t planned_ = 0;
};

}  // namespace holdfast::cli

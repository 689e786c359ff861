#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "effects/circuit.hpp"

namespace holdfast::effects {

[[nodiscard]] std::string_view name(Verdict verdict);

/// An attempt, or a question about one, that ended.
struct Attempt {
  std::string id;           ///< of the command
  std::string command;      ///< entity and action
  std::string traceparent;  ///< what the request had as that; empty: nothing
  std::string provider;
  commands::Stage stage = commands::Stage::call;
  Verdict verdict = Verdict::unknown;
  std::chrono::nanoseconds took{};
};

/// What a dispatcher did for one provider since it was started, and how it stands.
struct Figures {
  std::uint64_t leased = 0;
  std::uint64_t done = 0;
  std::uint64_t refused = 0;
  std::uint64_t retry = 0;    ///< attempts that certainly came to nothing
  std::uint64_t unknown = 0;  ///< attempts of which nobody knows
  std::uint64_t late = 0;     ///< reports that were refused: the lease was another's
  std::size_t in_flight = 0;
  Circuit::State circuit = Circuit::State::closed;
};

/// Who wants to know, on the dispatcher's thread. Must not block.
struct Watchers {
  std::function<void(const Attempt&)> ended{};
  /// A report made a command fail: its effect is given up.
  std::function<void(const std::string& command, const std::string& provider)> died{};
};

using FiguresByProvider = std::map<std::string, Figures>;

}  // namespace holdfast::effects

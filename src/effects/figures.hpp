#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "effects/circuit.hpp"

namespace holdfast::effects {

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

using FiguresByProvider = std::map<std::string, Figures>;

}  // namespace holdfast::effects

#pragma once

#include <utility>

#include "support/journals/planted.hpp"

namespace holdfast::test {

/// Collects planted violations.
class Plants {
 public:
  template <typename Write>
  void add(std::string name, std::vector<std::string> broken, const Write& write) {
    Planted& planted = plants_.emplace_back();
    planted.name = std::move(name);
    planted.broken = std::move(broken);
    write(planted.history);
  }
  [[nodiscard]] std::vector<Planted> take() { return std::move(plants_); }

 private:
  std::vector<Planted> plants_;
};

/// Those of holds that change while they stand, and of groups.
void plant_changes(Plants& plants);
/// Those of commands and their effects.
void plant_commands(Plants& plants);
/// Those of subscriptions.
void plant_subscriptions(Plants& plants);
/// Those of stores whose window is changed.
void plant_windows(Plants& plants);

}  // namespace holdfast::test

#pragma once

#include <functional>
#include <set>
#include <string>

#include "engine/service.hpp"

namespace holdfast::effects {

/// What of a batch that became durable may be something to do: effects of these providers, by name,
/// or of any.
struct Stir {
  std::set<std::string, std::less<>> providers{};
  bool any = false;

  [[nodiscard]] bool empty() const { return !any && providers.empty(); }
  void add(Stir other) {
    any = any || other.any;
    providers.merge(other.providers);
  }
};

/// A dispatcher's own reports stir nothing: it knows what they may lead to.
[[nodiscard]] Stir stir_of(const BatchReport& batch);

}  // namespace holdfast::effects

#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace holdfast::schema {

/// Where one is in a value: a chain of steps on the stack, written out only when somebody asks.
/// Whoever makes a step keeps the place it starts from.
struct Place {
  const Place* up = nullptr;
  bool named = false;
  std::string_view name;
  std::size_t index = 0;

  [[nodiscard]] Place member(std::string_view step) const { return {this, true, step, 0}; }
  [[nodiscard]] Place item(std::size_t step) const { return {this, false, {}, step}; }
};

/// As a JSON Pointer.
[[nodiscard]] std::string pointer_to(const Place& place);

}  // namespace holdfast::schema

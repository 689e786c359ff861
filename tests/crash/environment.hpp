#pragma once

#include <cstdint>
#include <cstdlib>

namespace holdfast::test {

/// A number for a longer or another run, from the variable of that name.
[[nodiscard]] inline std::uint64_t from_environment(const char* name, std::uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

}  // namespace holdfast::test

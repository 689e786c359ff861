// Any bytes are either refused or have a canonical form, and that form is its own canonical form.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/assert.hpp"
#include "base/utf8.hpp"
#include "domain/canonical.hpp"

// NOLINTNEXTLINE(readability-identifier-naming): libFuzzer chose the name.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto once = holdfast::canonicalize(text);
  if (!once) {
    HOLDFAST_ASSERT(!once.error().message.empty());
    HOLDFAST_ASSERT(holdfast::is_valid_utf8(once.error().pointer));
    return 0;
  }
  HOLDFAST_ASSERT(holdfast::is_valid_utf8(*once));
  const auto twice = holdfast::canonicalize(*once, {.depth = 32, .bytes = once->size()});
  HOLDFAST_ASSERT(twice.has_value());
  HOLDFAST_ASSERT(*twice == *once);
  return 0;
}

// Any bytes as a file of settings are either refused, each reason on one line, or give every
// setting a value that would be taken again.

#include "settings/configuration.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/assert.hpp"

// NOLINTNEXTLINE(readability-identifier-naming): libFuzzer chose the name.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto configuration = holdfast::http::configure_from(text, "fuzz.toml", {});
  if (!configuration) {
    HOLDFAST_ASSERT(!configuration.error().empty());
    for (const std::string& each : configuration.error()) {
      HOLDFAST_ASSERT(!each.empty() && each.find('\n') == std::string::npos);
    }
    return 0;
  }
  HOLDFAST_ASSERT(configuration->effective.size() == holdfast::http::setting_table().size());
  for (const holdfast::http::Effective& each : configuration->effective) {
    holdfast::http::Settings scratch;
    HOLDFAST_ASSERT(each.value.empty() || each.setting->set(scratch, each.value));
  }
  return 0;
}

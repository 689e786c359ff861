#include "base/assert.hpp"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>

namespace holdfast {

void assertion_failed(const char* condition, const char* file, int line) {
  char text[512];
  const int size = std::snprintf(text, sizeof text,
                                 "holdfast: a bug: %s does not hold (%s:%d). Stopping, so that "
                                 "nothing wrong is written.\n",
                                 condition, file, line);
  if (size > 0) {
    const auto bytes = static_cast<std::size_t>(size) < sizeof text ? static_cast<std::size_t>(size)
                                                                    : sizeof text - 1;
    [[maybe_unused]] const auto written = ::write(STDERR_FILENO, text, bytes);
  }
  std::abort();
}

}  // namespace holdfast

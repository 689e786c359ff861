// Upgrades a store, or gives it a window of so many microseconds, and kills itself with SIGKILL
// before a step of that. Ends by itself if there are fewer.
//
//   upgrade_worker STORE STEP [WINDOW]

#include <csignal>
#include <cstdlib>
#include <iostream>

#include "store/open.hpp"

namespace {

template <typename Result>
int end(const Result& result) {
  if (result) return 0;
  std::cout << result.error().message << std::endl;
  return 1;
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 3 && count != 4) return 2;
  std::uint64_t left = std::strtoull(arguments[2], nullptr, 10);
  const holdfast::StepObserver kill = [&](std::string_view) {
    if (--left == 0) ::raise(SIGKILL);
  };
  if (count == 3) return end(holdfast::upgrade_store({.store = arguments[1], .before_step = kill}));
  const holdfast::Duration window(std::strtoll(arguments[3], nullptr, 10));
  return end(holdfast::change_store_window(
      {.store = arguments[1], .window = window, .agreed = true, .before_step = kill}));
}

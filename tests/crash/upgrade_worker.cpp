// Upgrades a store and kills itself with SIGKILL before a step of that. Ends by itself if there are
// fewer.
//
//   upgrade_worker STORE STEP

#include <csignal>
#include <cstdlib>
#include <iostream>

#include "store/open.hpp"

int main(int count, char** arguments) {
  if (count != 3) return 2;
  std::uint64_t left = std::strtoull(arguments[2], nullptr, 10);
  const auto done =
      holdfast::upgrade_store({.store = arguments[1], .before_step = [&](std::string_view) {
                                 if (--left == 0) ::raise(SIGKILL);
                               }});
  if (done) return 0;
  std::cout << done.error().message << std::endl;
  return 1;
}

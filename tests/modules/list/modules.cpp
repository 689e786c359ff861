// The modules of the tests' programs: those of ours, and two to try them with.

#include <array>

#include "domain/module.hpp"
#include "modules/commands/commands.hpp"
#include "modules/counter/counter.hpp"
#include "modules/holds/holds.hpp"
#include "modules/pool/pool.hpp"
#include "modules/subscriptions/subscriptions.hpp"
#include "modules/webhooks/webhooks.hpp"

namespace holdfast {

std::span<const Module* const> modules() {
  static constexpr std::array list{&holds::module,         &commands::module, &webhooks::module,
                                   &subscriptions::module, &counter::module,  &pool::module};
  return list;
}

}  // namespace holdfast

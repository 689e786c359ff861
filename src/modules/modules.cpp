// The modules, in order. A new one is added here and nowhere else.

#include <array>

#include "domain/module.hpp"
#include "modules/commands/commands.hpp"
#include "modules/holds/holds.hpp"
#include "modules/subscriptions/subscriptions.hpp"
#include "modules/webhooks/webhooks.hpp"

namespace holdfast {

std::span<const Module* const> modules() {
  static constexpr std::array list{&holds::module, &commands::module, &webhooks::module,
                                   &subscriptions::module};
  return list;
}

}  // namespace holdfast

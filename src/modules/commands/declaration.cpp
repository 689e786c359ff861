#include "modules/commands/declaration.hpp"

#include <array>

#include "base/assert.hpp"

namespace holdfast::commands {
namespace {

/// The name at the value's place. A value that is none of the enum's is a bug.
template <std::size_t count, typename Enum>
std::string_view nth(const std::array<std::string_view, count>& names, Enum value) {
  const auto place = static_cast<std::size_t>(value);
  HOLDFAST_ASSERT(place < count);
  return names[place];
}

using Names3 = std::array<std::string_view, 3>;
using Names4 = std::array<std::string_view, 4>;
using Names5 = std::array<std::string_view, 5>;

}  // namespace

std::string_view name(CommandClass value) { return nth(Names4{"I0", "I1", "I2", "I3"}, value); }

std::string_view name(KeyOrigin value) { return nth(Names3{"client", "derived", "both"}, value); }

std::string_view name(BindingPrincipal value) {
  return nth(std::array<std::string_view, 2>{"actor_id", "effective_actor_id"}, value);
}

std::string_view name(ConfirmBy value) { return nth(Names3{"nobody", "self", "other"}, value); }

std::string_view name(Shield value) { return nth(Names5{"none", "S1", "S2", "S3", "S4"}, value); }

std::string_view name(EffectKind value) {
  return nth(Names4{"none", "push", "pull", "handler"}, value);
}

}  // namespace holdfast::commands

#include <fmt/format.h>

#include "registry/drafts.hpp"

namespace holdfast::registry {
namespace {

template <typename T>
std::string table_of(std::string_view name, std::span<const Member<T>> members) {
  std::string text = fmt::format("### `{}`\n\n| member | default | write | what it is |\n", name);
  text += "| --- | --- | --- | --- |\n";
  for (const Member<T>& each : members)
    text +=
        fmt::format("| `{}` | {} | {} | {} |\n", each.name, each.usual, each.allowed, each.meaning);
  return text;
}

}  // namespace

std::string registry_reference() {
  return table_of("[[command]]", command_members()) + "\n" +
         table_of("[command.effect]", effect_members()) + "\n" +
         table_of("[command.effect.probe]", probe_members()) + "\n" +
         table_of("[[provider]]", provider_members()) + "\n" +
         table_of("[[webhook]]", webhook_members());
}

}  // namespace holdfast::registry

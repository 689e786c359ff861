#include <set>

#include "modules/commands/template.hpp"
#include "modules/webhooks/source.hpp"
#include "registry/registry.hpp"

namespace holdfast::registry {
namespace {

void add(const commands::RequestTemplate& request, std::set<std::string>& names) {
  if (request.parsed == nullptr) return;
  for (std::string& each : request.parsed->secrets()) names.insert(std::move(each));
}

}  // namespace

std::vector<std::string> secrets_named(const commands::Registry& registry) {
  std::set<std::string> names;
  for (const auto& [name, command] : registry.commands) {
    add(command->effect.request, names);
    if (command->effect.probe) add(command->effect.probe->request, names);
  }
  if (registry.webhooks != nullptr) {
    for (const auto& [name, source] : registry.webhooks->by_name)
      names.insert(source->secrets.begin(), source->secrets.end());
  }
  return {names.begin(), names.end()};
}

}  // namespace holdfast::registry

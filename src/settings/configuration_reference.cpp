#include <fmt/format.h>

#include "settings/configuration.hpp"

namespace holdfast::http {

std::string settings_reference() {
  std::string text = "| setting | default | write | what it is |\n| --- | --- | --- | --- |\n";
  const Settings defaults;
  for (const Setting& each : setting_table()) {
    const std::string value = each.show(defaults);
    text += fmt::format("| `{}` | {} | {} | {} |\n", each.name,
                        value.empty() ? each.unset : fmt::format("`{}`", value), each.allowed,
                        each.help);
  }
  return text;
}

}  // namespace holdfast::http

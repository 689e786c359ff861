#include "settings/setting_sources.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>

#include "settings/nearest_name.hpp"

namespace holdfast::http {
namespace {

/// The window by another name, weaker than `HOLDFAST_WINDOW`.
constexpr std::string_view ttl_variable = "HOLDFAST_IDEMPOTENCY_TTL_HOURS";

/// Variables of ours that are not settings of the service: where the settings are, and what the
/// command line needs as a client.
constexpr std::array<std::string_view, 3> other_variables{"HOLDFAST_CONFIG", "HOLDFAST_SERVER",
                                                          "HOLDFAST_KEY"};

std::vector<std::string> known_variables() {
  std::vector<std::string> names(other_variables.begin(), other_variables.end());
  names.emplace_back(ttl_variable);
  for (const Setting& each : setting_table()) names.push_back(each.variable());
  return names;
}

std::vector<std::string> known_flags() {
  std::vector<std::string> names{"--config"};
  for (const Setting& each : setting_table()) names.push_back("--" + each.name);
  return names;
}

const Setting* setting_of_variable(std::string_view variable) {
  for (const Setting& each : setting_table()) {
    if (each.variable() == variable) return &each;
  }
  return nullptr;
}

/// `0.5` → `1800000000us`.
std::optional<std::string> hours_as_duration(const std::string& text) {
  constexpr double hour_us = 3.6e9;
  const char* end = text.data() + text.size();
  double number = 0;
  const auto parsed = std::from_chars(text.data(), end, number, std::chars_format::fixed);
  const double us = std::round(number * hour_us);
  const bool fits = us >= 0 && us < 9e18;  // false also for what is not a number
  if (parsed.ec != std::errc() || parsed.ptr != end || !fits) return std::nullopt;
  return fmt::format("{}us", static_cast<std::int64_t>(us));
}

std::optional<Given> given_by_ttl(const std::string& hours, Errors& errors) {
  const Setting* window = setting_named("window");
  const auto duration = hours_as_duration(hours);
  Settings scratch;
  if (duration && window->set(scratch, *duration)) {
    return Given{window, Form::words, *duration, std::string(ttl_variable)};
  }
  errors.push_back(fmt::format(
      "{}: the window cannot be {} hours; write a number such as 24 or 0.5. It stands for {}: {}",
      ttl_variable, hours.substr(0, 100), window->name, window->allowed));
  return std::nullopt;
}

}  // namespace

std::string unknown_name(std::string_view what, std::string_view name,
                         const std::vector<std::string>& known) {
  for (const MissingSetting& each : missing_settings()) {
    if (name == each.name || name == "--" + each.name || name == each.variable)
      return fmt::format("{} is not a {}: {}", name, what, each.why);
  }
  return fmt::format("{} is not a {}; did you mean {}?", name, what, nearest_name(name, known));
}

std::vector<Given> given_by_environment(const NamedValues& environment, Errors& errors) {
  std::vector<Given> all;
  for (const auto& [variable, value] : environment) {
    if (!variable.starts_with("HOLDFAST_") || value.empty()) continue;
    if (variable == ttl_variable) {
      const auto window = given_by_ttl(value, errors);
      if (window) all.insert(all.begin(), *window);
    } else if (const Setting* setting = setting_of_variable(variable)) {
      all.push_back({.setting = setting, .form = Form::words, .text = value, .from = variable});
    } else if (std::find(other_variables.begin(), other_variables.end(), variable) ==
               other_variables.end()) {
      errors.push_back(unknown_name("variable holdfast knows", variable, known_variables()));
    }
  }
  return all;
}

std::vector<Given> given_by_flags(const NamedValues& flags, Errors& errors) {
  std::vector<Given> all;
  for (const auto& [name, value] : flags) {
    if (const Setting* setting = setting_named(name)) {
      all.push_back({.setting = setting, .form = Form::words, .text = value, .from = "--" + name});
    } else {
      errors.push_back(unknown_name("flag", "--" + name, known_flags()));
    }
  }
  return all;
}

}  // namespace holdfast::http

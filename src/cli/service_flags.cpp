#include "cli/service_flags.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <array>

#include "cli/failure.hpp"
#include "cli/text.hpp"

namespace holdfast::cli {
namespace {

constexpr std::array<std::string_view, 7> often_needed{
    "listen", "window", "keys", "tls.certificate", "tls.key", "log.level", "log.requests"};

std::string type_name(const http::Setting& setting) {
  switch (setting.kind) {
    case http::Kind::text:
      if (setting.name == "listen") return "HOST:PORT";
      return setting.name == "outbound.allow" ? "LIST" : "FILE";
    case http::Kind::choice:
      return "WORD";
    case http::Kind::boolean:
      return "";
    case http::Kind::count:
      return "N";
    case http::Kind::bytes:
      return "SIZE";
    case http::Kind::duration:
      return "D";
  }
  return "";
}

void add_setting(CLI::App& command, const http::Setting& setting, std::string& value) {
  std::string name = "--" + setting.name;
  if (setting.name == "dispatch") name += ",!--no-dispatch";
  CLI::Option* option = setting.kind == http::Kind::boolean
                            ? command.add_flag(name, value, setting.help)
                            : command.add_option(name, value, setting.help);
  option->type_name(type_name(setting));
  const bool shown =
      std::find(often_needed.begin(), often_needed.end(), setting.name) != often_needed.end();
  if (!shown) option->group(std::string(unlisted));
}

/// Words that neither the command nor the program understood.
struct Strays {
  http::NamedValues flags;
  http::Errors words;
};

Strays strays_of(const CLI::App& command) {
  Strays strays;
  bool value_may_follow = false;
  for (const std::string& word : command.get_parent()->remaining()) {
    const std::size_t equals = word.find('=');
    if (word.starts_with("--") && word.size() > 2) {
      strays.flags.emplace_back(word.substr(2, equals - 2), std::string());
      value_may_follow = equals == std::string::npos;
      continue;
    }
    if (!value_may_follow || word.starts_with('-')) {
      strays.words.push_back(fmt::format("'{}' is one word too many; see holdfast {} --help", word,
                                         command.get_name()));
    }
    value_may_follow = false;
  }
  return strays;
}

}  // namespace

void add_service_flags(Options& options, ServiceFlags& flags) {
  CLI::App& command = options.parser();
  flags.command = &command;
  options.option("--config", "FILE", flags.config,
                 "Settings in TOML; else $HOLDFAST_CONFIG, else none");
  for (const http::Setting& each : http::setting_table()) {
    if (each.name == "store") continue;  // every command has it
    add_setting(command, each, flags.values[each.name]);
  }
  // What a command does not know falls to the program; it may keep it only if this command runs.
  command.preparse_callback([&command](std::size_t) { command.get_parent()->allow_extras(); });
}

tl::expected<http::Configuration, http::Errors> configuration_of(const Context& context,
                                                                 const ServiceFlags& flags) {
  Strays strays = strays_of(*flags.command);
  http::Sources sources{.file = flags.config,
                        .environment = http::process_environment(),
                        .flags = std::move(strays.flags)};
  if (!context.settings.store.empty()) sources.flags.emplace_back("store", context.settings.store);
  for (const auto& [name, value] : flags.values) {
    if (flags.command->get_option("--" + name)->count() > 0)
      sources.flags.emplace_back(name, value);
  }
  auto configuration = http::configure(sources);
  if (strays.words.empty()) return configuration;
  if (configuration) return tl::unexpected(std::move(strays.words));
  configuration.error().insert(configuration.error().end(), strays.words.begin(),
                               strays.words.end());
  return configuration;
}

int report_errors(Context& context, const http::Errors& errors) {
  if (context.settings.json) {
    Failure failure = usage_failure(fmt::format("{}", fmt::join(errors, "; ")));
    failure.problem.title = "The configuration makes no sense";
    return report(context, failure);
  }
  for (const std::string& each : errors) report(context, usage_failure(each));
  return exit_usage;
}

}  // namespace holdfast::cli

#pragma once

#include <map>
#include <string>

#include "cli/context.hpp"
#include "cli/options.hpp"
#include "settings/configuration.hpp"

/// The settings of the service as options of a command: every row of the table is one, and those
/// that are often needed are in its help.
namespace holdfast::cli {

/// What the command line said. Must not move once its options were added, and must outlive them.
struct ServiceFlags {
  std::string config;
  std::map<std::string, std::string> values;  ///< by name; those not given are empty
  const CLI::App* command = nullptr;
};

/// Options that are not known are then no errors of parsing: they get one that suggests the
/// nearest.
void add_service_flags(Options& options, ServiceFlags& flags);

/// The configuration, from the file, the environment and these flags, `--store` among them.
[[nodiscard]] tl::expected<http::Configuration, http::Errors> configuration_of(
    const Context& context, const ServiceFlags& flags);

/// Reports all that is wrong, each on its own line, and returns the exit code.
int report_errors(Context& context, const http::Errors& errors);

}  // namespace holdfast::cli

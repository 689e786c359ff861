#include "cli/server_options.hpp"

#include <fmt/format.h>

namespace holdfast::cli {

void add_server_options(Options& options, Settings& settings) {
  options.option("--server", "URL", settings.server,
                 "A server to ask instead of a store; else $HOLDFAST_SERVER");
  options.option("--key-file", "FILE", settings.key_file,
                 "The file with the key to show it; else the key in $HOLDFAST_KEY");
  options.option("--ca-file", "FILE", settings.ca_file,
                 "Who signed an https server's certificate; else whom the system trusts");
  options.option("--certificate-file", "FILE", settings.certificate_file,
                 "The certificate to show a server that asks for one, with its key:");
  options.option("--certificate-key-file", "FILE", settings.certificate_key_file,
                 "The key of that certificate");
  options.option("--patience", "DURATION", settings.patience,
                 "How long to go on asking a server (10s; audit: 10m)");
}

std::optional<Failure> server_misuse(const Context& context, std::string_view command,
                                     bool remote) {
  const Settings& settings = context.settings;
  if (!settings.server.empty() && !remote) {
    return usage_failure(
        fmt::format("holdfast {} works on the store's own file; run it where the file is, with "
                    "--store FILE instead of --server",
                    command));
  }
  if (!settings.server.empty() && !settings.store.empty()) {
    return usage_failure(
        "--server and --store exclude each other: a server has its store; give one of them");
  }
  for (const auto& [option, file] :
       {std::pair("--key-file", &settings.key_file), std::pair("--ca-file", &settings.ca_file),
        std::pair("--certificate-file", &settings.certificate_file),
        std::pair("--certificate-key-file", &settings.certificate_key_file)}) {
    if (file->empty() || !context.server().empty()) continue;
    return usage_failure(
        fmt::format("{} is for a server, as in --server http://127.0.0.1:8420", option));
  }
  if (remote && settings.tenant_given && !context.server().empty()) {
    return usage_failure(
        "--tenant does not go with a server: the key decides the tenant; show a key of that "
        "tenant with --key-file FILE or HOLDFAST_KEY");
  }
  return std::nullopt;
}

}  // namespace holdfast::cli

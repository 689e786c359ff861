#include <fmt/format.h>

#include <memory>

#include "base/json_writer.hpp"
#include "base/utf8.hpp"
#include "cli/failure.hpp"
#include "cli/program.hpp"
#include "cli/service_flags.hpp"
#include "cli/table.hpp"
#include "cli/text.hpp"

namespace holdfast::cli {
namespace {

constexpr Lesson lesson{
    .summary = "Check the settings of the service, and show where each comes from",
    .paragraph =
        "Reads the settings exactly as holdfast serve does: from the file of --config or\n"
        "$HOLDFAST_CONFIG, then from the environment (HOLDFAST_LISTEN, HOLDFAST_LOG_LEVEL, …), "
        "then\n"
        "from options; the later wins. Prints every setting, its value and where that came from; "
        "or\n"
        "everything that is wrong, each on its own line, and ends with exit code 2. Each setting "
        "is\n"
        "an option of its own name, as in --limits.body_bytes_max 128KiB; below are the common "
        "ones.",
    .examples =
        "  holdfast config check\n"
        "  holdfast config check --config holdfast.toml\n"
        "  holdfast config check --config holdfast.toml --listen 0.0.0.0:8420 --json"};

struct Arguments {
  std::string action;
  ServiceFlags flags;
};

void print_table(Output& out, const http::Configuration& configuration) {
  Table table({{"SETTING"}, {"VALUE"}, {"FROM"}});
  for (const http::Effective& each : configuration.effective) {
    const bool chosen = each.from != "default";
    table.add({{each.setting->name, chosen ? Colour::bold : Colour::plain},
               each.value.empty() ? Cell{each.setting->unset, Colour::dim} : Cell{each.value},
               {each.from, chosen ? Colour::plain : Colour::dim}});
  }
  table.print(out);
}

std::string body_of(const http::Configuration& configuration) {
  std::string body;
  JsonWriter json(body);
  json.begin_object();
  json.key("settings");
  json.begin_array();
  for (const http::Effective& each : configuration.effective) {
    json.begin_object();
    json.key("name");
    json.string(each.setting->name);
    json.key("value");
    if (each.value.empty()) {
      json.null();
    } else {
      json.string(to_valid_utf8(each.value));
    }
    json.key("from");
    json.string(to_valid_utf8(each.from));
    json.end_object();
  }
  json.end_array();
  json.end_object();
  return body;
}

int run(Context& context, const Arguments& arguments) {
  if (arguments.action != "check") {
    return report(context, usage_failure(fmt::format("'{}' is not something config does; try: "
                                                     "holdfast config check",
                                                     arguments.action)));
  }
  const auto configuration = configuration_of(context, arguments.flags);
  if (!configuration) return report_errors(context, configuration.error());
  if (context.settings.json) {
    print_json(context.out, {.body = body_of(*configuration)});
  } else {
    print_table(context.out, *configuration);
  }
  return 0;
}

}  // namespace

void add_config(Program& program) {
  auto arguments = std::make_shared<Arguments>();
  Options options = program.add("config", lesson,
                                [arguments](Context& context) { return run(context, *arguments); });
  options.argument("ACTION", arguments->action, "check");
  add_service_flags(options, arguments->flags);
}

}  // namespace holdfast::cli

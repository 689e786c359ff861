// holdfast registry check FILE

#include <fmt/format.h>

#include "base/json_members.hpp"
#include "cli/failure.hpp"
#include "cli/program.hpp"
#include "cli/reply.hpp"
#include "cli/table.hpp"
#include "cli/text.hpp"
#include "registry/registry.hpp"

namespace holdfast::cli {
namespace {

constexpr Lesson lesson{
    .summary = "Check the file that declares commands",
    .paragraph =
        "Reads a registry as holdfast serve would, and says what is wrong with it, with\n"
        "file, line and column; or else what it declares, its digest, and the secrets\n"
        "that its requests name.",
    .examples = "  holdfast registry check charge.registry.toml"};

struct Arguments {
  std::string action;
  std::optional<std::string> file;
};

int print_good(Context& context, const commands::Registry& registry) {
  const std::vector<std::string> secrets = registry::secrets_named(registry);
  if (context.settings.json) {
    std::string body;
    JsonWriter json(body);
    json.begin_object();
    text_member(json, "digest", registry.digest);
    integer_member(json, "commands", static_cast<std::int64_t>(registry.commands.size()));
    integer_member(json, "providers", static_cast<std::int64_t>(registry.providers.size()));
    json.key("secrets");
    json.begin_array();
    for (const std::string& each : secrets) json.string(each);
    json.end_array();
    json.end_object();
    print_json(context.out, {.body = body});
    return 0;
  }
  Table table = facts();
  table.add({{"digest"}, {registry.digest}});
  table.add({{"commands"}, {number_text(registry.commands.size())}});
  table.add({{"providers"}, {number_text(registry.providers.size())}});
  std::string names;
  for (const std::string& each : secrets) names += (names.empty() ? "" : ", ") + each;
  table.add({{"secrets"}, {names.empty() ? "none" : names}});
  table.print(context.out);
  return 0;
}

int run(Context& context, const Arguments& given) {
  if (given.action != "check") {
    return report(context, usage_failure(fmt::format("'{}' is not something registry does; try "
                                                     "check",
                                                     printable(given.action))));
  }
  if (!given.file) {
    return report(context, usage_failure("which file? as in: holdfast registry check "
                                         "charge.registry.toml"));
  }
  const auto registry = registry::read_registry(*given.file);
  if (!registry) return report(context, usage_failure(registry.error().message()));
  return print_good(context, **registry);
}

}  // namespace

void add_registry(Program& program) {
  auto given = std::make_shared<Arguments>();
  Options options =
      program.add("registry", lesson, [given](Context& context) { return run(context, *given); });
  options.argument("ACTION", given->action, "check");
  options.optional_argument("FILE", given->file, "The registry");
}

}  // namespace holdfast::cli

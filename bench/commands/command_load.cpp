#include "command_load.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>

#include "holdfast/commands.hpp"
#include "modules/commands/template.hpp"

namespace holdfast::bench {
namespace {

using commands::Declaration;
using commands::EffectKind;
using commands::Shield;

void parse(commands::RequestTemplate& request) {
  auto parsed = commands::ParsedRequest::parse(request);
  if (!parsed) {
    std::fprintf(stderr, "%s %s\n", parsed.error().member.c_str(), parsed.error().text.c_str());
    std::exit(1);
  }
  request.parsed = std::move(*parsed);
}

void add(commands::Registry& registry, Declaration command) {
  const std::string name = command.name();
  registry.commands[name] = std::make_shared<const Declaration>(std::move(command));
}

}  // namespace

std::shared_ptr<const commands::Registry> registry_for(const std::string& url,
                                                       std::size_t concurrency_max) {
  auto registry = std::make_shared<commands::Registry>();
  registry->digest = "a registry of benchmarks";
  add(*registry, {.entity = "free", .action = "do"});
  Declaration push{.entity = "push", .action = "do"};
  push.command_class = commands::CommandClass::i3;
  push.effect.kind = EffectKind::push;
  push.effect.shield = Shield::s3;
  push.effect.provider = push_provider;
  push.effect.request = {.method = "POST", .url = url + "/charges"};
  parse(push.effect.request);
  push.effect.probe.emplace();
  push.effect.probe->request = {.method = "GET", .url = url + "/charges/{key}"};
  parse(push.effect.probe->request);
  add(*registry, std::move(push));
  Declaration pull{.entity = "pull", .action = "do"};
  pull.command_class = commands::CommandClass::i3;
  pull.effect.kind = EffectKind::pull;
  pull.effect.shield = Shield::s2;
  pull.effect.provider = pull_provider;
  add(*registry, std::move(pull));
  registry->providers[std::string(push_provider)] = {.name = std::string(push_provider),
                                                     .concurrency_max = concurrency_max};
  return registry;
}

std::string request_body(std::uint64_t i) {
  return fmt::format(R"({{"amount":{},"currency":"EUR"}})", i % 10'000 + 1);
}

Call submission_numbered(const std::string& entity, std::uint64_t i) {
  return {.command = Command(Submitting{.entity = entity, .action = "do", .args = request_body(i)}),
          .token = token_numbered(i)};
}

}  // namespace holdfast::bench

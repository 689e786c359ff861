// Any bytes as a registry are either refused, on one line and somewhere in the file, or published
// in a form that is its own canonical form; and what was read can be rendered or says why not.

#include "registry/registry.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/assert.hpp"
#include "base/utf8.hpp"
#include "domain/canonical.hpp"
#include "modules/commands/template.hpp"

namespace {

namespace commands = holdfast::commands;

void render(const commands::RequestTemplate& request) {
  if (request.parsed == nullptr) return;
  const commands::Envelope envelope{.actor = "a\r\n\"",
                                    .effective_actor = "..",
                                    .entity = "e",
                                    .action = "a",
                                    .target = R"({"x":".."})",
                                    .args = R"({"amount":1,"x":"\u0000\"/../?#"})"};
  const auto made =
      request.parsed->render({.envelope = envelope, .tenant = "t", .key = "k", .command_id = "c"},
                             [](std::string_view) { return "secret\r\n"; });
  if (!made) return;
  for (const char c : made->url) HOLDFAST_ASSERT(c > ' ' && c <= '~');
  for (const auto& [name, value] : made->headers)
    HOLDFAST_ASSERT((name + value).find_first_of(std::string_view("\r\n\0", 3)) ==
                    std::string::npos);
  if (!made->body.empty())
    HOLDFAST_ASSERT(holdfast::canonicalize(made->body, {.depth = 512, .bytes = SIZE_MAX}));
}

}  // namespace

// NOLINTNEXTLINE(readability-identifier-naming): libFuzzer chose the name.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto named = [](const std::string&) { return std::string(R"({"type":"object"})"); };
  const auto read = holdfast::registry::read_registry_text(text, "fuzz.toml", named);
  if (!read) {
    const holdfast::registry::RegistryError& error = read.error();
    HOLDFAST_ASSERT(!error.text.empty() && error.text.find('\n') == std::string::npos);
    HOLDFAST_ASSERT(error.line >= 1 && error.column >= 1);
    return 0;
  }
  const commands::Registry& registry = **read;
  HOLDFAST_ASSERT(holdfast::canonicalize(registry.published, {.depth = 128, .bytes = SIZE_MAX}) ==
                  registry.published);
  const auto again = holdfast::registry::read_registry_text(text, "fuzz.toml", named);
  HOLDFAST_ASSERT(again && (*again)->digest == registry.digest);
  for (const auto& [name, command] : registry.commands) {
    HOLDFAST_ASSERT(name == command->name());
    render(command->effect.request);
    if (command->effect.probe) render(command->effect.probe->request);
  }
  return 0;
}

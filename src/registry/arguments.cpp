#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "domain/canonical.hpp"
#include "registry/drafts.hpp"
#include "registry/toml_json.hpp"
#include "schema/schema.hpp"

namespace holdfast::registry {
namespace {

/// Whether a name stays in the folder of the registry.
bool stays_inside(const std::string& name) {
  const std::filesystem::path path(name);
  return path.is_relative() && std::find(path.begin(), path.end(), "..") == path.end();
}

std::string at_pointer(const std::string& pointer) {
  return pointer.empty() ? "" : " at " + shown(pointer);
}

std::string schema_error(const std::string& pointer, const std::string& text) {
  return fmt::format("is no schema{}: {}", at_pointer(pointer), text);
}

/// The file that `args_schema` names.
std::string named_text(const toml::table& table, const NamedFiles& named, const std::string& name,
                       Problems& problems) {
  if (!stays_inside(name)) {
    problems.note(table, "args_schema",
                  "args_schema must be in the registry's folder, or below it; write its name "
                  "without a / in front and without ..");
    return {};
  }
  if (!named) {
    problems.note(table, "args_schema",
                  "args_schema names a file, which this registry cannot; write it as args");
    return {};
  }
  auto text = named(name);
  if (text) return std::move(*text);
  problems.note(table, "args_schema", "args_schema cannot be read: " + text.error());
  return {};
}

}  // namespace

void read_arguments(const toml::table& table, const NamedFiles& named, CommandDraft& draft,
                    Problems& problems) {
  const bool in_file = !draft.args_schema.empty();
  if (draft.args == nullptr && !in_file) return;
  if (draft.args != nullptr && in_file)
    problems.note(table, "args_schema", "args and args_schema are both there; keep one of the two");
  if (problems.any()) return;

  const char* const member = in_file ? "args_schema" : "args";
  const bool as_table = !in_file && draft.args->is_table();
  std::string text;
  if (in_file) {
    text = named_text(table, named, draft.args_schema, problems);
  } else {
    text = as_table ? json_of(*draft.args, problems) : draft.args->as_string()->get();
  }
  if (problems.any()) return;

  // An error inside a table is told where it stands there.
  const auto note = [&](const std::string& pointer, const std::string& why) {
    const toml::node& whole = *table.get(member);
    const toml::node& node = as_table ? node_at(whole, pointer) : whole;
    problems.note(node.source().begin, fmt::format("{} {}", member, schema_error(pointer, why)));
  };
  auto canonical = canonicalize(text);
  if (!canonical) return note(canonical.error().pointer, canonical.error().message);
  auto schema = schema::Schema::compile(*canonical);
  if (!schema) return note(schema.error().pointer, schema.error().text);
  draft.declaration.args = std::move(*schema);
}

}  // namespace holdfast::registry

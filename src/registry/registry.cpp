#include "registry/registry.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <set>

#include "base/whole_file.hpp"
#include "domain/digest.hpp"
#include "registry/drafts.hpp"
#include "registry/nesting.hpp"
#include "registry/publish.hpp"
#include "registry/values.hpp"
#include "settings/nearest_name.hpp"

namespace holdfast::registry {
namespace {

using commands::Declaration;
using commands::Registry;

constexpr std::size_t commands_max = 1000;

/// Compensations are checked when every command is known.
struct Named {
  const toml::table* table;
  CommandDraft draft;
};

class FileReader {
 public:
  FileReader(const std::string& file, const NamedFiles& named) : problems_(file), named_(named) {}

  RegistryRead read(const toml::table& root) {
    refuse_unknown(root, "a registry", {"command", "provider", "webhook"}, problems_);
    for (const toml::table* each : tables(root, "command")) read_command(*each);
    for (const toml::table* each : tables(root, "provider")) read_provider(*each);
    for (auto& [name, each] : drafts_) check_compensation(each);
    for (const toml::table* each : tables(root, "webhook")) read_webhook(*each);
    for (const auto& [name, place] : provider_places_) check_provider(name, *place);
    if (problems_.any()) return problems_.first();
    for (auto& [name, each] : drafts_) {
      registry_->commands[name] =
          std::make_shared<const Declaration>(std::move(each.draft.declaration));
    }
    if (!sources_->by_name.empty()) registry_->webhooks = sources_;
    registry_->published = published(*registry_);
    registry_->digest = sha256(registry_->published).hex();
    return registry_;
  }

 private:
  /// The tables of an array, from the top of the file.
  std::vector<const toml::table*> tables(const toml::table& root, const char* name) {
    const toml::node* const node = root.get(name);
    if (node == nullptr || problems_.any()) return {};
    const toml::array* const array = node->as_array();
    std::vector<const toml::table*> all;
    for (std::size_t i = 0; array != nullptr && i < array->size(); ++i) {
      if (const toml::table* const each = (*array)[i].as_table()) all.push_back(each);
    }
    if (array == nullptr || all.size() != array->size())
      problems_.note(node->source().begin,
                     fmt::format("{0} must be a list of tables; write [[{0}]]", name));
    if (all.size() > commands_max)
      problems_.note(
          all[commands_max]->source().begin,
          fmt::format("a registry has at most {} of [[{}]]; leave some out", commands_max, name));
    return all;
  }

  void read_command(const toml::table& table) {
    if (problems_.any()) return;
    CommandDraft draft;
    read_members(table, command_members(), "a command", draft, problems_);
    if (problems_.any()) return;
    check_command(table, draft, problems_);
    if (draft.effect != nullptr && !problems_.any())
      read_effect(*draft.effect, draft.declaration.effect, problems_);
    if (!problems_.any()) read_arguments(table, named_, draft, problems_);
    const std::string name = draft.declaration.name();
    if (operation_named(name))
      problems_.note(table, "entity",
                     name + " is an operation of holdfast itself; write another entity or action");
    if (drafts_.contains(name))
      problems_.note(table, "entity", name + " is declared twice; keep one of the two");
    providers_used_.insert(draft.declaration.effect.provider);
    drafts_.emplace(name, Named{&table, std::move(draft)});
  }

  void read_provider(const toml::table& table) {
    if (problems_.any()) return;
    commands::Provider provider;
    read_members(table, provider_members(), "a provider", provider, problems_);
    if (problems_.any()) return;
    if (!provider_places_.emplace(provider.name, &table).second)
      problems_.note(table, "name", provider.name + " is declared twice; keep one of the two");
    registry_->providers.emplace(provider.name, provider);
  }

  void read_webhook(const toml::table& table) {
    if (problems_.any()) return;
    WebhookDraft draft;
    read_members(table, webhook_members(), "a webhook", draft, problems_);
    if (!problems_.any()) check_webhook(table, draft, problems_);
    if (problems_.any()) return;
    if (!draft.command.empty()) {
      const auto command = drafts_.find(draft.command);
      check_command_of(table,
                       command == drafts_.end() ? nullptr : &command->second.draft.declaration,
                       problems_);
    }
    const std::string name = draft.source.name;
    if (!sources_->by_name
             .emplace(name, std::make_shared<const webhooks::Source>(std::move(draft.source)))
             .second)
      problems_.note(table, "name", name + " is declared twice; keep one of the two");
  }

  void check_compensation(Named& each) {
    const toml::table& table = *each.table;
    Declaration& declaration = each.draft.declaration;
    const std::string& wanted = each.draft.compensation;
    const bool compared = declaration.effect.shield == commands::Shield::s4;
    if (compared && wanted.empty())
      problems_.note(table, "compensation",
                     "shield S4 needs a compensation, which undoes what was done twice; write the "
                     "name of a command");
    if (wanted.empty() || problems_.any()) return;
    const auto other = drafts_.find(wanted);
    if (other == drafts_.end())
      return problems_.note(table, "compensation",
                            fmt::format("compensation {} is no command of this file; did you mean "
                                        "{}?",
                                        shown(wanted), nearest_command(wanted)));
    if (other->first == declaration.name())
      return problems_.note(table, "compensation",
                            "a command cannot undo itself; write the name of another");
    const Declaration& undoing = other->second.draft.declaration;
    if (undoing.command_class == commands::CommandClass::i0 ||
        undoing.confirm_by != commands::ConfirmBy::nobody)
      return problems_.note(
          table, "compensation",
          fmt::format("compensation {} is a question, or waits to be confirmed, and so cannot run "
                      "by itself; name one that can",
                      wanted));
    declaration.compensation = {undoing.entity, undoing.action};
  }

  [[nodiscard]] std::string nearest_command(const std::string& wanted) const {
    std::vector<std::string> known;
    for (const auto& [name, each] : drafts_) known.push_back(name);
    return http::nearest_name(wanted, known);
  }

  void check_provider(const std::string& name, const toml::table& place) {
    if (providers_used_.contains(name)) return;
    problems_.note(
        place, "name",
        "no effect names the provider " + name + "; name it in one, or leave this provider out");
  }

  Problems problems_;
  const NamedFiles& named_;
  std::shared_ptr<Registry> registry_ = std::make_shared<Registry>();
  std::shared_ptr<webhooks::Sources> sources_ = std::make_shared<webhooks::Sources>();
  std::map<std::string, Named, std::less<>> drafts_;
  std::map<std::string, const toml::table*, std::less<>> provider_places_;
  std::set<std::string, std::less<>> providers_used_;
};

RegistryRead wrong(const std::string& file, Place place, std::string text) {
  return tl::unexpected(RegistryError{file, place.line, place.column, std::move(text)});
}

tl::expected<std::string, std::string> text_of(const std::string& path) {
  auto read = read_whole_file(path, registry_bytes_max);
  if (!read) return tl::unexpected(std::move(read.error()));
  if (!*read) return tl::unexpected(fmt::format("there is no file {}", path));
  return std::move((*read)->text);
}

}  // namespace

std::string RegistryError::message() const {
  return fmt::format("{}:{}:{}: {}", file, line, column, text);
}

RegistryRead read_registry_text(std::string_view toml, const std::string& file,
                                const NamedFiles& named) {
  if (toml.size() > registry_bytes_max)
    return wrong(file, {}, fmt::format("the file is larger than {} bytes", registry_bytes_max));
  if (const auto place = nested_too_deep(toml))
    return wrong(file, *place, "this is nested too deep; write it in fewer levels");
  try {
    return FileReader(file, named).read(toml::parse(toml));
  } catch (const toml::parse_error& error) {
    const toml::source_position where = error.source().begin;
    return wrong(file, {where.line, where.column},
                 "this is not TOML: " + std::string(error.description()));
  }
}

RegistryRead read_registry(const std::string& path) {
  auto text = text_of(path);
  if (!text) return wrong(path, {}, std::move(text.error()));
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  return read_registry_text(*text, path,
                            [&](const std::string& name) { return text_of(folder / name); });
}

}  // namespace holdfast::registry

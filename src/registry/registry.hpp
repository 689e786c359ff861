#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "modules/commands/declaration.hpp"

/// Reads the file in which an operator declares commands and providers. docs/registry.md is its
/// reference. A file is taken as a whole or not at all, and nothing in it is ever ignored.
namespace holdfast::registry {

/// The first thing that is wrong, with what to do instead. It never has a line break.
struct RegistryError {
  std::string file;
  std::size_t line = 1;
  std::size_t column = 1;
  std::string text;

  /// `charge.registry.toml:3:9: …`
  [[nodiscard]] std::string message() const;
};

using RegistryRead = tl::expected<std::shared_ptr<const commands::Registry>, RegistryError>;

/// Gives the text of a file that a registry names (`args_schema`), by its name there. An error is a
/// sentence.
using NamedFiles = std::function<tl::expected<std::string, std::string>(const std::string& name)>;

inline constexpr std::size_t registry_bytes_max = std::size_t{1024} * 1024;

/// Reads the file and those it names, from its own folder. The same bytes give the same digest.
[[nodiscard]] RegistryRead read_registry(const std::string& path);

/// The same with a text in place of the file; `file` is its name in errors. Without `named`, no
/// other file may be named.
[[nodiscard]] RegistryRead read_registry_text(std::string_view toml, const std::string& file,
                                              const NamedFiles& named = {});

/// The secrets that its requests name, each once: what must be in the file of secrets before any of
/// them is made.
[[nodiscard]] std::vector<std::string> secrets_named(const commands::Registry& registry);

/// Every member of the file as Markdown tables, for the reference.
[[nodiscard]] std::string registry_reference();

}  // namespace holdfast::registry

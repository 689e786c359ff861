#pragma once

#include <toml++/toml.h>

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "registry/registry.hpp"

/// A member of a table of the file: its name, what may be written, and where it goes. The tables of
/// members are the reference, the list of what is known, and the reader at once.
namespace holdfast::registry {

template <typename T>
struct Member {
  std::string_view name;
  std::string_view usual;    ///< the default in words; "–": none; "needed": it must be there
  std::string_view allowed;  ///< goes on after `write `
  std::string_view meaning;
  /// False: the value is not one of those that are allowed.
  bool (*take)(const toml::node& value, T& into);
};

inline constexpr std::string_view needed = "needed";

/// Keeps the first thing that is found wrong.
class Problems {
 public:
  explicit Problems(std::string file) : file_(std::move(file)) {}

  void note(const toml::source_position& where, std::string text);
  /// At a member of a table if it is there, else at the table.
  void note(const toml::table& table, std::string_view member, std::string text);
  [[nodiscard]] bool any() const { return first_.has_value(); }
  [[nodiscard]] tl::unexpected<RegistryError> first() const { return tl::unexpected(*first_); }
  [[nodiscard]] const std::string& file() const { return file_; }

 private:
  std::string file_;
  std::optional<RegistryError> first_;
};

/// A value as an error shows it: short, on one line.
[[nodiscard]] std::string shown(const toml::node& value);
[[nodiscard]] std::string shown(std::string_view text);

/// Notes the first member, from the top of the file, that is none of those known.
void refuse_unknown(const toml::table& table, std::string_view what,
                    const std::vector<std::string>& known, Problems& problems);

/// Takes every member that is there. `what` is the table in words: `a command`.
template <typename T>
void read_members(const toml::table& table, std::span<const Member<T>> members,
                  std::string_view what, T& into, Problems& problems) {
  std::vector<std::string> known;
  for (const Member<T>& each : members) known.emplace_back(each.name);
  refuse_unknown(table, what, known, problems);
  for (const Member<T>& each : members) {
    if (problems.any()) return;
    const toml::node* const value = table.get(each.name);
    const std::string name(each.name);
    if (value == nullptr) {
      if (each.usual == needed)
        problems.note(table.source().begin, std::string(what) + " needs " + name + "; write " +
                                                std::string(each.allowed));
    } else if (!each.take(*value, into)) {
      problems.note(table, each.name,
                    name + " cannot be " + shown(*value) + "; write " + std::string(each.allowed));
    }
  }
}

}  // namespace holdfast::registry

#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace CLI {  // NOLINT(readability-identifier-naming): not ours
class App;
}

namespace holdfast::cli {

/// The group of options that work and that help does not list.
inline constexpr std::string_view unlisted = "unlisted";

/// The arguments and options of one command. What they are bound to is filled in when the command
/// line was parsed, and must stay where it is until then. Few files see the parser behind it: it is
/// a large header.
class Options {
 public:
  explicit Options(CLI::App& parser) : parser_(&parser) {}

  /// A word that must be there.
  void argument(const std::string& name, std::string& value, const std::string& help);
  void argument(const std::string& name, std::optional<std::string>& value,
                const std::string& help);
  /// A word that may be left out.
  void optional_argument(const std::string& name, std::string& value, const std::string& help);
  void optional_argument(const std::string& name, std::optional<std::string>& value,
                         const std::string& help);
  /// `--name VALUE`; `type` stands for the value in the help.
  void option(const std::string& name, const std::string& type, std::string& value,
              const std::string& help);
  void option(const std::string& name, const std::string& type, std::optional<std::string>& value,
              const std::string& help);
  /// `given` is set where the option is.
  void option(const std::string& name, const std::string& type, std::string& value, bool& given,
              const std::string& help);
  /// `--name`.
  void flag(const std::string& name, bool& value, const std::string& help);
  /// `value` is set, to nothing, where the flag is given.
  void flag(const std::string& name, std::optional<std::string>& value, const std::string& help);
  /// Refuses a command line that has both.
  void exclusive(const std::string& one, const std::string& other);

  [[nodiscard]] CLI::App& parser() const { return *parser_; }

 private:
  CLI::App* parser_;
};

}  // namespace holdfast::cli

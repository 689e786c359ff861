#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "cli/context.hpp"
#include "cli/options.hpp"

namespace holdfast::cli {

/// What a command's `--help` teaches, besides its options.
struct Lesson {
  std::string_view summary;    ///< one line, for the list of commands
  std::string_view paragraph;  ///< what it does and when to use it
  std::string_view examples;   ///< one a line
  /// The refusals it can end in, so the exit codes its help lists.
  std::span<const Rejection> refusals{};
  bool remote = false;    ///< works with `--server`, too
  bool tenants = remote;  ///< is about one tenant, which `--tenant` names
};

/// The command line: commands are added, arguments parsed, and what was chosen is left in `action`.
class Program {
 public:
  using Action = std::function<int(Context&)>;

  explicit Program(Settings& settings);
  ~Program();
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  /// The new command's options. `action` runs if the command is the one chosen; by then the
  /// variables its options were bound to are filled in, and it must own them.
  Options add(const std::string& name, const Lesson& lesson, Action action);

  [[nodiscard]] CLI::App& parser() const { return *parser_; }

  Action action;

 private:
  std::unique_ptr<CLI::App> parser_;
};

void add_operations(Program& program);  ///< one command for each operation that has its own

// One command each, in files of the same names.
void add_show(Program& program);
void add_list(Program& program);
void add_token(Program& program);
void add_resource(Program& program);
void add_audit(Program& program);
void add_evidence(Program& program);
void add_serve(Program& program);
void add_demo(Program& program);
void add_config(Program& program);
void add_keys(Program& program);
void add_store(Program& program);
void add_command(Program& program);
void add_effects(Program& program);
void add_inbox(Program& program);
void add_registry(Program& program);

}  // namespace holdfast::cli

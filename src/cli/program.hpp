#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "cli/context.hpp"

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

  /// The new command's parser. `action` runs if the command is the one chosen; by then the
  /// variables its options were bound to are filled in, and it must own them.
  CLI::App& add(const std::string& name, const Lesson& lesson, Action action);

  CLI::App app;
  Action action;
};

// One command each, in files of the same names.
void add_hold(Program& program);
void add_confirm(Program& program);
void add_release(Program& program);
void add_expire(Program& program);
void add_show(Program& program);
void add_list(Program& program);
void add_token(Program& program);
void add_resource(Program& program);
void add_audit(Program& program);
void add_serve(Program& program);
void add_demo(Program& program);
void add_config(Program& program);
void add_keys(Program& program);
void add_store(Program& program);

}  // namespace holdfast::cli

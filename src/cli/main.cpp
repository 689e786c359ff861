#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <csignal>
#include <sstream>

#include "cli/failure.hpp"
#include "cli/program.hpp"
#include "cli/text.hpp"

namespace holdfast::cli {
namespace {

/// `--json` may stand anywhere, so it counts also in a command line that could not be parsed.
bool wants_json(int count, char** arguments) {
  for (int i = 1; i < count; ++i) {
    const std::string_view word = arguments[i];
    if (word == "--") return false;
    if (word == "--json") return true;
  }
  return false;
}

/// Help and version are asked for by way of an exception, like everything else that stops parsing.
int stop(Context& context, const Program& program, const CLI::ParseError& reason) {
  if (reason.get_exit_code() == 0) {
    std::ostringstream text;
    std::ostringstream ignored;
    program.parser().exit(reason, text, ignored);
    context.out.write(text.str());
    return 0;
  }
  const auto chosen = program.parser().get_subcommands();
  const std::vector<std::string> strange = program.parser().remaining();
  if (chosen.empty() && !strange.empty() && !strange.front().starts_with('-')) {
    return report(context,
                  usage_failure(fmt::format("'{}' is not a command; try holdfast list, or see "
                                            "holdfast --help for all of them",
                                            printable(strange.front()))));
  }
  const std::string where = chosen.empty() ? "holdfast" : "holdfast " + chosen.front()->get_name();
  return report(context, usage_failure(fmt::format("{}; see {} --help", reason.what(), where)));
}

/// The option of that name, of the program or of any command; null if there is none.
const CLI::Option* option_named(const CLI::App& app, const std::string& name) {
  if (const CLI::Option* const found = app.get_option_no_throw(name)) return found;
  for (const CLI::App* const command : app.get_subcommands(nullptr)) {
    if (const CLI::Option* const found = command->get_option_no_throw(name)) return found;
  }
  return nullptr;
}

/// The option whose value was forgotten, so that the next option would be taken for it; null if
/// there is none.
const char* eager_option(const CLI::App& app, int count, char** arguments) {
  for (int i = 1; i + 1 < count; ++i) {
    const std::string word = arguments[i];
    if (word == "--") return nullptr;
    const CLI::Option* const option = word.starts_with("--") ? option_named(app, word) : nullptr;
    if (option == nullptr || option->get_items_expected_min() == 0) continue;
    ++i;
    if (option_named(app, arguments[i]) != nullptr) return arguments[i - 1];
  }
  return nullptr;
}

int run(Context& context, int count, char** arguments) {
  Program program(context.settings);
  if (const char* const eager = eager_option(program.parser(), count, arguments)) {
    context.settings.json = wants_json(count, arguments);
    return report(context, usage_failure(fmt::format(
                               "{} needs a value; one that looks like an option is written {}=…",
                               eager, eager)));
  }
  try {
    program.parser().parse(count, arguments);
  } catch (const CLI::ParseError& reason) {
    context.settings.json = wants_json(count, arguments);
    return stop(context, program, reason);
  }
  return program.action(context);
}

/// An answer nobody could read is no success, even though what it says was done.
int finish(Context& context, int code) {
  context.out.flush();
  if (context.out.failure().empty()) return code;
  const std::string advice =
      context.token_used.empty()
          ? ""
          : fmt::format(" What was done is kept: repeat with {} to get this same answer.",
                        token_option(context.token_used));
  context.err.line(
      fmt::format("holdfast: cannot write the answer: {}.{}", context.out.failure(), advice));
  return exit_store;
}

}  // namespace
}  // namespace holdfast::cli

int main(int count, char** arguments) {
  std::signal(SIGPIPE, SIG_IGN);  // a reader that went away is noticed when writing
  holdfast::cli::Context context;
  try {
    return holdfast::cli::finish(context, holdfast::cli::run(context, count, arguments));
  } catch (const std::exception& error) {
    context.err.line(
        fmt::format("holdfast: unexpected: {}", holdfast::cli::printable(error.what())));
    return holdfast::cli::exit_store;
  }
}

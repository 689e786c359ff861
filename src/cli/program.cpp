#include "cli/program.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "cli/help.hpp"
#include "cli/server_options.hpp"

namespace holdfast::cli {
namespace {

/// Puts the paragraph under the summary of a command's own help; lists of commands show only the
/// summary.
class TeachingFormatter : public CLI::Formatter {
 public:
  explicit TeachingFormatter(std::string_view paragraph) : paragraph_(paragraph) {
    column_width(26);
    label("TEXT", "");      // every argument is text to us
    label("REQUIRED", "");  // the usage line says so: what is optional is in brackets
  }
  std::string make_description(const CLI::App* app) const override {
    return fmt::format("{}\n\n{}\n\n", app->get_description(), paragraph_);
  }
  std::string make_group(std::string group, bool positional,
                         std::vector<const CLI::Option*> options) const override {
    if (group == unlisted) return {};
    return Formatter::make_group(std::move(group), positional, std::move(options));
  }

 private:
  std::string_view paragraph_;
};

}  // namespace

Program::Program(Settings& settings)
    : parser_(std::make_unique<CLI::App>("holdfast: reservations that happen exactly once.",
                                         "holdfast")) {
  CLI::App& app = *parser_;
  app.formatter(std::make_shared<TeachingFormatter>(program_paragraph));
  app.footer(program_footer());
  app.set_version_flag("--version", version_line(), "Print the version and stop");
  app.set_help_flag("-h,--help", "Explain, and stop");
  app.require_subcommand(1);
  Options options(app);
  options.option("--store", "FILE", settings.store,
                 "The store's file; else $HOLDFAST_STORE, else holdfast.db here");
  add_server_options(options, settings);
  options.option("--tenant", "NAME", settings.tenant, settings.tenant_given,
                 "Whose holds: tenants never see each other's");
  options.flag("--json", settings.json, "Print one line of JSON instead of words");
  add_operations(*this);
  add_show(*this);
  add_list(*this);
  add_token(*this);
  add_resource(*this);
  add_audit(*this);
  add_evidence(*this);
  add_serve(*this);
  add_demo(*this);
  add_config(*this);
  add_keys(*this);
  add_store(*this);
  add_command(*this);
  add_effects(*this);
  add_inbox(*this);
  add_registry(*this);
}

Program::~Program() = default;

Options Program::add(const std::string& name, const Lesson& lesson, Action chosen) {
  CLI::App& command = *parser_->add_subcommand(name, std::string(lesson.summary));
  command.fallthrough();
  command.formatter(std::make_shared<TeachingFormatter>(lesson.paragraph));
  command.footer(command_footer(lesson));
  command.callback(
      [this, name, remote = lesson.remote, tenants = lesson.tenants, chosen = std::move(chosen)] {
        action = [name, remote, tenants, chosen](Context& context) {
          auto misuse = server_misuse(context, name, remote);
          if (!misuse && context.settings.tenant_given && !tenants) {
            misuse = usage_failure(fmt::format(
                "--tenant does not go with holdfast {}, which is about all of them", name));
          }
          return misuse ? report(context, *misuse) : chosen(context);
        };
      });
  return Options(command);
}

}  // namespace holdfast::cli

// Commands that are one operation each: they follow from the operations' rows.

#include <algorithm>
#include <cctype>
#include <memory>

#include "cli/arguments.hpp"
#include "cli/change.hpp"
#include "domain/operation.hpp"

namespace holdfast::cli {
namespace {

struct OperationArguments {
  std::vector<std::optional<std::string>> values;  ///< by field
  bool dry_run = false;
  ChangeOptions change;
};

std::string upper(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return out;
}

template <typename T>
Parsed<void> put(Parsed<T> parsed, T& value) {
  if (!parsed) return tl::unexpected(parsed.error());
  value = std::move(*parsed);
  return {};
}

Parsed<void> parse(const std::string& text, const Parameter& field, void* parameters) {
  switch (field.type) {
    case ParameterType::name:
      field.in<std::string>(parameters) = text;
      return {};
    case ParameterType::integer:
      return put(parse_number_argument(text, field.name), field.in<std::int64_t>(parameters));
    case ParameterType::duration:
      return put(parse_duration_argument(text, field.name), field.in<Duration>(parameters));
    case ParameterType::hold:
      return put(parse_id_argument(text), field.in<HoldId>(parameters));
    case ParameterType::group:
      return put(parse_group_argument(text), field.in<GroupId>(parameters));
    case ParameterType::part:
      return put(parse_number_argument(text, field.name),
                 field.in<std::optional<std::int64_t>>(parameters).emplace());
    case ParameterType::flag:
      field.in<bool>(parameters) = true;
      return {};
    case ParameterType::items:
      return put(parse_items_argument(text), field.in<std::vector<GroupItem>>(parameters));
    case ParameterType::text:
      field.in<std::string>(parameters) = text;
      return {};
    case ParameterType::json:
      return put(parse_json_argument(text, field.name), field.in<std::string>(parameters));
    case ParameterType::names:
      return put(parse_names_argument(text), field.in<std::vector<std::string>>(parameters));
  }
  return {};
}

int run(Context& context, const OperationSpec& spec, const OperationArguments& arguments) {
  context.token_given = arguments.change.token;
  std::shared_ptr<void> parameters = spec.make();
  for (std::size_t i = 0; i < spec.fields.size(); ++i) {
    const auto& text = arguments.values[i];
    if (!text) continue;
    const auto parsed = parse(*text, spec.fields[i], parameters.get());
    if (!parsed) return report(context, parsed.error());
  }
  const Command command(spec.row.id, std::move(parameters));
  if (arguments.dry_run) return run_dry(context, arguments.change, command);
  return run_change(context, arguments.change, command);
}

void add_operation(Program& program, const OperationSpec& spec, const Lesson& lesson) {
  auto arguments = std::make_shared<OperationArguments>();
  arguments->values.resize(spec.fields.size());
  Options options =
      program.add(std::string(spec.command.name), lesson,
                  [arguments, &spec](Context& context) { return run(context, spec, *arguments); });
  for (std::size_t i = 0; i < spec.fields.size(); ++i) {
    const Parameter& field = spec.fields[i];
    const std::string help(field.help);
    if (field.required) {
      options.argument(upper(field.name), arguments->values[i], help);
    } else if (field.type == ParameterType::flag) {
      options.flag("--" + std::string(field.name), arguments->values[i], help);
    } else {
      options.option("--" + std::string(field.name), "N", arguments->values[i], help);
    }
  }
  if (spec.dry_run)
    options.flag("--dry-run", arguments->dry_run, "Only say what would be answered");
  add_change_options(options, arguments->change);
}

}  // namespace

std::span<const Rejection> refusals_of(Operation operation) {
  static std::array<std::vector<Rejection>, operation_limit> all;
  std::vector<Rejection>& refusals = all.at(static_cast<std::size_t>(operation));
  if (!refusals.empty()) return refusals;
  const auto own = spec_of(operation).refusals;
  refusals.assign(own.begin(), own.end());
  refusals.insert(refusals.end(),
                  {spec_of(operation).collision.rejection, Rejection::store_unavailable});
  std::sort(refusals.begin(), refusals.end());
  refusals.erase(std::unique(refusals.begin(), refusals.end()), refusals.end());
  return refusals;
}

void add_operations(Program& program) {
  for (const OperationRow& row : operations()) {
    const OperationSpec& spec = spec_of(row.id);
    if (spec.command.name.empty()) continue;
    add_operation(program, spec,
                  {.summary = spec.command.summary,
                   .paragraph = spec.command.paragraph,
                   .examples = spec.command.examples,
                   .refusals = refusals_of(row.id),
                   .remote = true});
  }
}

}  // namespace holdfast::cli

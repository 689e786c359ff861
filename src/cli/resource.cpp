#include <fmt/format.h>

#include <memory>

#include "cli/backend.hpp"
#include "cli/change.hpp"
#include "cli/listing.hpp"
#include "cli/reply.hpp"

namespace holdfast::cli {
namespace {

constexpr Lesson resource_lesson{
    .summary = "Show a resource, declare its capacity, or list all resources",
    .paragraph =
        "With a name and --capacity: says how much of the resource there is; "
        "never less than what is\n"
        "in use. With a name alone: shows its capacity, what is in use and "
        "what is free. Without a\n"
        "name: lists all that were ever held or declared. A resource that was "
        "never declared has a\n"
        "capacity of 1, so nothing needs to be set up for rooms and seats.",
    .examples =
        "  holdfast resource flight_12 --capacity 180\n"
        "  holdfast resource flight_12\n"
        "  holdfast resource --all --json",
    .remote = true};

struct Arguments {
  std::optional<std::string> name;
  std::optional<std::string> capacity;
  std::optional<std::string> prefix;
  ChangeOptions change;
  ListOptions list;
};

std::string amount(std::int64_t number) { return number_text(static_cast<std::uint64_t>(number)); }

std::vector<Cell> cells_of(const Resource& resource) {
  const std::int64_t free = resource.capacity - resource.in_use;
  return {{resource.name},
          {amount(resource.capacity)},
          {amount(resource.in_use)},
          {amount(free), free > 0 ? Colour::green : Colour::yellow},
          {resource.declared ? "yes" : "no"}};
}

int declare(Context& context, const Arguments& arguments) {
  context.token_given = arguments.change.token;
  const auto capacity = parse_number_argument(*arguments.capacity, "capacity");
  if (!capacity) return report(context, capacity.error());
  return run_change(context, arguments.change, Command::declare(*arguments.name, *capacity));
}

int show(Context& context, const std::string& name) {
  if (name.empty()) {  // an address without it is the list's
    return report(context, refusal(Reason::resource_blank));
  }
  const auto backend = open_to_read(context);
  if (!backend) return report(context, backend.error());
  const auto resource = (*backend)->resource(name);
  if (!resource) return report(context, resource.error());
  if (context.settings.json) {
    std::string body;
    JsonWriter json(body);
    write_resource(json, *resource);
    print_json(context.out, {.body = body});
    return 0;
  }
  const auto availability = (*backend)->availability(name);
  if (!availability) return report(context, availability.error());
  Table table = facts();
  table.add({{"resource"}, {resource->name, Colour::bold}});
  table.add({{"capacity"},
             {amount(resource->capacity) + (resource->declared ? "" : " (never declared)")}});
  table.add({{"in use"}, {amount(resource->in_use)}});
  if (resource->in_use > 0) {
    table.add({{"  held"}, {amount(availability->held)}});
    table.add({{"  confirmed"}, {amount(availability->confirmed)}});
  }
  if (availability->next_expiry)
    table.add({{"next expiry"}, {moment_text(*availability->next_expiry, context.now())}});
  const std::int64_t free = resource->capacity - resource->in_use;
  table.add({{"free"}, {amount(free), free > 0 ? Colour::green : Colour::yellow}});
  table.print(context.out);
  return 0;
}

int list(Context& context, const Arguments& arguments) {
  const auto limit = parse_limit_argument(arguments.list.limit);
  if (!limit) return report(context, limit.error());
  const auto backend = open_to_read(context);
  if (!backend) return report(context, backend.error());
  const Listing<Resource> listing{
      .one = "resource",
      .columns = {{"RESOURCE"}, {"CAPACITY", true}, {"IN USE", true}, {"FREE", true}, {"DECLARED"}},
      .fetch =
          [&](const std::string& cursor, std::size_t count) {
            return (*backend)->resources(
                {.prefix = arguments.prefix, .cursor = cursor, .limit = count});
          },
      .cells = cells_of,
      .write = write_resource};
  return ListPrinter(context, listing, arguments.list, *limit).run();
}

int run(Context& context, const Arguments& arguments) {
  if (arguments.capacity && !arguments.name) {
    return report(context, usage_failure("--capacity needs the name of a resource, as in: "
                                         "holdfast resource flight_12 --capacity 180"));
  }
  const bool lists = arguments.list.all || arguments.prefix || !arguments.list.cursor.empty() ||
                     arguments.list.limit != ListOptions{}.limit;
  if (arguments.name && lists) {
    return report(context,
                  usage_failure("--prefix, --limit, --cursor and --all are for the list of "
                                "resources: leave the name out, or them"));
  }
  const bool changes = arguments.change.token || !arguments.change.window.empty() ||
                       !arguments.change.confirmation.empty();
  if (changes && !arguments.capacity) {
    return report(context, usage_failure("--token, --window and --confirmation go with --capacity: "
                                         "looking at a resource changes nothing and needs none"));
  }
  if (arguments.capacity) return declare(context, arguments);
  return arguments.name ? show(context, *arguments.name) : list(context, arguments);
}

}  // namespace

void add_resource(Program& program) {
  auto arguments = std::make_shared<Arguments>();
  Lesson lesson = resource_lesson;
  lesson.refusals = refusals_of(Operation::resource_declare);
  Options options = program.add("resource", lesson,
                                [arguments](Context& context) { return run(context, *arguments); });
  options.optional_argument("NAME", arguments->name, "The resource, by its exact name");
  options.option("--capacity", "N", arguments->capacity, "Declare how much of it there is");
  options.option("--prefix", "P", arguments->prefix, "List resources whose names begin so");
  add_change_options(options, arguments->change);
  add_list_options(options, arguments->list);
}

}  // namespace holdfast::cli

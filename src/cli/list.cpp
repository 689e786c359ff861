#include <fmt/format.h>

#include <memory>

#include "cli/backend.hpp"
#include "cli/listing.hpp"
#include "cli/program.hpp"
#include "cli/reply.hpp"

namespace holdfast::cli {
namespace {

constexpr Lesson lesson{.summary = "List holds, newest first",
                        .paragraph =
                            "Without options, the latest 100 holds. Filters are exact names and "
                            "can be combined. Works at\n"
                            "any time, also while a server owns the store.",
                        .examples =
                            "  holdfast list\n"
                            "  holdfast list --resource room_307 --state confirmed\n"
                            "  holdfast list --requester guest_g91 --all --json",
                        .remote = true};

struct Arguments {
  std::optional<std::string> resource;
  std::optional<std::string> prefix;
  std::optional<std::string> requester;
  std::string state;
  ListOptions list;
};

/// What a reader wants to know of a hold's time, by its state.
std::string outlook(const HoldDetails& details, Instant now) {
  const Hold& hold = details.hold;
  if (hold.resolved_at) {
    return fmt::format("{} {}", name(hold.state), relative_text(*hold.resolved_at, now));
  }
  if (details.lapsed) return fmt::format("lapsed {}", relative_text(hold.expires_at, now));
  return fmt::format("expires {}", relative_text(hold.expires_at, now));
}

std::vector<Cell> cells_of(const HoldDetails& details, Instant now) {
  const Hold& hold = details.hold;
  return {{hold.id.text()},
          {hold.resource},
          {hold.requester},
          {number_text(static_cast<std::uint64_t>(hold.quantity))},
          state_cell(hold.state, details.lapsed),
          {instant_text(hold.placed_at)},
          {outlook(details, now)}};
}

int run(Context& context, const Arguments& arguments) {
  HoldQuery query{.resource = arguments.resource,
                  .resource_prefix = arguments.prefix,
                  .requester = arguments.requester};
  if (!arguments.state.empty()) {
    query.state = hold_state_named(arguments.state);
    if (!query.state) {
      return report(context, usage_failure(fmt::format("'{}' is not a state; write --state held, "
                                                       "confirmed, released or expired",
                                                       printable(arguments.state))));
    }
  }
  const auto limit = parse_limit_argument(arguments.list.limit);
  if (!limit) return report(context, limit.error());
  const auto backend = open_to_read(context);
  if (!backend) return report(context, backend.error());
  const Instant now = context.now();
  const Listing<HoldDetails> listing{
      .one = "hold",
      .columns = {{"HOLD"},
                  {"RESOURCE"},
                  {"REQUESTER"},
                  {"QUANTITY", true},
                  {"STATE"},
                  {"PLACED"},
                  {"WHEN"}},
      .fetch =
          [&](const std::string& cursor, std::size_t count) {
            query.cursor = cursor;
            query.limit = count;
            return (*backend)->holds(query);
          },
      .cells = [&](const HoldDetails& details) { return cells_of(details, now); },
      .write = [](JsonWriter& json,
                  const HoldDetails& details) { write_hold(json, details.hold, details.lapsed); }};
  return ListPrinter(context, listing, arguments.list, *limit).run();
}

}  // namespace

void add_list(Program& program) {
  auto arguments = std::make_shared<Arguments>();
  Options options = program.add("list", lesson,
                                [arguments](Context& context) { return run(context, *arguments); });
  options.option("--resource", "R", arguments->resource, "Only holds on this resource");
  options.option("--resource-prefix", "P", arguments->prefix,
                 "Only holds on resources whose names begin so");
  options.option("--requester", "Q", arguments->requester, "Only holds for this requester");
  options.option("--state", "S", arguments->state, "held, confirmed, released or expired");
  add_list_options(options, arguments->list);
}

}  // namespace holdfast::cli

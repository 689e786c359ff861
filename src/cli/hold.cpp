#include <memory>

#include "cli/arguments.hpp"
#include "cli/change.hpp"

namespace holdfast::cli {
namespace {

constexpr std::array refusals{Rejection::invalid_request, Rejection::resource_unavailable,
                              Rejection::token_collision, Rejection::store_unavailable};

constexpr Lesson lesson{
    .summary = "Place a hold on a resource for a requester",
    .paragraph =
        "The resource is any name; nothing has to be set up first. One that was never declared "
        "has\n"
        "a capacity of 1: a single hold takes it (see holdfast resource --help). The hold lapses "
        "by\n"
        "itself once the duration is over, and the resource is free again at that very instant.",
    .examples =
        "  holdfast hold room_307 guest_g91 24h\n"
        "  holdfast hold flight_12 agency_7 PT15M --quantity 4\n"
        "  holdfast hold room_307 guest_g91 24h --token order-4711    safe to repeat",
    .refusals = refusals,
    .remote = true};

struct Arguments {
  std::string resource;
  std::string requester;
  std::string duration;
  std::string quantity = "1";
  ChangeOptions change;
};

int run(Context& context, const Arguments& arguments) {
  context.token_given = arguments.change.token;
  const auto duration = parse_duration_argument(arguments.duration, "duration");
  if (!duration) return report(context, duration.error());
  const auto quantity = parse_number_argument(arguments.quantity, "quantity");
  if (!quantity) return report(context, quantity.error());
  return run_change(context, arguments.change,
                    Command::place({.resource = arguments.resource,
                                    .requester = arguments.requester,
                                    .duration = *duration,
                                    .quantity = *quantity}));
}

}  // namespace

void add_hold(Program& program) {
  auto arguments = std::make_shared<Arguments>();
  Options options = program.add("hold", lesson,
                                [arguments](Context& context) { return run(context, *arguments); });
  options.argument("RESOURCE", arguments->resource, "What to hold, by its exact name");
  options.argument("REQUESTER", arguments->requester, "For whom");
  options.argument("DURATION", arguments->duration,
                   "For how long: 90s, 15m, 24h, 7d or PT15M; 1ms to 366d");
  options.option("--quantity", "N", arguments->quantity, "How much of it (1)");
  add_change_options(options, arguments->change);
}

}  // namespace holdfast::cli

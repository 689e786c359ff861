#include <fmt/format.h>

#include <memory>

#include "cli/arguments.hpp"
#include "cli/backend.hpp"
#include "cli/program.hpp"
#include "cli/reply.hpp"
#include "cli/text.hpp"

namespace holdfast::cli {
namespace {

constexpr std::array refusals{Rejection::not_known};

constexpr Lesson lesson{.summary = "Show one hold, its lifecycle and its token, or a group",
                        .paragraph =
                            "Shows what the store knows of a hold, now and what became of it, and "
                            "the token that placed\n"
                            "it. Works at any time, also while a server owns the store. A held "
                            "hold past its instant is\n"
                            "shown as lapsed: it no longer occupies anything.",
                        .examples =
                            "  holdfast show h1-4c1f0a9be2d7731\n"
                            "  holdfast show h1-4c1f0a9be2d7731 --json\n"
                            "  holdfast show g1-4c1f0a9be2d7731",
                        .refusals = refusals,
                        .remote = true};

void print_lifecycle(Context& context, const HoldDetails& details) {
  const Hold& hold = details.hold;
  Table table({{}, {}, {}}, "  ");
  table.add({{instant_text(hold.placed_at)},
             state_cell(HoldState::held, false),
             {fmt::format("for {}", span_text(hold.expires_at - hold.placed_at))}});
  if (details.lapsed) {
    table.add({{instant_text(hold.expires_at)}, {"lapsed", Colour::yellow}});
  } else if (hold.resolved_at) {
    table.add({{instant_text(*hold.resolved_at)},
               state_cell(hold.state, false),
               {fmt::format("after {}", span_text(*hold.resolved_at - hold.placed_at))}});
  }
  context.out.line(context.out.paint(Colour::bold, "Lifecycle"));
  table.print(context.out);
}

void print(Context& context, const HoldDetails& details) {
  print_hold(context, details.hold, details.lapsed);
  context.out.line();
  print_lifecycle(context, details);
  context.out.line();
  context.out.line(fmt::format("placed with token {}", printable(details.token)));
}

int show_group(Context& context, GroupId id) {
  const auto backend = open_to_read(context);
  if (!backend) return report(context, backend.error());
  const auto group = (*backend)->group(id);
  if (!group) return report(context, group.error());
  if (!*group) {
    return report(context, refusal(Rejection::not_known, "No group with this id exists here."));
  }
  if (!context.settings.json) {
    print_group(context, **group);
    return 0;
  }
  std::string body;
  JsonWriter json(body);
  write_group(json, **group);
  print_json(context.out, {.body = body});
  return 0;
}

int run(Context& context, const std::string& text) {
  if (const auto group = GroupId::parse(text)) return show_group(context, *group);
  const auto id = parse_id_argument(text);
  if (!id) return report(context, id.error());
  const auto backend = open_to_read(context);
  if (!backend) return report(context, backend.error());
  const auto details = (*backend)->hold(*id);
  if (!details) return report(context, details.error());
  if (!*details) {
    return report(context,
                  refusal(Rejection::not_known, std::string(row(Rejection::not_known).text)));
  }
  if (!context.settings.json) {
    print(context, **details);
    return 0;
  }
  std::string body;
  JsonWriter json(body);
  write_hold_details(json, **details);
  print_json(context.out, {.body = body});
  return 0;
}

}  // namespace

void add_show(Program& program) {
  auto id = std::make_shared<std::string>();
  Options options =
      program.add("show", lesson, [id](Context& context) { return run(context, *id); });
  options.argument("ID", *id, "The hold's id, or the group's");
}

}  // namespace holdfast::cli

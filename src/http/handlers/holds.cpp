// Looking at holds.

#include <fmt/format.h>

#include "base/time_text.hpp"
#include "engine/questions.hpp"
#include "http/handlers/changes.hpp"
#include "http/handlers/listing.hpp"
#include "http/handlers/problem.hpp"
#include "http/router.hpp"

namespace holdfast::http {
namespace {

HoldId hold_id(const Context& context) {
  return hold_named(context.segment(2).value_or(std::string(context.target.segments[2])));
}

}  // namespace

void show_hold(Context& context) {
  if (!check_no_query(context)) return;
  const HoldId id = hold_id(context);
  context.application.read(context.reply, [&application = context.application, id,
                                           tenant = context.exchange.identity.caller.tenant] {
    const auto details = application.store().hold(tenant, id);
    if (!details) return store_problem(details.error());
    if (!*details) return problem_response(problem_for(Rejection::not_known));
    Response response;
    JsonWriter json(response.body);
    write_hold_details(json, **details);
    if ((*details)->hold.state == HoldState::held && !(*details)->lapsed) {
      const Duration left = (*details)->hold.expires_at - application.store().now();
      response.body.pop_back();
      response.body +=
          fmt::format(R"(,"expires_in_ms":{}}})",
                      std::max<std::int64_t>(
                          0, std::chrono::duration_cast<std::chrono::milliseconds>(left).count()));
    }
    return response;
  });
}

void show_group(Context& context) {
  if (!check_no_query(context)) return;
  const GroupId id =
      group_named(context.segment(2).value_or(std::string(context.target.segments[2])));
  context.application.read(context.reply, [&application = context.application, id,
                                           tenant = context.exchange.identity.caller.tenant] {
    const auto group = read_group(application.store(), tenant, id);
    if (!group) return store_problem(group.error());
    if (!*group) return problem_response(problem_for(Rejection::not_known));
    Response response;
    JsonWriter json(response.body);
    write_group(json, **group);
    return response;
  });
}

void list_holds(Context& context) {
  HoldQuery query;
  QueryReader reader(context);
  query.resource = reader.text("resource");
  query.resource_prefix = reader.text("resource_prefix");
  query.requester = reader.text("requester");
  if (const auto state = reader.text("state")) {
    query.state = hold_state_named(*state);
    if (!query.state) reader.wrong("state", "States are held, confirmed, released and expired.");
  }
  if (const auto after = reader.text("placed_after")) {
    query.placed_after = parse_rfc3339(*after);
    if (!query.placed_after)
      reader.wrong("placed_after", "Write an instant as 2026-01-02T03:04:05Z.");
  }
  query.cursor = reader.text("cursor").value_or("");
  query.limit = reader.limit();
  if (reader.refused()) return;
  const std::string address = list_address(context, query.limit);
  context.application.read(context.reply, [&application = context.application, query, address,
                                           tenant = context.exchange.identity.caller.tenant] {
    const auto page = application.store().holds(tenant, query);
    if (!page) return list_problem(page.error());
    return page_response<HoldDetails>(*page, address,
                                      [](JsonWriter& json, const HoldDetails& details) {
                                        write_hold(json, details.hold, details.lapsed);
                                      });
  });
}

}  // namespace holdfast::http

// Looking at the inbox.

#include "command_views/inbox_lists.hpp"
#include "http/handlers/changes.hpp"
#include "http/handlers/listing.hpp"
#include "http/handlers/problem.hpp"
#include "http/router.hpp"

namespace holdfast::http {
using webhooks::EntryView;

void show_inbox_entry(Context& context) {
  if (!check_no_query(context)) return;
  auto id = name_in_path(context, 2, "entry");
  if (!id) return;
  context.application.read(context.reply, [&application = context.application, id = std::move(*id),
                                           tenant = context.exchange.identity.caller.tenant] {
    const auto view = webhooks::find_entry(application.store(), tenant, id);
    if (!view) return store_problem(view.error());
    if (!*view) return problem_response(problem_for(Rejection::inbox_entry_not_known));
    Response response;
    JsonWriter json(response.body);
    (*view)->write(json);
    return response;
  });
}

void list_inbox(Context& context) {
  QueryReader reader(context);
  webhooks::EntriesAsked asked{.tenant = context.exchange.identity.caller.tenant};
  if (const auto given = reader.text("status")) {
    asked.status = webhooks::status_named(*given);
    if (!asked.status) reader.wrong("status", "A status is received, processing, done or dead.");
  }
  asked.source = reader.text("source").value_or("");
  asked.cursor = reader.text("cursor").value_or("");
  asked.limit = reader.limit();
  if (reader.refused()) return;
  context.application.read(
      context.reply, [&application = context.application, asked = std::move(asked),
                      address = list_address(context, asked.limit)] {
        const auto page = webhooks::list_entries(application.store(), asked);
        if (!page) return list_problem(page.error());
        return page_response(*page, address,
                             [](JsonWriter& json, const EntryView& view) { view.write(json); });
      });
}

}  // namespace holdfast::http

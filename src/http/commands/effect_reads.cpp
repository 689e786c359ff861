// Looking at effects: they are found by their commands, which are a tenant's.

#include "command_views/effect_lists.hpp"
#include "http/handlers/changes.hpp"
#include "http/handlers/listing.hpp"
#include "http/handlers/problem.hpp"
#include "http/router.hpp"

namespace holdfast::http {
using commands::EffectStatus;
using commands::EffectView;

void show_effect(Context& context) {
  if (!check_no_query(context)) return;
  auto id = name_in_path(context, 2, "effect");
  if (!id) return;
  context.application.read(context.reply, [&application = context.application, id = std::move(*id),
                                           tenant = context.exchange.identity.caller.tenant] {
    const Store& store = application.store();
    const auto view = commands::find_effect(store, tenant, id);
    if (!view) return store_problem(view.error());
    if (!*view) {
      return problem_response(problem_for(Rejection::command_not_known,
                                          "There is no such command, or its effect has settled."));
    }
    Response response;
    JsonWriter json(response.body);
    (*view)->write(json, store.now());
    return response;
  });
}

namespace {

/// The effect of that command, if it has one that is not over and stands so.
StoreResult<Page<EffectView>> effects_of(const Store& store, const std::string& tenant,
                                         const std::string& id,
                                         std::optional<EffectStatus> status) {
  auto view = commands::find_effect(store, tenant, id);
  if (!view) return tl::unexpected(view.error());
  Page<EffectView> page;
  if (*view && (!status || (*view)->status() == *status)) page.items.push_back(std::move(**view));
  return page;
}

}  // namespace

void list_effects(Context& context) {
  QueryReader reader(context);
  std::optional<EffectStatus> status;
  if (const auto given = reader.text("status")) {
    status = commands::effect_status_named(*given);
    if (!status) reader.wrong("status", "A status is waiting, leased, unknown or dead.");
  }
  auto command = reader.text("command_id");
  std::string cursor = reader.text("cursor").value_or("");
  if (command && !cursor.empty())
    reader.wrong("cursor", "A command has one effect at most: there is no next page of it.");
  const std::size_t limit = reader.limit();
  if (reader.refused()) return;
  context.application.read(context.reply, [&application = context.application, status,
                                           command = std::move(command), cursor = std::move(cursor),
                                           limit, address = list_address(context, limit),
                                           tenant = context.exchange.identity.caller.tenant] {
    const Store& store = application.store();
    const auto page =
        command ? effects_of(store, tenant, *command, status)
                : commands::list_effects_of(
                      store, {.tenant = tenant, .cursor = cursor, .limit = limit}, status);
    if (!page) return list_problem(page.error());
    return page_response(
        *page, address,
        [now = store.now()](JsonWriter& json, const EffectView& view) { view.write(json, now); });
  });
}

}  // namespace holdfast::http

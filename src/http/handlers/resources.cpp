// Looking at resources.

#include "http/handlers/changes.hpp"
#include "http/handlers/listing.hpp"
#include "http/handlers/problem.hpp"
#include "http/router.hpp"

namespace holdfast::http {
void show_resource(Context& context) {
  if (!check_no_query(context)) return;
  const auto name = name_in_path(context, 2, "resource");
  if (!name) return;
  context.application.read(context.reply, [&application = context.application, name = *name,
                                           tenant = context.exchange.identity.caller.tenant] {
    const auto resource = application.store().resource(tenant, name);
    if (!resource) return store_problem(resource.error());
    Response response;
    JsonWriter json(response.body);
    write_resource(json, *resource);
    return response;
  });
}

void show_availability(Context& context) {
  if (!check_no_query(context)) return;
  const auto name = name_in_path(context, 2, "resource");
  if (!name) return;
  context.application.read(context.reply, [&application = context.application, name = *name,
                                           tenant = context.exchange.identity.caller.tenant] {
    const auto found = application.store().availability(tenant, name);
    if (!found) return store_problem(found.error());
    Response response;
    JsonWriter json(response.body);
    write_availability(json, *found);
    return response;
  });
}

void list_resources(Context& context) {
  ResourceQuery query;
  QueryReader reader(context);
  query.prefix = reader.text("prefix");
  query.cursor = reader.text("cursor").value_or("");
  query.limit = reader.limit();
  if (reader.refused()) return;
  context.application.read(context.reply, [&application = context.application, query,
                                           address = list_address(context, query.limit),
                                           tenant = context.exchange.identity.caller.tenant] {
    const auto page = application.store().resources(tenant, query);
    if (!page) return list_problem(page.error());
    return page_response<Resource>(*page, address, write_resource);
  });
}

}  // namespace holdfast::http

// Declaring resources and looking at them.

#include "base/utf8.hpp"
#include "http/handlers/changes.hpp"
#include "http/handlers/listing.hpp"
#include "http/handlers/problem.hpp"
#include "http/router.hpp"

namespace holdfast::http {
namespace {

/// The name in the path. Nothing, with the request answered, when it is no text.
std::optional<std::string> resource_name(Context& context) {
  auto name = context.segment(2);
  if (name && is_valid_utf8(*name) && name->find('\0') == std::string::npos) return name;
  context.reply.send(problem_response(
      problem_for(Rejection::malformed_request,
                  "The resource's name in the path is not UTF-8 text, or holds a zero byte.")));
  return std::nullopt;
}

}  // namespace

void declare_resource(Context& context) {
  if (!check_headers(context, Operation::resource_declare)) return;
  auto name = resource_name(context);
  if (!name) return;
  auto command =
      read_declaring(std::move(*name), context.request.body, context.application.settings().limits);
  if (!command) return refuse_body(context, command.error());
  submit_change(context, std::move(*command));
}

void show_resource(Context& context) {
  if (!check_no_query(context)) return;
  const auto name = resource_name(context);
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

void list_resources(Context& context) {
  ResourceQuery query;
  QueryReader reader(context);
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

// The registry in force, as everybody may see it.

#include "http/commands/registry_keeper.hpp"
#include "http/handlers/listing.hpp"
#include "http/router.hpp"
#include "modules/commands/declaration.hpp"

namespace holdfast::http {

void show_registry(Context& context) {
  if (!check_no_query(context)) return;
  const auto registry = context.application.registry().registry();
  Response response{.body = registry->published};
  add_header(response.headers, "ETag", '"' + registry->digest + '"');
  context.reply.send(std::move(response));
}

}  // namespace holdfast::http

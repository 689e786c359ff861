// Looking at rows of modules: their tables say where they are asked for and what is shown.

#include "domain/module.hpp"
#include "http/handlers/changes.hpp"
#include "http/handlers/listing.hpp"
#include "http/handlers/problem.hpp"
#include "http/router.hpp"

namespace holdfast::http {
namespace {

void show(const RowRead& read, std::string_view key, const void* row, JsonWriter& json) {
  read.show == nullptr ? find_row_kind(read.space)->write(row, json) : read.show(key, row, json);
}

void show_one(Context& context, const RowRead& read) {
  if (!check_no_query(context)) return;
  auto key =
      name_in_path(context, context.target.segments.size() - 1, find_row_kind(read.space)->name);
  if (!key) return;
  context.application.read(context.reply, [&application = context.application, &read,
                                           query = RowQuery{.space = read.space, .key = *key},
                                           tenant = context.exchange.identity.caller.tenant] {
    const auto page = application.store().rows(tenant, query);
    if (!page) return store_problem(page.error());
    if (page->items.empty()) return problem_response(problem_for(Rejection::not_known));
    Response response;
    JsonWriter json(response.body);
    show(read, *query.key, page->items.front().row.value.get(), json);
    return response;
  });
}

void list_some(Context& context, const RowRead& read) {
  RowQuery query{.space = read.space};
  QueryReader reader(context);
  query.parent = reader.text(read.parent).value_or("");
  if (query.parent.empty()) reader.wrong(read.parent, "Say whose.");
  query.cursor = reader.text("cursor").value_or("");
  query.limit = reader.limit();
  if (reader.refused()) return;
  context.application.read(context.reply, [&application = context.application, &read, query,
                                           address = list_address(context, query.limit),
                                           tenant = context.exchange.identity.caller.tenant] {
    const auto page = application.store().rows(tenant, query);
    if (!page) return list_problem(page.error());
    return page_response(*page, address, [&](JsonWriter& json, const RowFound& found) {
      show(read, found.place.key, found.row.value.get(), json);
    });
  });
}

}  // namespace

void show_rows(Context& context) {
  const RowRead& read = *context.exchange.route->rows;
  read.parent.empty() ? show_one(context, read) : list_some(context, read);
}

}  // namespace holdfast::http

// Looking at subscriptions, and at their signing secrets.

#include "base/json_members.hpp"
#include "deliveries/signing.hpp"
#include "http/handlers/changes.hpp"
#include "http/handlers/listing.hpp"
#include "http/handlers/problem.hpp"
#include "http/router.hpp"

namespace holdfast::http {
namespace {

using subscriptions::SubscriptionRow;

/// The row of a tenant's subscription; nothing if it has none of that id.
StoreResult<std::optional<SubscriptionRow>> find_subscription(const Store& store,
                                                              const std::string& tenant,
                                                              const std::string& id) {
  const auto page = store.rows(SubscriptionRow::tenant_of_list,
                               {.space = SubscriptionRow::space, .key = id, .limit = 1});
  if (!page) return tl::unexpected(page.error());
  if (page->items.empty()) return std::nullopt;
  const auto* const row = row_of<SubscriptionRow>(&page->items.front().row);
  return row != nullptr && row->tenant == tenant ? std::optional(*row) : std::nullopt;
}

/// Reads one and shows what `write` says of it.
template <typename Write>
void show_one(Context& context, const Write& write) {
  if (!check_no_query(context)) return;
  auto id = name_in_path(context, 2, "subscription");
  if (!id) return;
  context.application.read(
      context.reply, [&application = context.application, id = std::move(*id), write,
                      tenant = context.exchange.identity.caller.tenant] {
        const auto row = find_subscription(application.store(), tenant, id);
        if (!row) return store_problem(row.error());
        if (!*row) return problem_response(problem_for(Rejection::subscription_not_known));
        Response response;
        JsonWriter json(response.body);
        write(application.store(), **row, json);
        return response;
      });
}

/// A page of the list that all tenants share, without those of others: it may be short.
StoreResult<Page<SubscriptionRow>> page_of(const Store& store, const std::string& tenant,
                                           const std::string& cursor, std::size_t limit) {
  const auto found =
      store.rows(SubscriptionRow::tenant_of_list, {.space = SubscriptionRow::space,
                                                   .parent = std::string(SubscriptionRow::list),
                                                   .cursor = cursor,
                                                   .limit = limit});
  if (!found) return tl::unexpected(found.error());
  Page<SubscriptionRow> page{.items = {}, .next = found->next};
  for (const RowFound& each : found->items) {
    const auto* const row = row_of<SubscriptionRow>(&each.row);
    if (row != nullptr && row->tenant == tenant) page.items.push_back(*row);
  }
  return page;
}

}  // namespace

void show_subscription(Context& context) {
  show_one(context, [](const Store&, const SubscriptionRow& row, JsonWriter& json) {
    write_subscription(row, json);
  });
}

void show_subscription_secret(Context& context) {
  show_one(context, [](const Store& store, const SubscriptionRow& row, JsonWriter& json) {
    const HashKey& secret = store.rules().confirmation_secret;
    json.begin_object();
    text_member(json, "id", row.id);
    json.key("secrets");
    json.begin_array();
    for (const auto& each : deliveries::signing_secrets(secret, row, store.now()))
      json.string(each.text());
    json.end_array();
    json.end_object();
  });
}

void list_subscriptions(Context& context) {
  QueryReader reader(context);
  std::string cursor = reader.text("cursor").value_or("");
  const std::size_t limit = reader.limit();
  if (reader.refused()) return;
  context.application.read(
      context.reply,
      [&application = context.application, cursor = std::move(cursor), limit,
       address = list_address(context, limit), tenant = context.exchange.identity.caller.tenant] {
        const auto page = page_of(application.store(), tenant, cursor, limit);
        if (!page) return list_problem(page.error());
        return page_response(*page, address, [](JsonWriter& json, const SubscriptionRow& row) {
          write_subscription(row, json);
        });
      });
}

}  // namespace holdfast::http

// What people are told of webhooks: those that come in, and those that go out.

#include "openapi/parts.hpp"

namespace holdfast::http::openapi {

std::vector<RouteText> webhook_routes() {
  return {
      {.method = "POST",
       .pattern = "/v1/webhooks/{source}",
       .id = "receive_webhook",
       .tag = "webhooks",
       .summary = "Take a webhook in",
       .description =
           "For those that the registry declares as sources. No key is needed: the signature, over "
           "the body as it is sent, lets in. Each event id is taken in once; what is sent again is "
           "answered the same, whatever it brings; another body is on record as a conflict. The "
           "body is anything, of at most 1 MiB.",
       .parameters = {"WebhookSource"},
       .success = "The webhook was taken in, now or before.",
       .answer = "WebhookTaken",
       .headers = {{"Idempotent-Replayed"}},
       .rejections = {Rejection::no_such_address, Rejection::malformed_request,
                      Rejection::unauthenticated, Rejection::too_large, Rejection::throttled,
                      Rejection::overloaded, Rejection::store_unavailable, Rejection::in_progress}},
      {.method = "GET",
       .pattern = "/v1/inbox",
       .id = "list_inbox",
       .tag = "inbox",
       .summary = "List webhooks that were taken in",
       .description = "Newest first; those that are not done before those that are.",
       .parameters = {"EntryStatus", "EntrySource", "Cursor", "Limit"},
       .success = "A page of entries.",
       .answer = "InboxPage",
       .headers = {{"Link", false}}},
      {.method = "GET",
       .pattern = "/v1/inbox/{id}",
       .id = "show_inbox_entry",
       .tag = "inbox",
       .summary = "Show a webhook that was taken in",
       .description = "What was sent, and what became of it.",
       .parameters = {"EntryId"},
       .success = "The entry, with its body.",
       .answer = "InboxEntry",
       .rejections = {Rejection::inbox_entry_not_known}}};
}

std::vector<RouteText> subscription_routes() {
  return {
      {.method = "GET",
       .pattern = "/v1/subscriptions",
       .id = "list_subscriptions",
       .tag = "subscriptions",
       .summary = "List subscriptions",
       .description = "Oldest first. A page may be shorter than `limit` and still have a next one.",
       .parameters = {"Cursor", "Limit"},
       .success = "A page of subscriptions.",
       .answer = "SubscriptionPage",
       .headers = {{"Link", false}}},
      {.method = "GET",
       .pattern = "/v1/subscriptions/{id}",
       .id = "show_subscription",
       .tag = "subscriptions",
       .summary = "Show a subscription",
       .description = "How far it has come, and why it is not sent to.",
       .parameters = {"SubscriptionId"},
       .success = "The subscription.",
       .answer = "SubscriptionDocument",
       .rejections = {Rejection::subscription_not_known}},
      {.method = "GET",
       .pattern = "/v1/subscriptions/{id}/secret",
       .id = "show_subscription_secret",
       .tag = "subscriptions",
       .summary = "Show the signing secrets of a subscription",
       .description = "The one in force first; after it was rotated, for a day, the one before. "
                      "For operators.",
       .parameters = {"SubscriptionId"},
       .success = "The secrets.",
       .answer = "SubscriptionSecrets",
       .rejections = {Rejection::subscription_not_known}},
  };
}

}  // namespace holdfast::http::openapi

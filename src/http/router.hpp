#pragma once

#include <string>
#include <string_view>

#include "http/application.hpp"
#include "http/transport/exchange.hpp"
#include "http/transport/message.hpp"
#include "http/transport/target.hpp"
#include "routes/routes.hpp"

namespace holdfast::http {

/// What a handler works with. Good until it returns.
struct Context {
  Application& application;
  Worker& worker;
  const Request& request;
  const Target& target;
  Exchange& exchange;
  Reply reply;

  /// A part of the path, decoded; nothing if its escapes are broken.
  [[nodiscard]] std::optional<std::string> segment(std::size_t index) const {
    return percent_decoded(target.segments[index]);
  }
};

using Handler = void (*)(Context&);

struct Match {
  const Route* route = nullptr;
  Handler handler = nullptr;  ///< of that route
  std::string allow{};        ///< methods of this path, when `route` is null; empty: no such path
};

/// HEAD finds what GET does.
[[nodiscard]] Match find_route(std::string_view method, const Target& target);

// The handlers, grouped in files by what they are about.

void show_hold(Context& context);
void list_holds(Context& context);
void show_resource(Context& context);
void list_resources(Context& context);
void show_availability(Context& context);
void show_group(Context& context);
void show_rows(Context& context);
void run_batch(Context& context);
void show_token(Context& context);
void list_commands(Context& context);
void show_command(Context& context);
void list_effects(Context& context);
void show_effect(Context& context);
void show_registry(Context& context);
void list_subscriptions(Context& context);
void show_subscription(Context& context);
void show_subscription_secret(Context& context);
void receive_webhook(Context& context);
void list_inbox(Context& context);
void show_inbox_entry(Context& context);
void show_events(Context& context);
void show_evidence(Context& context);
void show_evidence_head(Context& context);
void show_evidence_proof(Context& context);
void run_audit(Context& context);
void show_console(Context& context);
void show_live(Context& context);
void show_ready(Context& context);
void show_metrics(Context& context);
void show_version(Context& context);
void show_openapi(Context& context);

}  // namespace holdfast::http

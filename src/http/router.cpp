#include "http/router.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "base/assert.hpp"
#include "http/handlers/changes.hpp"

namespace holdfast::http {
namespace {

struct Handled {
  std::string_view method;
  std::string_view pattern;
  Handler handler;
};

/// What answers the addresses that are no operations.
constexpr std::array handler_table{
    Handled{"GET", "/v1/holds", list_holds},
    Handled{"GET", "/v1/holds/{id}", show_hold},
    Handled{"GET", "/v1/groups/{id}", show_group},
    Handled{"GET", "/v1/resources", list_resources},
    Handled{"GET", "/v1/resources/{name}", show_resource},
    Handled{"GET", "/v1/resources/{name}/availability", show_availability},
    Handled{"POST", "/v1/batch", run_batch},
    Handled{"GET", "/v1/tokens/{token}", show_token},
    Handled{"GET", "/v1/commands", list_commands},
    Handled{"GET", "/v1/commands/{id}", show_command},
    Handled{"GET", "/v1/effects", list_effects},
    Handled{"GET", "/v1/effects/{id}", show_effect},
    Handled{"GET", "/v1/registry", show_registry},
    Handled{"GET", "/v1/subscriptions", list_subscriptions},
    Handled{"GET", "/v1/subscriptions/{id}", show_subscription},
    Handled{"GET", "/v1/subscriptions/{id}/secret", show_subscription_secret},
    Handled{"POST", "/v1/webhooks/{source}", receive_webhook},
    Handled{"GET", "/v1/inbox", list_inbox},
    Handled{"GET", "/v1/inbox/{id}", show_inbox_entry},
    Handled{"GET", "/v1/events", show_events},
    Handled{"GET", "/v1/evidence", show_evidence},
    Handled{"GET", "/v1/evidence/head", show_evidence_head},
    Handled{"GET", "/v1/evidence/{seq}/proof", show_evidence_proof},
    Handled{"GET", "/v1/audit", run_audit},
    Handled{"GET", "/", show_console},
    Handled{"GET", "/livez", show_live},
    Handled{"GET", "/readyz", show_ready},
    Handled{"GET", "/metrics", show_metrics},
    Handled{"GET", "/version", show_version},
    Handled{"GET", "/openapi.json", show_openapi},
};

void change(Context& context) { run_change(context, spec_of(context.exchange.route->operation)); }

Handler handler_of(const Route& route) {
  if (route.keyed()) return change;
  if (route.rows != nullptr) return show_rows;
  for (const Handled& each : handler_table) {
    if (each.method == route.method && each.pattern == route.pattern) return each.handler;
  }
  return nullptr;
}

/// In the order of the routes.
const std::vector<Handler>& handlers() {
  static const std::vector<Handler> all = [] {
    std::vector<Handler> made;
    for (const Route& each : routes()) made.push_back(handler_of(each));
    HOLDFAST_ASSERT(std::find(made.begin(), made.end(), nullptr) == made.end());
    return made;
  }();
  return all;
}

bool matches(std::string_view pattern, const Segments& segments) {
  pattern.remove_prefix(1);
  for (const std::string_view segment : segments) {
    if (pattern.empty()) return false;
    const std::string_view wanted = pattern.substr(0, pattern.find('/'));
    const bool any = wanted.starts_with('{') && !segment.empty();
    if (!any && wanted != segment) return false;
    pattern.remove_prefix(std::min(pattern.size(), wanted.size() + 1));
  }
  return pattern.empty();
}

}  // namespace

Match find_route(std::string_view method, const Target& target) {
  Match match;
  const std::string_view wanted = method == "HEAD" ? "GET" : method;
  for (const Route& each : routes()) {
    if (!matches(each.pattern, target.segments)) continue;
    if (each.method == wanted) {
      match.route = &each;
      match.handler = handlers()[static_cast<std::size_t>(&each - routes().data())];
      return match;
    }
    match.allow.append(each.method).append(each.method == "GET" ? ", HEAD, " : ", ");
  }
  if (!match.allow.empty()) match.allow.append("OPTIONS");
  return match;
}

}  // namespace holdfast::http

#include "http/router.hpp"

#include <array>

namespace holdfast::http {
namespace {

struct Handled {
  std::string_view method;
  std::string_view pattern;
  Handler handler;
};

/// What answers each route, in the order of the routes.
constexpr std::array handler_table{
    Handled{"POST", "/v1/holds", place_hold},
    Handled{"GET", "/v1/holds", list_holds},
    Handled{"GET", "/v1/holds/{id}", show_hold},
    Handled{"POST", "/v1/holds/{id}/confirm", confirm_hold},
    Handled{"POST", "/v1/holds/{id}/release", release_hold},
    Handled{"POST", "/v1/holds/{id}/expire", expire_hold},
    Handled{"GET", "/v1/resources", list_resources},
    Handled{"GET", "/v1/resources/{name}", show_resource},
    Handled{"PUT", "/v1/resources/{name}", declare_resource},
    Handled{"POST", "/v1/batch", run_batch},
    Handled{"GET", "/v1/tokens/{token}", show_token},
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

constexpr bool every_route_is_handled() {
  if (handler_table.size() != route_table.size()) return false;
  for (std::size_t i = 0; i < route_table.size(); ++i) {
    if (handler_table[i].method != route_table[i].method) return false;
    if (handler_table[i].pattern != route_table[i].pattern) return false;
  }
  return true;
}
static_assert(every_route_is_handled());

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
  for (std::size_t i = 0; i < route_table.size(); ++i) {
    const Route& each = route_table[i];
    if (!matches(each.pattern, target.segments)) continue;
    if (each.method == wanted) {
      match.route = &each;
      match.handler = handler_table[i].handler;
      return match;
    }
    match.allow.append(each.method).append(each.method == "GET" ? ", HEAD, " : ", ");
  }
  if (!match.allow.empty()) match.allow.append("OPTIONS");
  return match;
}

}  // namespace holdfast::http

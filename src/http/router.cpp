#include "http/router.hpp"

#include <array>

namespace holdfast::http {
namespace {

constexpr std::array route_table{
    Route{"POST", "/v1/holds", Access::change, place_hold, true},
    Route{"GET", "/v1/holds", Access::read, list_holds},
    Route{"GET", "/v1/holds/{id}", Access::read, show_hold},
    Route{"POST", "/v1/holds/{id}/confirm", Access::change, confirm_hold, true},
    Route{"POST", "/v1/holds/{id}/release", Access::change, release_hold, true},
    Route{"POST", "/v1/holds/{id}/expire", Access::change, expire_hold, true},
    Route{"GET", "/v1/resources", Access::read, list_resources},
    Route{"GET", "/v1/resources/{name}", Access::read, show_resource},
    Route{"PUT", "/v1/resources/{name}", Access::configure, declare_resource, true},
    Route{"POST", "/v1/batch", Access::change, run_batch},
    Route{"GET", "/v1/tokens/{token}", Access::read, show_token},
    Route{"GET", "/v1/events", Access::read, show_events},
    Route{"GET", "/v1/evidence", Access::read, show_evidence},
    Route{"GET", "/v1/evidence/head", Access::read, show_evidence_head},
    Route{"GET", "/v1/evidence/{seq}/proof", Access::read, show_evidence_proof},
    Route{"GET", "/v1/audit", Access::watch, run_audit},
    Route{"GET", "/", Access::open, show_console},
    Route{"GET", "/livez", Access::open, show_live},
    Route{"GET", "/readyz", Access::open, show_ready},
    Route{"GET", "/metrics", Access::watch, show_metrics},
    Route{"GET", "/version", Access::open, show_version},
    Route{"GET", "/openapi.json", Access::open, show_openapi},
};

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

bool allows(Role role, Access access) {
  switch (access) {
    case Access::open:
    case Access::read:
      return true;
    case Access::change:
      return role == Role::operator_role || role == Role::client;
    case Access::configure:
      return role == Role::operator_role;
    case Access::watch:
      return role == Role::operator_role || role == Role::auditor;
  }
  return false;
}

std::span<const Route> routes() { return route_table; }

Match find_route(std::string_view method, const Target& target) {
  Match match;
  const std::string_view wanted = method == "HEAD" ? "GET" : method;
  for (const Route& each : route_table) {
    if (!matches(each.pattern, target.segments)) continue;
    if (each.method == wanted) {
      match.route = &each;
      return match;
    }
    match.allow.append(each.method).append(each.method == "GET" ? ", HEAD, " : ", ");
  }
  if (!match.allow.empty()) match.allow.append("OPTIONS");
  return match;
}

}  // namespace holdfast::http

#include "routes/routes.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "domain/module.hpp"

namespace holdfast::http {
namespace {

/// The address of an operation: its own row says where it is.
constexpr Route of(Operation operation) { return {"", "", Access::change, operation}; }

/// In the order in which the contract has them. Operations that are not listed come last.
constexpr std::array listed_routes{
    of(Operation::hold_place),
    Route{"GET", "/v1/holds", Access::read},
    Route{"GET", "/v1/holds/{id}", Access::read},
    of(Operation::hold_confirm),
    of(Operation::hold_release),
    of(Operation::hold_expire),
    of(Operation::hold_extend),
    of(Operation::hold_cancel),
    of(Operation::group_place),
    Route{"GET", "/v1/groups/{id}", Access::read},
    of(Operation::group_confirm),
    of(Operation::group_release),
    of(Operation::group_extend),
    Route{"GET", "/v1/resources", Access::read},
    Route{"GET", "/v1/resources/{name}", Access::read},
    of(Operation::resource_declare),
    Route{"GET", "/v1/resources/{name}/availability", Access::read},
    Route{"POST", "/v1/batch", Access::change},
    Route{"GET", "/v1/tokens/{token}", Access::read},
    Route{"GET", "/v1/commands", Access::read},
    Route{"GET", "/v1/commands/{id}", Access::read},
    Route{"GET", "/v1/effects", Access::read},
    Route{"GET", "/v1/effects/{id}", Access::read},
    Route{"GET", "/v1/registry", Access::read},
    Route{"GET", "/v1/subscriptions", Access::read},
    Route{"GET", "/v1/subscriptions/{id}", Access::read},
    Route{"GET", "/v1/subscriptions/{id}/secret", Access::configure},
    Route{"POST", "/v1/webhooks/{source}", Access::open},  // the signature lets in
    Route{"GET", "/v1/inbox", Access::read},
    Route{"GET", "/v1/inbox/{id}", Access::read},
    Route{"GET", "/v1/events", Access::read},
    Route{"GET", "/v1/evidence", Access::read},
    Route{"GET", "/v1/evidence/head", Access::read},
    Route{"GET", "/v1/evidence/{seq}/proof", Access::read},
    Route{"GET", "/v1/audit", Access::watch},
    Route{"GET", "/", Access::open},
    Route{"GET", "/livez", Access::open},
    Route{"GET", "/readyz", Access::open},
    Route{"GET", "/metrics", Access::watch},
    Route{"GET", "/version", Access::open},
    Route{"GET", "/openapi.json", Access::open},
};

Route placed(Route route) {
  if (!route.keyed()) return route;
  const Address& address = spec_of(route.operation).address;
  route.method = address.method;
  route.pattern = address.pattern;
  if (address.configures) route.access = Access::configure;
  return route;
}

std::vector<Route> make_routes() {
  std::vector<Route> made;
  for (const Route& each : listed_routes) made.push_back(placed(each));
  for (const OperationRow& row : operations()) {
    const bool listed = std::any_of(made.begin(), made.end(),
                                    [&](const Route& each) { return each.operation == row.id; });
    if (!listed && spec_of(row.id).address.is_public()) made.push_back(placed(of(row.id)));
  }
  for (const Module* module : modules()) {
    for (const RowRead& each : module->reads)
      made.push_back(
          {.method = "GET", .pattern = each.pattern, .access = Access::read, .rows = &each});
  }
  return made;
}

}  // namespace

std::span<const Route> routes() {
  static const std::vector<Route> made = make_routes();
  return made;
}

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

}  // namespace holdfast::http

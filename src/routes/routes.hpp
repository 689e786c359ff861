#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "keys/keys.hpp"

/// Every address of the service: what the server answers, and what the contract describes.
namespace holdfast::http {

/// What a caller must be allowed to do.
enum class Access : std::uint8_t {
  open,       ///< nothing: no credential is looked at
  read,       ///< look at what is its tenant's: every role
  change,     ///< place and resolve holds: operators and clients
  configure,  ///< declare resources: operators
  watch,      ///< look at the service as a whole: operators and auditors
};

[[nodiscard]] bool allows(Role role, Access access);

struct Route {
  std::string_view method;
  std::string_view pattern;  ///< `{…}` matches any one segment
  Access access;
  bool keyed = false;  ///< a state change under an Idempotency-Key
};

inline constexpr std::array route_table{
    Route{"POST", "/v1/holds", Access::change, true},
    Route{"GET", "/v1/holds", Access::read},
    Route{"GET", "/v1/holds/{id}", Access::read},
    Route{"POST", "/v1/holds/{id}/confirm", Access::change, true},
    Route{"POST", "/v1/holds/{id}/release", Access::change, true},
    Route{"POST", "/v1/holds/{id}/expire", Access::change, true},
    Route{"GET", "/v1/resources", Access::read},
    Route{"GET", "/v1/resources/{name}", Access::read},
    Route{"PUT", "/v1/resources/{name}", Access::configure, true},
    Route{"POST", "/v1/batch", Access::change},
    Route{"GET", "/v1/tokens/{token}", Access::read},
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

/// Every address there is.
[[nodiscard]] constexpr std::span<const Route> routes() { return route_table; }

}  // namespace holdfast::http

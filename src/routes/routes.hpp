#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "holdfast/operations.hpp"
#include "keys/keys.hpp"

/// Every address of the service: what the server answers, and what the contract describes.
namespace holdfast {
struct RowRead;
}

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
  Operation operation = Operation::none;  ///< it is one: a state change under an Idempotency-Key
  const RowRead* rows = nullptr;          ///< it reads rows of a module

  [[nodiscard]] bool keyed() const { return operation != Operation::none; }
};

/// Every address there is.
[[nodiscard]] std::span<const Route> routes();

}  // namespace holdfast::http

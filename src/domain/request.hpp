#pragma once

#include <string>

#include "base/siphash.hpp"
#include "domain/digest.hpp"
#include "holdfast/types.hpp"

namespace holdfast {

/// A call on its way in. Once admitted, its token is well formed and its parameters are digested;
/// until then only `call` means anything.
struct Request {
  Call call;
  Digest digest{};
  Hash128 key{};  ///< stands for tenant and token together, within this process
  /// Stands for operation, principal and digest together: two requests are the same request
  /// exactly when these are equal.
  Hash128 fingerprint{};
  Hash128 nonce_key{};  ///< stands for tenant and nonce together; meaningful when there is one

  [[nodiscard]] const Command& command() const { return call.command; }
  [[nodiscard]] const std::string& tenant() const { return call.caller.tenant; }
  [[nodiscard]] const std::string& token() const { return call.token.bytes(); }
};

/// The RFC 8785 form of a command's parameters.
[[nodiscard]] std::string canonical_parameters(const Command& command);

[[nodiscard]] Hash128 key_of(std::string_view tenant, std::string_view token);

/// Of a nonce; never the key of a token with the same bytes.
[[nodiscard]] Hash128 nonce_key_of(std::string_view tenant, std::string_view nonce);

[[nodiscard]] Hash128 fingerprint_of(Operation operation, std::string_view principal,
                                     const Digest& digest);

/// Digests a call whose token has been checked: all but `call` is made from it.
void digest(Request& request);
[[nodiscard]] Request make_request(Call call);

/// The token of a call under `key_mode = derived`: a digest of tenant, principal, operation
/// and parameters. Two equal commands meant as two must differ in a parameter.
[[nodiscard]] Token derive_token(const Caller& caller, const Command& command);

}  // namespace holdfast

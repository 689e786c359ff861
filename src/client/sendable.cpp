#include "client/sendable.hpp"

#include "client/token_text.hpp"
#include "domain/answer.hpp"
#include "domain/operation.hpp"

namespace holdfast::client {
namespace {

NoAnswer unsent(const Call& call, Rejection rejection) {
  const RejectionRow& refused = row(rejection);
  return {.call = call,
          .effect = Effect::none,
          .attempts = 0,
          .trouble = {.status = refused.http_status,
                      .code = std::string(refused.code),
                      .detail = std::string(refused.text),
                      .retryable = refused.retryable}};
}

}  // namespace

std::optional<Reply> refused_here(const Call& call) {
  const OperationSpec* spec = find_spec(call.command.operation());
  if (spec == nullptr || call.command.parameters() == nullptr) {
    return refuse(call, Rejection::invalid_request, Reason::none);
  }
  if (!is_sendable(call.token.bytes())) {
    return tl::unexpected(unsent(call, Rejection::token_invalid));
  }
  if (!is_sendable(call.nonce) || !is_sendable(call.confirmation)) {
    return tl::unexpected(unsent(call, Rejection::malformed_request));
  }
  const Reason fault = not_for_json(spec->fields, call.command.parameters());
  if (fault == Reason::none) return std::nullopt;
  return refuse(call, Rejection::invalid_request, fault);
}

}  // namespace holdfast::client

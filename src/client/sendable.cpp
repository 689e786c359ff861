#include "client/sendable.hpp"

#include "base/utf8.hpp"
#include "client/token_text.hpp"
#include "domain/answer.hpp"

namespace holdfast::client {
namespace {

bool is_text(std::string_view name) {
  return is_valid_utf8(name) && name.find('\0') == std::string_view::npos;
}

bool is_exact(std::int64_t number) { return number >= -quantity_max && number <= quantity_max; }

/// What JSON cannot carry is outside every bound.
Reason placing_fault(const Command& command) {
  if (!is_text(command.resource)) return Reason::resource_text;
  if (!is_text(command.requester)) return Reason::requester_text;
  if (!is_exact(command.duration.count())) return Reason::duration_bounds;
  return is_exact(command.quantity) ? Reason::none : Reason::quantity_bounds;
}

Reason declaring_fault(const Command& command) {
  if (command.resource.empty()) return Reason::resource_blank;  // it would name another address
  if (!is_text(command.resource)) return Reason::resource_text;
  return is_exact(command.capacity) ? Reason::none : Reason::capacity_bounds;
}

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
  if (call.command.operation == Operation::none) {
    return refuse(call, Rejection::invalid_request, Reason::none);
  }
  if (!is_sendable(call.token.bytes())) {
    return tl::unexpected(unsent(call, Rejection::token_invalid));
  }
  if (!is_sendable(call.nonce) || !is_sendable(call.confirmation)) {
    return tl::unexpected(unsent(call, Rejection::malformed_request));
  }
  Reason fault = Reason::none;
  if (call.command.operation == Operation::hold_place) fault = placing_fault(call.command);
  if (call.command.operation == Operation::resource_declare) fault = declaring_fault(call.command);
  if (fault == Reason::none) return std::nullopt;
  return refuse(call, Rejection::invalid_request, fault);
}

}  // namespace holdfast::client

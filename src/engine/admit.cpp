#include "engine/admit.hpp"

#include "base/utf8.hpp"
#include "domain/answer.hpp"
#include "domain/operation.hpp"

namespace holdfast {
namespace {

bool is_sound(std::string_view text) {
  return !text.empty() && text.size() <= name_bytes_max &&
         text.find('\0') == std::string_view::npos && is_valid_utf8(text);
}

}  // namespace

std::optional<Answer> admit(Request& request, const Rules& rules) {
  Call& call = request.call;
  const auto refused = [&](Reason reason) {
    return refuse(call, Rejection::invalid_request, reason);
  };
  const OperationSpec* spec = find_spec(call.command.operation());
  if (spec == nullptr || call.command.parameters() == nullptr) return refused(Reason::none);
  if (!is_sound(call.caller.tenant) || !is_sound(call.caller.principal)) {
    return refused(Reason::caller_text);
  }
  if (call.nonce.size() > nonce_bytes_max) return refused(Reason::nonce_size);
  const std::size_t size = call.token.bytes().size();
  if (rules.policies[spec->row.id].key_mode == KeyMode::derived) {
    if (size != 0) return refused(Reason::token_not_expected);
    call.token = derive_token(call.caller, call.command);
  } else if (size == 0 && spec->key_optional) {
    return refuse(call, Rejection::token_missing);
  } else if (size == 0 || size > rules.token_bytes_max) {
    return refused(Reason::token_size);
  }
  digest(request);
  return std::nullopt;
}

}  // namespace holdfast

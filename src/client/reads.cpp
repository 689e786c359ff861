#include "client/core.hpp"
#include "client/decode.hpp"
#include "client/judge.hpp"
#include "client/requests.hpp"
#include "domain/operation.hpp"

namespace holdfast {
namespace {

/// Asks until there is something that `take` understands, which is shown it parsed and as it came.
template <typename T, typename Take>
Read<T> ask_until(client::Core& core, const client::Request& request, const Take& take) {
  auto read = client::insist<T>(core.options, [&](Duration left) -> client::Attempt<T> {
    const auto response = core.exchange(request, left);
    if (!response) return tl::unexpected(client::setback_of(response.error()));
    const client::Document body(response->body);
    const client::Told told = client::told_by(*response, body, *core.options.clock);
    if (!client::is_success(told)) return tl::unexpected(client::setback_of(told));
    auto value = told.body ? take(*told.body, response->body) : std::nullopt;
    if (!value) return tl::unexpected(client::garbled(told, "could not be understood"));
    return std::move(*value);
  });
  if (read) return std::move(*read);
  return tl::unexpected(std::move(read.error().trouble));
}

template <typename T, typename Decode>
Read<T> ask(client::Core& core, const client::Request& request, const Decode& decode) {
  return ask_until<T>(core, request, [&](const client::Json& json, const std::string& /*text*/) {
    return decode(json);
  });
}

/// What is not there is no trouble.
template <typename T>
Read<std::optional<T>> or_nothing(Read<T> read) {
  if (read) return std::optional(std::move(*read));
  if (read.error().code == row(Rejection::not_known).code) return std::nullopt;
  return tl::unexpected(std::move(read.error()));
}

}  // namespace

Read<std::optional<HoldDetails>> Client::hold(HoldId id) const {
  return or_nothing(
      ask<HoldDetails>(*impl_, client::hold_request(id), client::decode_hold_details));
}

Read<Page<HoldDetails>> Client::holds(const HoldQuery& query) const {
  return ask<Page<HoldDetails>>(*impl_, client::holds_request(query), client::decode_holds);
}

Read<std::optional<TokenResult>> Client::token(const Token& token) const {
  if (token.bytes().empty()) return std::nullopt;  // it would name another address
  return or_nothing(
      ask<TokenResult>(*impl_, client::token_request(token), client::decode_token_result));
}

Read<Resource> Client::resource(std::string_view name) const {
  return ask<Resource>(*impl_, client::resource_request(name), client::decode_resource);
}

/// A refusal is what the place would be answered: no trouble.
Read<Answer> Client::try_place(const Placing& what) const {
  auto tried = ask<Answer>(*impl_, client::try_request(what), client::decode_tried);
  if (tried) return tried;
  for (const Rejection each : spec_of(Placing::operation).refusals) {
    if (row(each).code != tried.error().code) continue;
    Answer answer;
    answer.operation = Placing::operation;
    answer.rejection = each;
    answer.reason = tried.error().reason;
    return answer;
  }
  return tried;
}

Read<Availability> Client::availability(std::string_view name) const {
  return ask<Availability>(*impl_, client::availability_request(name), client::decode_availability);
}

Read<std::optional<Group>> Client::group(GroupId id) const {
  return or_nothing(ask<Group>(*impl_, client::group_request(id), client::decode_group));
}

Read<Page<Resource>> Client::resources(const ResourceQuery& query) const {
  return ask<Page<Resource>>(*impl_, client::resources_request(query), client::decode_resources);
}

Read<std::string> Client::document(std::string_view address) const {
  const auto request = client::document_request(address);
  if (!request) {
    const RejectionRow& refused = row(Rejection::malformed_request);
    return tl::unexpected(Trouble{.status = refused.http_status,
                                  .code = std::string(refused.code),
                                  .detail = "This can be no address: it begins with a slash, and "
                                            "what is not printable ASCII is escaped.",
                                  .retryable = false});
  }
  return ask_until<std::string>(
      *impl_, *request,
      [](const client::Json& /*json*/, const std::string& text) { return std::optional(text); });
}

}  // namespace holdfast

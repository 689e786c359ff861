#pragma once

#include <optional>
#include <span>
#include <string>

#include "client/message.hpp"

/// From calls and questions to what is sent.
namespace holdfast::client {

/// One state change. Precondition: the call can be sent (see `refused_here`).
[[nodiscard]] Request request_of(const Call& call);

/// A state change as one of a batch, and a batch of them.
[[nodiscard]] std::string batch_item(const Call& call);
[[nodiscard]] Request batch_request(std::span<const std::string> items);

[[nodiscard]] Request hold_request(HoldId id);
[[nodiscard]] Request holds_request(const HoldQuery& query);
[[nodiscard]] Request token_request(const Token& token);
[[nodiscard]] Request resource_request(std::string_view name);
[[nodiscard]] Request try_request(const Placing& what);
[[nodiscard]] Request availability_request(std::string_view name);
[[nodiscard]] Request group_request(GroupId id);
[[nodiscard]] Request resources_request(const ResourceQuery& query);
/// Nothing if it can be no address.
[[nodiscard]] std::optional<Request> document_request(std::string_view address);

}  // namespace holdfast::client

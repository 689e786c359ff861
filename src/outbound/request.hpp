#pragma once

#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "outbound/call.hpp"
#include "outbound/url.hpp"

namespace holdfast::outbound {

/// A call that can be sent: nothing in it can be taken for the end of a line or of the header.
struct Request {
  std::string method;
  Url url;
  std::vector<Header> headers{};
  std::string body{};
};

/// Checks the whole call, its limits too. Says what is wrong with it, without repeating it.
[[nodiscard]] tl::expected<Request, std::string> checked(Call&& call);

/// The bytes to send.
[[nodiscard]] std::string render(const Request& request);

/// Makes `request` the one that `response` leads to. False if that is an answer like any other: no
/// redirect, or one that would need another method. An error says why it must not be followed: to
/// no URL, or from https to http. On the way to another origin secrets are dropped.
[[nodiscard]] tl::expected<bool, std::string> redirect(Request& request, const Response& response);

}  // namespace holdfast::outbound

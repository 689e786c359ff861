#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "holdfast/clock.hpp"

/// Calls to other services over HTTP/1.1: what is asked, what comes back, and why nothing did.
namespace holdfast::outbound {

struct Header {
  std::string name;
  std::string value;
  /// Not sent to another origin after a redirect. `Authorization`, `Proxy-Authorization` and
  /// `Cookie` are secret whatever stands here.
  bool secret = false;
};

/// The value of the first header of that name, whatever its case.
[[nodiscard]] std::optional<std::string_view> find_header(const std::vector<Header>& headers,
                                                          std::string_view name);

struct Limits {
  /// To look up the name, connect and shake hands. The addresses of one name share it.
  Duration connect = std::chrono::seconds(5);
  /// From `send` to the end of the answer: waiting for a connection and redirects included.
  Duration total = std::chrono::seconds(30);
  std::size_t response_bytes_max = std::size_t{1} << 20U;  ///< of the body
  /// 0: an answer that redirects is an answer like any other. Else 301, 302 and 303 are followed
  /// for GET and HEAD, 307 and 308 for every method, and no method ever becomes another.
  int redirects_max = 0;
};

/// One request. It is checked as a whole before anything is done, whatever it was made from:
/// - the method is a token, and neither CONNECT nor TRACE;
/// - the URL is `http[s]://HOST[:PORT][/PATH][?QUERY]` in ASCII: no user, no fragment, port 1 to
///   65535, an international name in its ASCII form, everything else percent-encoded;
/// - a header's name is a token; its value has no control character but the tab;
/// - `Host`, `Content-Length`, `Connection`, `Transfer-Encoding`, `Accept-Encoding` and whatever
///   else says how the message travels are the client's own, and are refused.
struct Call {
  std::string method = "GET";
  std::string url;
  std::vector<Header> headers{};
  std::string body{};
  Limits limits{};
};

/// An answer, whatever its status. A body that is compressed (nobody asked for that) stays so.
/// Trailers are not told.
struct Response {
  int status = 0;
  std::vector<Header> headers{};
  std::string body{};
};

/// Whether the peer may have seen the request, or a part of it.
enum class Reached : std::uint8_t {
  no,     ///< certain: not one byte of it was given to the network
  maybe,  ///< it may have been carried out, or still be
};

/// Why there is no answer. What may change by itself is worth another try.
enum class What : std::uint8_t {
  bad_call,         ///< the call is not well-formed; it never will be
  refused_address,  ///< the policy allows none of the addresses that the name has
  full,             ///< as many calls wait for a connection as may
  resolve,          ///< the name has no address, or cannot be looked up
  connect,          ///< nobody accepts connections there
  tls,              ///< the handshake failed; the certificate is not good, for instance
  timeout,          ///< one of the limits passed
  lost,             ///< the connection ended before the answer was complete
  broken,           ///< what came is no answer in HTTP/1.1
  too_large,        ///< header or body of the answer are over their limits
  redirect,         ///< a redirect that is not followed: too many, in a circle, to less security
  closed,           ///< the client was stopped
};

/// In lower case, with hyphens: `refused-address`. For logs and metrics.
[[nodiscard]] std::string_view name_of(What what);

struct Failure {
  Reached reached = Reached::maybe;
  What what = What::broken;
  std::string text{};  ///< for people; contains no header, no body and no query
};

}  // namespace holdfast::outbound

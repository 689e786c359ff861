#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/traceparent.hpp"
#include "wire/body.hpp"

/// A request as read and an answer as it will be written.
namespace holdfast::http {

/// Headers anybody here looks at; of the rest only the size counts.
enum class Field : std::uint8_t {
  authorization,
  idempotency_key,
  nonce,
  confirmation,
  content_type,
  accept,
  last_event_id,
  host,
  origin,
  traceparent,
  count,
};

/// Views into the connection's buffer: good until the handler returns.
struct Request {
  std::string_view method;
  std::string_view target;
  std::string_view fields[static_cast<std::size_t>(Field::count)];
  std::uint8_t times[static_cast<std::size_t>(Field::count)] = {};  ///< how often each was sent
  std::string_view head;  ///< its first line and all headers, as they came
  std::string_view body;  ///< followed by at least 64 readable bytes
  int version = 11;       ///< 10: HTTP/1.0
  bool keep_alive = true;
  std::chrono::steady_clock::time_point received{};

  [[nodiscard]] std::string_view field(Field which) const {
    return fields[static_cast<std::size_t>(which)];
  }
  [[nodiscard]] unsigned count(Field which) const { return times[static_cast<std::size_t>(which)]; }
};

/// The credential's header; empty unless it was sent once.
[[nodiscard]] inline std::string_view authorization_of(const Request& request) {
  return request.count(Field::authorization) == 1 ? request.field(Field::authorization)
                                                  : std::string_view();
}

/// The trace that it is part of; empty if it says none, or what is none.
[[nodiscard]] inline std::string_view traceparent_of(const Request& request) {
  const std::string_view text = request.field(Field::traceparent);
  return request.count(Field::traceparent) == 1 && is_traceparent(text) ? text : std::string_view();
}

struct Response {
  int status = 200;
  std::string_view content_type = "application/json";
  std::string headers{};  ///< more header lines, each ended by CR LF
  std::string body{};
  bool close = false;     ///< the connection is of no use after this
  bool is_inner = false;  ///< the problem's detail is for whoever runs the service
  /// A refusal whose body is still to be written, once it is known what the request is called.
  std::shared_ptr<Problem> problem{};
};

/// One header line. The value, and what follows it if it comes in two parts, must be free of
/// control characters.
inline void add_header(std::string& headers, std::string_view name, std::string_view value,
                       std::string_view rest = {}) {
  headers.append(name).append(": ").append(value).append(rest).append("\r\n");
}

[[nodiscard]] std::string_view reason_phrase(int status);

/// Appends the answer as it goes over the wire. `head` leaves the body out.
void render(std::string& out, const Response& response, bool keep_alive, bool head);

}  // namespace holdfast::http

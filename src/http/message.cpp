#include "http/message.hpp"

#include <fmt/format.h>

#include <iterator>

namespace holdfast::http {

std::string_view reason_phrase(int status) {
  switch (status) {
    case 200:
      return "OK";
    case 201:
      return "Created";
    case 204:
      return "No Content";
    case 400:
      return "Bad Request";
    case 401:
      return "Unauthorized";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 408:
      return "Request Timeout";
    case 409:
      return "Conflict";
    case 413:
      return "Content Too Large";
    case 415:
      return "Unsupported Media Type";
    case 417:
      return "Expectation Failed";
    case 422:
      return "Unprocessable Content";
    case 429:
      return "Too Many Requests";
    case 431:
      return "Request Header Fields Too Large";
    case 503:
      return "Service Unavailable";
    default:
      return status < 400 ? "OK" : "Error";
  }
}

void render(std::string& out, const Response& response, bool keep_alive, bool head) {
  fmt::format_to(std::back_inserter(out), "HTTP/1.1 {} {}\r\n", response.status,
                 reason_phrase(response.status));
  if (response.status != 204) {
    fmt::format_to(std::back_inserter(out), "Content-Type: {}\r\nContent-Length: {}\r\n",
                   response.content_type, response.body.size());
  }
  out.append(response.headers);
  if (!keep_alive || response.close) out.append("Connection: close\r\n");
  out.append("\r\n");
  if (!head) out.append(response.body);
}

}  // namespace holdfast::http

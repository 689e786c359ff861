#include "http/transport/message.hpp"

#include <array>
#include <charconv>

namespace holdfast::http {

namespace {

void append_number(std::string& out, std::size_t number) {
  std::array<char, 20> digits{};
  const auto written = std::to_chars(digits.data(), digits.data() + digits.size(), number);
  out.append(digits.data(), written.ptr);
}

}  // namespace

std::string_view reason_phrase(int status) {
  switch (status) {
    case 200:
      return "OK";
    case 201:
      return "Created";
    case 202:
      return "Accepted";
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
  out.reserve(out.size() + 128 + response.headers.size() + response.body.size());
  out.append("HTTP/1.1 ");
  append_number(out, static_cast<std::size_t>(response.status));
  out.append(" ").append(reason_phrase(response.status)).append("\r\n");
  if (response.status != 204) {
    out.append("Content-Type: ").append(response.content_type).append("\r\nContent-Length: ");
    append_number(out, response.body.size());
    out.append("\r\n");
  }
  out.append(response.headers);
  if (!keep_alive || response.close) out.append("Connection: close\r\n");
  out.append("\r\n");
  if (!head) out.append(response.body);
}

}  // namespace holdfast::http

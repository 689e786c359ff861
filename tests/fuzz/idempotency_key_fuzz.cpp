// The Idempotency-Key header: what is accepted is printable, within its length, and the same token
// in either spelling.

#include <cstdlib>
#include <string>

#include "http/handlers/idempotency_key.hpp"

namespace {

std::string quoted(std::string_view token) {
  std::string text = "\"";
  for (const char c : token) {
    if (c == '"' || c == '\\') text += '\\';
    text += c;
  }
  return text + "\"";
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view value(reinterpret_cast<const char*>(data), size);
  const auto token = holdfast::http::parse_idempotency_key(value, 256);
  if (!token) return 0;
  if (token->empty() || token->size() > 256) std::abort();
  for (const char c : *token) {
    if (c < 0x20 || c > 0x7e) std::abort();
  }
  if (holdfast::http::parse_idempotency_key(quoted(*token), 256) != token) std::abort();
  return 0;
}

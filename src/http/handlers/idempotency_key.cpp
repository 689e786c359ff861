#include "http/handlers/idempotency_key.hpp"

#include <algorithm>

#include "holdfast/types.hpp"

namespace holdfast::http {
namespace {

bool is_printable(char byte) { return byte >= 0x20 && byte <= 0x7e; }

/// RFC 8941, 3.3.3: within the quotes only `"` and `\` are escaped, and must be.
std::optional<std::string> unquoted(std::string_view value) {
  if (value.size() < 2 || value.back() != '"') return std::nullopt;
  value = value.substr(1, value.size() - 2);
  std::string token;
  token.reserve(value.size());
  for (std::size_t i = 0; i < value.size(); ++i) {
    if (value[i] == '"') return std::nullopt;
    if (value[i] == '\\') {
      ++i;
      if (i == value.size() || (value[i] != '"' && value[i] != '\\')) return std::nullopt;
    }
    token.push_back(value[i]);
  }
  return token;
}

}  // namespace

std::optional<std::string> parse_idempotency_key(std::string_view value, std::size_t bytes_max) {
  if (!std::all_of(value.begin(), value.end(), is_printable)) return std::nullopt;
  auto token = value.starts_with('"') ? unquoted(value) : std::string(value);
  if (!token || token->empty() || token->size() > bytes_max) return std::nullopt;
  return token;
}

bool is_token(std::string_view text, std::size_t bytes_max) {
  return !text.empty() && text.size() <= bytes_max &&
         std::all_of(text.begin(), text.end(), is_printable);
}

std::string key_text(std::string_view token) {
  const bool bare = !token.starts_with('"') && !token.starts_with(' ') && !token.ends_with(' ');
  if (bare) return std::string(token);
  std::string quoted = "\"";
  for (const char each : token) {
    if (each == '"' || each == '\\') quoted += '\\';
    quoted += each;
  }
  return quoted + '"';
}

bool is_nonce(std::string_view text) { return is_token(text, nonce_bytes_max); }

}  // namespace holdfast::http

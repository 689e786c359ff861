#include "client/token_text.hpp"

#include <algorithm>

namespace holdfast::client {

bool is_sendable(std::string_view token) {
  return std::all_of(token.begin(), token.end(), [](char c) { return c >= ' ' && c <= '~'; });
}

std::string to_key(std::string_view token) {
  constexpr std::string_view plain =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~:/+=@";
  if (token.find_first_not_of(plain) == std::string_view::npos) return std::string(token);
  std::string key = "\"";
  for (const char c : token) {
    if (c == '"' || c == '\\') key += '\\';
    key += c;
  }
  return key + '"';
}

std::optional<std::string> from_key(std::string_view key) {
  if (!key.starts_with('"')) return std::string(key);
  if (key.size() < 2 || !key.ends_with('"')) return std::nullopt;
  key = key.substr(1, key.size() - 2);
  std::string token;
  while (!key.empty()) {
    if (key.front() == '"') return std::nullopt;
    if (key.front() == '\\') key.remove_prefix(1);
    if (key.empty()) return std::nullopt;
    token += key.front();
    key.remove_prefix(1);
  }
  return token;
}

}  // namespace holdfast::client

#include "settings/setting_values.hpp"

#include <arpa/inet.h>
#include <fmt/format.h>

#include <array>
#include <charconv>

namespace holdfast::http {
namespace {

struct ByteUnit {
  std::string_view name;
  std::uint64_t bytes;
};

constexpr std::array byte_units{ByteUnit{"GiB", std::uint64_t{1} << 30U},
                                ByteUnit{"MiB", std::uint64_t{1} << 20U},
                                ByteUnit{"KiB", std::uint64_t{1} << 10U}, ByteUnit{"", 1}};

bool is_host_name(std::string_view text) {
  constexpr std::string_view allowed =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789.-_";
  return !text.empty() && text.size() <= 253 &&
         text.find_first_not_of(allowed) == std::string_view::npos;
}

bool is_v6(std::string_view text) {
  in6_addr ignored{};
  return ::inet_pton(AF_INET6, std::string(text).c_str(), &ignored) == 1;
}

}  // namespace

std::optional<std::uint64_t> parse_count(std::string_view text) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

std::optional<std::uint64_t> parse_bytes(std::string_view text) {
  for (const ByteUnit& unit : byte_units) {
    if (!text.ends_with(unit.name)) continue;
    const auto number = parse_count(text.substr(0, text.size() - unit.name.size()));
    std::uint64_t bytes = 0;
    if (!number || __builtin_mul_overflow(*number, unit.bytes, &bytes)) return std::nullopt;
    return bytes;
  }
  return std::nullopt;
}

std::string bytes_text(std::uint64_t bytes) {
  for (const ByteUnit& unit : byte_units) {
    if (bytes != 0 && bytes % unit.bytes == 0) {
      return fmt::format("{}{}", bytes / unit.bytes, unit.name);
    }
  }
  return "0";
}

bool is_listen_address(std::string_view text) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return false;
  const auto port = parse_count(text.substr(colon + 1));
  if (!port || *port > 65535) return false;
  const std::string_view host = text.substr(0, colon);
  if (!host.starts_with('[')) return is_host_name(host);
  return host.ends_with(']') && is_v6(host.substr(1, host.size() - 2));
}

}  // namespace holdfast::http

#include "signatures/header_text.hpp"

#include <algorithm>
#include <charconv>

#include "base/hex.hpp"
#include "signatures/base64.hpp"

namespace holdfast::signatures {
namespace {

constexpr std::size_t timestamp_digits_max = 12;
constexpr std::size_t ed25519_bytes = 64;

bool is_lower_or_digit(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
}

/// An item of a list: `<name><mark><value>`, both of at least one character.
struct Item {
  std::string_view name, value;
};

std::optional<Item> item_of(std::string_view text, char mark) {
  const std::size_t at = text.find(mark);
  if (at == std::string_view::npos) return std::nullopt;
  const Item item{text.substr(0, at), text.substr(at + 1)};
  const bool fine = !item.name.empty() && !item.value.empty() &&
                    std::all_of(item.name.begin(), item.name.end(), is_lower_or_digit) &&
                    std::all_of(item.value.begin(), item.value.end(), is_printable);
  return fine ? std::optional(item) : std::nullopt;
}

/// Calls `take` with every item until it finds a mistake.
template <typename Take>
Mistake each_item(std::string_view text, char separator, char mark, Take take) {
  for (std::size_t count = 1;; ++count) {
    const std::string_view part = text.substr(0, text.find(separator));
    const auto item = item_of(part, mark);
    if (!item) return "is not a list of signatures";
    if (count > signatures_max) return "has too many signatures";
    if (const Mistake wrong = take(*item); !wrong.empty()) return wrong;
    if (part.size() == text.size()) return {};
    text.remove_prefix(part.size() + 1);
  }
}

}  // namespace

std::optional<Instant> seconds_from(std::string_view text) {
  if (text.empty() || text.size() > timestamp_digits_max) return std::nullopt;
  if (text.size() > 1 && text[0] == '0') return std::nullopt;
  if (text.find_first_not_of("0123456789") != std::string_view::npos) return std::nullopt;
  std::int64_t seconds = 0;
  std::from_chars(text.data(), text.data() + text.size(), seconds);
  return Instant(std::chrono::seconds(seconds));
}

tl::expected<std::vector<Candidate>, Mistake> standard_signatures(std::string_view text) {
  std::vector<Candidate> found;
  const Mistake wrong = each_item(text, ' ', ',', [&](const Item& item) -> Mistake {
    const bool shared = item.name == "v1";
    if (!shared && item.name != "v1a") return {};
    auto bytes = from_base64(item.value);
    if (!bytes || bytes->size() != (shared ? bytes_of(Hash::sha256) : ed25519_bytes))
      return "has a signature that is not the base64 of one";
    found.push_back({shared ? Secret::Kind::shared : Secret::Kind::public_key, std::move(*bytes)});
    return {};
  });
  if (!wrong.empty()) return tl::unexpected(wrong);
  return found;
}

tl::expected<TimedSignatures, Mistake> timed_signatures(std::string_view text) {
  TimedSignatures found;
  const Mistake wrong = each_item(text, ',', '=', [&](const Item& item) -> Mistake {
    if (item.name == "t") {
      if (!found.timestamp.empty()) return "has two time stamps";
      found.timestamp = item.value;
    } else if (item.name == "v1") {
      std::string bytes(bytes_of(Hash::sha256), '\0');
      if (!from_hex(item.value, bytes)) return "has a signature that is not 64 digits of hex";
      found.signatures.push_back({Secret::Kind::shared, std::move(bytes)});
    }
    return {};
  });
  if (!wrong.empty()) return tl::unexpected(wrong);
  if (found.timestamp.empty()) return tl::unexpected<Mistake>("has no time stamp");
  return found;
}

std::optional<std::string> code_from(std::string_view text, Hash hash, Encoding encoding) {
  if (encoding == Encoding::base64) {
    auto bytes = from_base64(text);
    return bytes && bytes->size() == bytes_of(hash) ? std::move(bytes) : std::nullopt;
  }
  std::string bytes(bytes_of(hash), '\0');
  return from_hex(text, bytes) ? std::optional(std::move(bytes)) : std::nullopt;
}

}  // namespace holdfast::signatures

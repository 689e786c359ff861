#include "signatures/scheme.hpp"

#include <algorithm>

#include "base/json_pointer.hpp"
#include "signatures/header_text.hpp"

namespace holdfast::signatures {
namespace {

constexpr std::size_t name_bytes_max = 128;
constexpr std::size_t pointer_bytes_max = 256;
constexpr std::size_t prefix_bytes_max = 64;

/// RFC 9110, 5.6.2: what names of headers are made of.
bool is_token_character(char c) {
  constexpr std::string_view marks = "!#$%&'*+-.^_`|~";
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         marks.find(c) != std::string_view::npos;
}

bool is_header_name(std::string_view name) {
  return !name.empty() && name.size() <= name_bytes_max &&
         std::all_of(name.begin(), name.end(), is_token_character);
}

std::string wrong_name(std::string_view name) {
  return is_header_name(name) ? "" : "'" + std::string(name) + "' is not the name of a header";
}

std::string wrong_place(const IdPlace& place) {
  if (const auto* header = std::get_if<IdInHeader>(&place)) return wrong_name(header->name);
  const std::string& pointer = std::get<IdInBody>(place).pointer;
  if (is_json_pointer(pointer) && pointer.size() <= pointer_bytes_max) return {};
  return "'" + pointer + "' is not a JSON pointer, such as /data/id";
}

bool in_body(const IdPlace& place) { return std::holds_alternative<IdInBody>(place); }

struct Covers {
  bool operator()(const Standard&) const { return true; }
  bool operator()(const Timestamped& scheme) const { return in_body(scheme.event_id); }
  bool operator()(const Github&) const { return false; }
  bool operator()(const Hmac& scheme) const { return in_body(scheme.event_id); }
};

struct FindMistake {
  std::string operator()(const Standard&) const { return {}; }
  std::string operator()(const Github&) const { return {}; }
  std::string operator()(const Timestamped& scheme) const {
    std::string wrong = wrong_name(scheme.header);
    return wrong.empty() ? wrong_place(scheme.event_id) : wrong;
  }
  std::string operator()(const Hmac& scheme) const {
    std::string wrong = wrong_name(scheme.header);
    if (wrong.empty() && scheme.timestamp_header) wrong = wrong_name(*scheme.timestamp_header);
    if (wrong.empty()) wrong = wrong_place(scheme.event_id);
    const std::string& prefix = scheme.prefix;
    const bool prefix_is_fine = prefix.size() <= prefix_bytes_max &&
                                std::all_of(prefix.begin(), prefix.end(), is_printable);
    if (wrong.empty() && !prefix_is_fine)
      wrong = "a prefix has at most 64 printable characters, no space";
    return wrong;
  }
};

}  // namespace

bool covers_event_id(const Scheme& scheme) { return std::visit(Covers{}, scheme); }

bool covers_time(const Scheme& scheme) {
  const auto* hmac = std::get_if<Hmac>(&scheme);
  return hmac != nullptr ? hmac->timestamp_header.has_value()
                         : !std::holds_alternative<Github>(scheme);
}

std::string mistake_in(const Scheme& scheme) { return std::visit(FindMistake{}, scheme); }

tl::expected<Secret, std::string> secret_for(const Scheme& scheme, std::string_view text) {
  return std::holds_alternative<Standard>(scheme) ? Secret::standard(text) : Secret::plain(text);
}

}  // namespace holdfast::signatures

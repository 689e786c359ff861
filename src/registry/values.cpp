#include "registry/values.hpp"

#include <algorithm>

#include "base/time_text.hpp"

namespace holdfast::registry {
namespace {

constexpr std::size_t statuses_max = 64;
constexpr std::size_t texts_max = 32;
constexpr std::size_t header_bytes_max = 4096;
constexpr std::size_t pointer_bytes_max = 256;

bool is_control(char c) {
  const auto code = static_cast<unsigned char>(c);
  return code < 0x20 || code == 0x7f;
}

bool is_pointer(std::string_view text) {
  if (!text.empty() && text.front() != '/') return false;
  for (std::size_t tilde = text.find('~'); tilde != std::string_view::npos;
       tilde = text.find('~', tilde + 1)) {
    const char next = tilde + 1 < text.size() ? text[tilde + 1] : ' ';
    if (next != '0' && next != '1') return false;
  }
  return true;
}

}  // namespace

bool is_name(std::string_view text) {
  constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyz";
  constexpr std::string_view allowed = "abcdefghijklmnopqrstuvwxyz0123456789_";
  return !text.empty() && text.size() <= name_bytes_max &&
         letters.find(text.front()) != std::string_view::npos &&
         text.find_first_not_of(allowed) == std::string_view::npos;
}

bool take_text(const toml::node& value, std::size_t bytes_max, std::string& into) {
  const auto* const text = value.as_string();
  if (text == nullptr || text->get().size() > bytes_max) return false;
  into = text->get();
  return true;
}

bool take_name(const toml::node& value, std::string& into) {
  std::string text;
  if (!take_text(value, name_bytes_max, text) || !is_name(text)) return false;
  into = std::move(text);
  return true;
}

bool take_line(const toml::node& value, std::size_t bytes_max, std::string& into) {
  std::string text;
  if (!take_text(value, bytes_max, text) || std::any_of(text.begin(), text.end(), is_control) ||
      text.find_first_not_of(' ') == std::string::npos)
    return false;
  into = std::move(text);
  return true;
}

bool take_truth(const toml::node& value, bool& into) {
  const auto* const truth = value.as_boolean();
  if (truth == nullptr) return false;
  into = truth->get();
  return true;
}

bool take_duration(const toml::node& value, DurationBounds bounds, Duration& into) {
  const auto* const text = value.as_string();
  const auto duration = text == nullptr ? std::nullopt : parse_duration(text->get());
  if (!duration || *duration < bounds.least || *duration > bounds.most) return false;
  into = *duration;
  return true;
}

bool take_statuses(const toml::node& value, std::vector<int>& into) {
  const toml::array* const list = value.as_array();
  if (list == nullptr || list->empty() || list->size() > statuses_max) return false;
  std::vector<int> statuses;
  for (const toml::node& each : *list) {
    int status = 0;
    if (!take_count(each, 100, 599, status)) return false;
    statuses.push_back(status);
  }
  std::sort(statuses.begin(), statuses.end());
  if (std::adjacent_find(statuses.begin(), statuses.end()) != statuses.end()) return false;
  into = std::move(statuses);
  return true;
}

bool take_texts(const toml::node& value, NamedTexts& into) {
  const toml::table* const table = value.as_table();
  if (table == nullptr || table->size() > texts_max) return false;
  NamedTexts texts;
  for (const auto& [key, node] : *table) {
    std::string text;
    if (!take_text(node, header_bytes_max, text)) return false;
    texts.emplace_back(std::string(key.str()), std::move(text));
  }
  into = std::move(texts);
  return true;
}

bool take_pointer(const toml::node& value, std::optional<std::string>& into) {
  std::string text;
  if (!take_text(value, pointer_bytes_max, text) || !is_pointer(text)) return false;
  into = std::move(text);
  return true;
}

bool take_either(const toml::node& value, std::string_view no, std::string_view yes, bool& into) {
  const auto* const text = value.as_string();
  if (text == nullptr || (text->get() != no && text->get() != yes)) return false;
  into = text->get() == yes;
  return true;
}

}  // namespace holdfast::registry

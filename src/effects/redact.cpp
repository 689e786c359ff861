#include "effects/redact.hpp"

#include <algorithm>

#include "modules/commands/json.hpp"

namespace holdfast::effects {
namespace {

namespace dom = simdjson::dom;

constexpr std::string_view shown = "[secret]";
constexpr std::size_t found_within_bytes = 4;

class Rewriter {
 public:
  Rewriter(const Redaction& redaction, const std::vector<std::string>& values, std::string& out)
      : redaction_(redaction), values_(values), json_(out) {}

  void value(const dom::element& element) {
    const std::string text = commands::canonical_text(element);
    if (std::find(values_.begin(), values_.end(), text) != values_.end())
      return json_.string(shown);
    dom::object object;
    dom::array array;
    std::string_view string;
    if (element.get(object) == simdjson::SUCCESS) {
      json_.begin_object();
      for (const auto& each : object) {
        json_.key(each.key);
        value(each.value);
      }
      json_.end_object();
    } else if (element.get(array) == simdjson::SUCCESS) {
      json_.begin_array();
      for (const auto& each : array) value(each);
      json_.end_array();
    } else if (element.get(string) == simdjson::SUCCESS) {
      json_.string(redaction_.in_text(std::string(string)));
    } else {
      json_.raw(text);
    }
  }

 private:
  const Redaction& redaction_;
  const std::vector<std::string>& values_;
  JsonWriter json_;
};

}  // namespace

void Redaction::add_text(std::string secret) {
  if (secret.empty()) return;
  std::string value;
  JsonWriter(value).string(secret);
  values_.push_back(std::move(value));
  texts_.push_back(std::move(secret));
}

void Redaction::add_json(std::string_view secret) {
  dom::parser parser;
  dom::element value;
  std::string_view text;
  if (parser.parse(secret.data(), secret.size()).get(value) == simdjson::SUCCESS &&
      value.get(text) == simdjson::SUCCESS)
    return add_text(std::string(text));
  values_.emplace_back(secret);
  texts_.emplace_back(secret);
}

std::string Redaction::in_json(std::string_view json) const {
  dom::parser parser;
  dom::element root;
  if (values_.empty() || parser.parse(json.data(), json.size()).get(root) != simdjson::SUCCESS)
    return std::string(json);
  std::string out;
  Rewriter(*this, values_, out).value(root);
  return out;
}

std::string Redaction::in_text(std::string text) const {
  for (const std::string& each : texts_) {
    if (each.size() < found_within_bytes) continue;
    for (std::size_t at = text.find(each); at != std::string::npos;
         at = text.find(each, at + shown.size()))
      text.replace(at, each.size(), shown);
  }
  return text;
}

}  // namespace holdfast::effects

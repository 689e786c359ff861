#include "domain/execution_document.hpp"

#include <simdjson.h>

namespace holdfast {

std::string execution_in(std::string_view document) {
  thread_local simdjson::dom::parser parser;
  simdjson::dom::object object;
  simdjson::dom::object about;
  if (document.empty()) return {};
  if (parser.parse(document.data(), document.size()).get(object) != simdjson::SUCCESS) return {};
  if (object["about"].get(about) == simdjson::SUCCESS) return simdjson::minify(about);
  return object["command_id"].error() == simdjson::SUCCESS ? simdjson::minify(object)
                                                           : std::string();
}

}  // namespace holdfast

// The schemas of what is sent to change something: they follow from the operations' fields.

#include <algorithm>
#include <set>
#include <vector>

#include "base/json_members.hpp"
#include "domain/operation.hpp"
#include "openapi/parts.hpp"

namespace holdfast::http::openapi {
namespace {

void write_schema(JsonWriter& json, const Parameter& field, const void* defaults) {
  json.begin_object();
  if (field.schema.empty()) {
    text_member(json, "type", "string");
  } else {
    text_member(json, "$ref", "#/components/schemas/" + std::string(field.schema));
  }
  if (!field.required && field.type == ParameterType::integer)
    integer_member(json, "default", field.of<std::int64_t>(defaults));
  json.end_object();
}

/// `required` and `properties` of the fields that stand in one object; nested ones are properties.
void write_members(JsonWriter& json, const OperationSpec& spec, std::string_view within,
                   bool in_batch) {
  const auto shown = [&](const Parameter& field) {
    return in_batch || field.position == Position::body;
  };
  std::vector<std::string_view> nested;
  json.key("required");
  json.begin_array();
  for (const Parameter& each : spec.fields) {
    const bool here = each.within == within;
    if (!shown(each) || !each.required || (!here && !within.empty())) continue;
    const std::string_view name = here ? each.name : each.within;
    if (!here && std::find(nested.begin(), nested.end(), name) != nested.end()) continue;
    if (!here) nested.push_back(name);
    json.string(name);
  }
  json.end_array();
  json.key("properties");
  json.begin_object();
  const auto defaults = spec.make();
  for (const Parameter& each : spec.fields) {
    if (!shown(each) || each.within != within) continue;
    json.key(each.name);
    write_schema(json, each, defaults.get());
  }
  for (const std::string_view each : nested) {
    json.key(each);
    json.begin_object();
    text_member(json, "type", "object");
    json.key("additionalProperties");
    json.boolean(false);
    write_members(json, spec, each, in_batch);
    json.end_object();
  }
  json.end_object();
}

/// `in_batch`: with what otherwise stands in the path.
std::string shape_schema(const Shape& shape, const OperationSpec& spec, bool in_batch) {
  std::string text = '"' + std::string(shape.name) + "\":";
  JsonWriter json(text);
  json.begin_object();
  text_member(json, "type", "object");
  json.key("additionalProperties");
  json.boolean(false);
  text_member(json, "description", shape.description);
  write_members(json, spec, {}, in_batch);
  json.key("examples");
  json.raw(shape.examples);
  json.end_object();
  return text + ',';
}

constexpr std::string_view empty_request = R"("EmptyRequest": {
  "type": "object", "additionalProperties": false,
  "description": "Nothing has to be said; the body may be left out.",
  "examples": [{}]
})";

}  // namespace

/// Operations with a body of their own first.
std::string request_schemas() {
  std::string text;
  std::set<std::string_view> written;
  for (const bool with_body : {true, false}) {
    for (const OperationRow& row : operations()) {
      const OperationSpec& spec = spec_of(row.id);
      if (!spec.address.is_public()) continue;
      const Shape& body = spec.contract.body;
      if (body.name.empty() == with_body) continue;
      if (with_body && written.insert(body.name).second) text += shape_schema(body, spec, false);
      if (written.insert(spec.item().name).second) text += shape_schema(spec.item(), spec, true);
    }
  }
  return text + std::string(empty_request);
}

}  // namespace holdfast::http::openapi

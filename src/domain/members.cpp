#include "domain/members.hpp"

namespace holdfast {

void write_object(JsonWriter& json, ObjectMembers members, const void* object) {
  json.begin_object();
  for (const ObjectMember& each : members) {
    if (!each.is_set(object)) continue;
    json.key(each.name);
    each.write(object, json);
  }
  json.end_object();
}

bool read_object(std::string_view json, ObjectMembers members, void* object) {
  thread_local simdjson::dom::parser parser;
  simdjson::dom::object found;
  if (parser.parse(json.data(), json.size()).get(found) != simdjson::SUCCESS) return false;
  for (const ObjectMember& each : members) {
    simdjson::dom::element value;
    const auto code = found[each.name].get(value);
    if (code == simdjson::NO_SUCH_FIELD && !each.required) continue;
    if (code != simdjson::SUCCESS || !each.read(value, object)) return false;
  }
  return true;
}

void write_object_schema(JsonWriter& json, ObjectMembers members, std::string_view description,
                         std::string_view examples) {
  json.begin_object();
  text_member(json, "type", "object");
  json.key("additionalProperties");
  json.boolean(false);
  text_member(json, "description", description);
  json.key("required");
  json.begin_array();
  for (const ObjectMember& each : members) {
    if (each.required) json.string(each.name);
  }
  json.end_array();
  json.key("properties");
  json.begin_object();
  for (const ObjectMember& each : members) {
    json.key(each.name);
    json.raw(each.schema);
  }
  json.end_object();
  if (!examples.empty()) {
    json.key("examples");
    json.raw(examples);
  }
  json.end_object();
}

}  // namespace holdfast

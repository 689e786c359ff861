// The parameters of routes: in the path, the query and the header.

#include "base/json_members.hpp"
#include "domain/module.hpp"
#include "openapi/parts.hpp"

namespace holdfast::http::openapi {
namespace {

constexpr std::string_view parameter_texts = R"({
"HoldId": {
  "name": "id", "in": "path", "required": true,
  "description": "The id of a hold. What is not one names no hold.",
  "schema": {"type": "string", "minLength": 1},
  "example": "h2a-0f3c9d1e5b7a842"
},
"GroupId": {
  "name": "id", "in": "path", "required": true,
  "description": "The id of a group. What is not one names no group.",
  "schema": {"type": "string", "minLength": 1},
  "example": "g2a-0f3c9d1e5b7a842"
},
"ResourceName": {
  "name": "name", "in": "path", "required": true,
  "description": "The name of a resource, percent-encoded UTF-8.",
  "schema": {"type": "string", "minLength": 1},
  "example": "room_307"
},
"Token": {
  "name": "token", "in": "path", "required": true,
  "description": "The token, percent-encoded. A key sent between quotes is looked up without them.",
  "schema": {"type": "string", "minLength": 1},
  "example": "8e03978e-40d5-43e8-bc93-6894a57f9324"
},
"Resource": {
  "name": "resource", "in": "query",
  "description": "Only holds of this resource.",
  "schema": {"type": "string"},
  "example": "room_307"
},
"ResourcePrefix": {
  "name": "resource_prefix", "in": "query",
  "description": "Only holds of resources whose names begin so.",
  "schema": {"type": "string"},
  "example": "room_"
},
"Prefix": {
  "name": "prefix", "in": "query",
  "description": "Only resources whose names begin so.",
  "schema": {"type": "string"},
  "example": "room_"
},
"DryRun": {
  "name": "dry_run", "in": "query",
  "description": "Only say what would be answered: nothing is written, and no Idempotency-Key is needed.",
  "schema": {"enum": ["true", "false"]}
},
"Requester": {
  "name": "requester", "in": "query",
  "description": "Only holds of this requester.",
  "schema": {"type": "string"},
  "example": "guest_g91"
},
"State": {
  "name": "state", "in": "query",
  "description": "Only holds in this state.",
  "schema": {"$ref": "#/components/schemas/HoldState"},
  "example": "held"
},
"PlacedAfter": {
  "name": "placed_after", "in": "query",
  "description": "Only holds placed strictly after this instant.",
  "schema": {
    "type": "string", "format": "date-time",
    "pattern": "^[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:[0-9]{2}:[0-9]{2}([.,][0-9]{1,6})?Z$"
  },
  "example": "2026-01-02T03:04:05Z"
},
"Cursor": {
  "name": "cursor", "in": "query",
  "description": "`next` of the page before, as it is. Without it the list begins.",
  "schema": {"type": "string"}
},
"Limit": {
  "name": "limit", "in": "query",
  "description": "The longest page wanted.",
  "schema": {"type": "integer", "minimum": 1, "maximum": 1000, "default": 100},
  "example": 25
},
"After": {
  "name": "after", "in": "query",
  "description": "Only events after this sequence number: `next` of the page before.",
  "schema": {"type": "integer", "minimum": 0, "maximum": 9007199254740991, "default": 0},
  "example": 0
},
"AfterRecord": {
  "name": "after", "in": "query",
  "description": "Only decisions after this sequence number: `next` of the page before.",
  "schema": {"type": "integer", "minimum": 0, "maximum": 9007199254740991, "default": 0},
  "example": 0
},
"Seq": {
  "name": "seq", "in": "path", "required": true,
  "description": "The sequence number of a decision. What is not one names none.",
  "schema": {"type": "string", "minLength": 1},
  "example": "1"
},
"Since": {
  "name": "since", "in": "query",
  "description": "The size of an earlier head: what leads from it to this one is in the answer.",
  "schema": {"type": "integer", "minimum": 0, "maximum": 9007199254740991},
  "example": 1
},
"Size": {
  "name": "size", "in": "query",
  "description": "The size of the head to prove it against; of everything, if none is said.",
  "schema": {"type": "integer", "minimum": 0, "maximum": 9007199254740991},
  "example": 1
},
"LastEventId": {
  "name": "Last-Event-ID", "in": "header",
  "description": "Of a stream: the `id` of the last event seen. It takes precedence over `after`.",
  "schema": {"type": "integer", "minimum": 0, "maximum": 9007199254740991},
  "example": 3
},
"IdempotencyKey": {
  "name": "Idempotency-Key", "in": "header", "required": true,
  "description": "The token of this change: 1 to 256 bytes of printable ASCII, bare or as a structured-field string between double quotes; both spellings are the same token. Sent once. An operation that whoever runs the service has set to derive its tokens takes none.",
  "schema": {"type": "string", "minLength": 1, "pattern": "^[ -~]+$"},
  "example": "8e03978e-40d5-43e8-bc93-6894a57f9324"
},
"IdempotencyKeyOptional": {
  "name": "Idempotency-Key", "in": "header",
  "description": "The token of this change, as everywhere else. It may be left out where the body says it as `idempotency_key`, or where the registry has it derived from the envelope. The answer echoes the one that was used.",
  "schema": {"type": "string", "minLength": 1, "pattern": "^[ -~]+$"},
  "example": "8e03978e-40d5-43e8-bc93-6894a57f9324"
},
"Nonce": {
  "name": "X-Nonce", "in": "header",
  "description": "Unique for the tenant for as long as tokens are remembered. It is spent together with the effect: another call that brings it under another token is refused.",
  "schema": {"type": "string", "minLength": 1, "maxLength": 256, "pattern": "^[ -~]+$"},
  "example": "c0ffee01"
},
"Confirmation": {
  "name": "X-Confirmation", "in": "header",
  "description": "The code from a `confirmation-required` answer to the same request.",
  "schema": {"type": "string"}
}})";

void write_argument(JsonWriter& json, const Argument& argument) {
  json.begin_object();
  text_member(json, "name", argument.name);
  text_member(json, "in", argument.place == Argument::path ? "path" : "query");
  json.key("required");
  json.boolean(true);
  text_member(json, "description", argument.description);
  json.key("schema");
  json.raw(R"({"type":"string","minLength":1})");
  text_member(json, "example", argument.example);
  json.end_object();
}

}  // namespace

std::string parameters() {
  std::string text(parameter_texts);
  text.pop_back();
  for (const Module* module : modules()) {
    for (const Argument& each : module->contract.arguments) {
      text.append(",\"").append(each.component).append("\":");
      JsonWriter json(text);
      write_argument(json, each);
    }
    if (!module->contract.parameters.empty()) text.append(",").append(module->contract.parameters);
  }
  text += '}';
  return text;
}

}  // namespace holdfast::http::openapi

// The shapes of bodies. Objects are closed: a member that is not here does not appear in an answer,
// and is refused in a request.

#include <set>

#include "domain/members.hpp"
#include "domain/module.hpp"
#include "openapi/parts.hpp"

namespace holdfast::http::openapi {
namespace {

constexpr std::string_view word_schemas = R"(
"Instant": {
  "type": "string", "format": "date-time",
  "description": "RFC 3339, UTC, with microseconds.",
  "pattern": "^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\\.[0-9]{6}Z$",
  "examples": ["2026-01-02T03:04:05.678901Z"]
},
"Duration": {
  "description": "ISO 8601 without years and months, or seconds as a number; not finer than a microsecond.",
  "oneOf": [
    {"type": "string", "format": "duration",
     "pattern": "^P(?=[0-9T])([0-9]+W)?([0-9]+D)?(T(?=[0-9])([0-9]+H)?([0-9]+M)?([0-9]+([.,][0-9]{1,6})?S)?)?$"},
    {"type": "number", "exclusiveMinimum": 0, "maximum": 9007199254.740991}
  ],
  "examples": ["PT15M", "P1DT12H", "PT0.5S", 900, 0.5]
},
"Quantity": {
  "type": "integer", "minimum": 1, "maximum": 9007199254740991,
  "description": "An integer that JSON can carry exactly.",
  "examples": [1]
},
"Count": {"type": "integer", "minimum": 0, "description": "How many."},
"Name": {
  "type": "string", "minLength": 1, "maxLength": 1024,
  "description": "At most 1,024 bytes of UTF-8, not blank, without NUL. Compared byte for byte.",
  "examples": ["room_307"]
},
"HoldId": {
  "type": "string", "pattern": "^h[1-9a-f][0-9a-f]*-[0-9a-f]{15}$",
  "description": "Names a hold for ever. It cannot be guessed.",
  "examples": ["h2a-0f3c9d1e5b7a842"]
},
"Availability": {
  "type": "object", "additionalProperties": false,
  "description": "How much of a resource there is to be had.",
  "required": ["resource", "capacity", "held", "confirmed", "free", "next_expiry"],
  "properties": {
    "resource": {"type": "string"},
    "capacity": {"$ref": "#/components/schemas/Quantity"},
    "held": {"$ref": "#/components/schemas/Count"},
    "confirmed": {"$ref": "#/components/schemas/Count"},
    "free": {"$ref": "#/components/schemas/Count"},
    "next_expiry": {"type": ["string", "null"], "format": "date-time", "description": "When the first of what is held lapses; null if nothing is held."}
  },
  "examples": [{"resource": "seats", "capacity": 300, "held": 4, "confirmed": 120, "free": 176, "next_expiry": "2026-01-02T03:19:05.678901Z"}]
},
"TriedHold": {
  "type": "object", "additionalProperties": false,
  "description": "The hold that would be placed. It has no id.",
  "required": ["dry_run", "resource", "requester", "quantity", "state", "placed_at", "expires_at"],
  "properties": {
    "dry_run": {"const": true},
    "resource": {"$ref": "#/components/schemas/Name"},
    "requester": {"$ref": "#/components/schemas/Name"},
    "quantity": {"$ref": "#/components/schemas/Quantity"},
    "state": {"const": "held"},
    "placed_at": {"$ref": "#/components/schemas/Instant"},
    "expires_at": {"$ref": "#/components/schemas/Instant"}
  }
},
"GroupId": {
  "type": "string", "pattern": "^g[1-9a-f][0-9a-f]*-[0-9a-f]{15}$",
  "description": "Names a group of holds for ever. It cannot be guessed.",
  "examples": ["g2a-0f3c9d1e5b7a842"]
},
"Final": {"type": "boolean", "description": "Release at once what is not confirmed."},
"GroupItem": {
  "type": "object", "additionalProperties": false,
  "description": "One of the holds of a group.",
  "required": ["resource"],
  "properties": {
    "resource": {"$ref": "#/components/schemas/Name"},
    "quantity": {"$ref": "#/components/schemas/Quantity", "default": 1}
  }
},
"GroupItems": {
  "type": "array", "minItems": 1, "maxItems": 100,
  "description": "The holds of a group. A resource may be named twice.",
  "items": {"$ref": "#/components/schemas/GroupItem"}
},
"Group": {
  "type": "object", "additionalProperties": false,
  "description": "Holds that were placed together, each as it stands.",
  "required": ["id", "holds"],
  "properties": {
    "id": {"$ref": "#/components/schemas/GroupId"},
    "holds": {"type": "array", "minItems": 1, "maxItems": 100, "items": {"$ref": "#/components/schemas/Hold"}}
  }
},
"LifecycleStep": {
  "type": "object", "additionalProperties": false,
  "description": "A state a hold came into, and when.",
  "required": ["state", "at"],
  "properties": {
    "state": {"$ref": "#/components/schemas/HoldState"},
    "at": {"$ref": "#/components/schemas/Instant"}
  }
},
"HoldList": {
  "type": "object", "additionalProperties": false,
  "description": "A page of holds, newest first.",
  "required": ["items", "next"],
  "properties": {
    "items": {"type": "array", "items": {"$ref": "#/components/schemas/Hold"}},
    "next": {"$ref": "#/components/schemas/NextCursor"}
  }
},
"ResourceList": {
  "type": "object", "additionalProperties": false,
  "description": "A page of resources.",
  "required": ["items", "next"],
  "properties": {
    "items": {"type": "array", "items": {"$ref": "#/components/schemas/Resource"}},
    "next": {"$ref": "#/components/schemas/NextCursor"}
  },
  "examples": [{
    "items": [{"name": "room_307", "capacity": 1, "declared": false, "in_use": 1, "available": 0}],
    "next": null
  }]
},
"NextCursor": {
  "type": ["string", "null"], "minLength": 1,
  "description": "The `cursor` of the next page; null when this is the last."
},
"Resource": {
  "type": "object", "additionalProperties": false,
  "description": "A resource as it stands.",
  "required": ["name", "capacity", "declared", "in_use", "available"],
  "properties": {
    "name": {"type": "string"},
    "capacity": {"$ref": "#/components/schemas/Quantity"},
    "declared": {"type": "boolean", "description": "False: the capacity is 1 because nobody said otherwise."},
    "in_use": {"$ref": "#/components/schemas/Count", "description": "What is held (and has not lapsed) or confirmed."},
    "available": {"$ref": "#/components/schemas/Count", "description": "What is left."}
  },
  "examples": [{"name": "seats", "capacity": 300, "declared": true, "in_use": 12, "available": 288}]
},
"DeclaredResource": {
  "type": "object", "additionalProperties": false,
  "description": "What was declared. What is in use changes from call to call, and so has no place in an answer that is the same on every repetition.",
  "required": ["name", "capacity", "declared"],
  "properties": {
    "name": {"$ref": "#/components/schemas/Name"},
    "capacity": {"$ref": "#/components/schemas/Quantity"},
    "declared": {"const": true}
  },
  "examples": [{"name": "seats", "capacity": 300, "declared": true}]
})";

constexpr std::string_view answer_schemas = R"(
"BatchRequest": {
  "type": "object", "additionalProperties": false,
  "description": "Up to 10,000 operations.",
  "required": ["operations"],
  "properties": {
    "operations": {
      "type": "array", "maxItems": 10000,
      "items": {"$ref": "#/components/schemas/BatchOperation"}
    }
  },
  "examples": [{"operations": [
    {"token": "a-1", "operation": "hold.place",
     "params": {"resource": "room_307", "requester": "guest_g91", "duration": "PT15M"}},
    {"token": "a-2", "operation": "hold.release", "params": {"id": "h2a-0f3c9d1e5b7a842"}}
  ]}]
},
"BatchAnswer": {
  "type": "object", "additionalProperties": false,
  "description": "What became of each operation, in their order.",
  "required": ["results"],
  "properties": {
    "results": {"type": "array", "items": {"$ref": "#/components/schemas/BatchResult"}}
  }
},
"BatchResult": {
  "type": "object", "additionalProperties": false,
  "description": "What the operation would have been answered alone.",
  "required": ["status", "replayed", "body"],
  "properties": {
    "status": {"type": "integer", "minimum": 200, "maximum": 599},
    "replayed": {"type": "boolean", "description": "Whether an earlier call with this token got this answer first."},
    "body": {"$ref": "#/components/schemas/Outcome"}
  },
  "examples": [{"status": 200, "replayed": false, "body": {"name": "seats", "capacity": 300, "declared": true}}]
},
"Outcome": {
  "description": "The body of an answer to a change.",
  "anyOf": [
    {"$ref": "#/components/schemas/Hold"},
    {"$ref": "#/components/schemas/DeclaredResource"},OTHER_OUTCOMES
    {"$ref": "#/components/schemas/Problem"}
  ]
},
"EventPage": {
  "type": "object", "additionalProperties": false,
  "description": "A page of events, oldest first.",
  "required": ["items", "next", "more"],
  "properties": {
    "items": {"type": "array", "items": {"$ref": "#/components/schemas/Event"}},
    "next": {"type": "string", "pattern": "^[0-9]+$", "description": "The `after` of the next page. It is there even when nothing has happened yet that would be on it."},
    "more": {"type": "boolean", "description": "Whether there may be more already."}
  },
  "examples": [{"items": [], "next": "0", "more": false}]
},
"Event": {
  "description": "Something that happened.",
  "oneOf": [
    {"$ref": "#/components/schemas/HoldPlaced"},
    {"$ref": "#/components/schemas/HoldChanged"},
    {"$ref": "#/components/schemas/HoldResolved"},
    {"$ref": "#/components/schemas/ResourceDeclared"}OTHER_EVENTS
  ]
},
"EvidencePage": {
  "type": "object", "additionalProperties": false,
  "description": "A page of decisions, oldest first.",
  "required": ["items", "next", "more"],
  "properties": {
    "items": {"type": "array", "items": {"$ref": "#/components/schemas/EvidenceLeaf"}},
    "next": {"type": "string", "pattern": "^[0-9]+$", "description": "The `after` of the next page. It is there even when nothing was decided yet that would be on it."},
    "more": {"type": "boolean", "description": "Whether there may be more already."}
  },
  "examples": [{"items": [], "next": "0", "more": false}]
},
"EvidenceLeaf": {
  "type": "object", "additionalProperties": false,
  "description": "A decision. Its form by RFC 8785, behind a zero byte, is what the leaf of the tree is the SHA-256 of.",
  "required": ["at", "decision", "kind", "seq", "tenant"],
  "properties": LEAF_MEMBERS
},
"EvidenceName": {
  "description": "A name; in hexadecimal if it is not UTF-8.",
  "oneOf": [
    {"type": "string", "minLength": 1},
    {"type": "object", "additionalProperties": false, "required": ["hex"], "properties": {"hex": {"type": "string", "pattern": "^([0-9a-f]{2})+$"}}}
  ]
},
"Sha256": {
  "type": "string", "pattern": "^[0-9a-f]{64}$",
  "description": "A SHA-256 in hexadecimal."
},
"EvidenceHead": {
  "type": "object", "additionalProperties": false,
  "description": "The head of the tree. The signature is over the form by RFC 8785 of everything but `signature` and `consistency`.",
  "required": ["at", "digest", "format", "public_key", "root", "signature", "size", "windows"],
  "properties": {
    "at": {"$ref": "#/components/schemas/Instant"},
    "consistency": {
      "type": "object", "additionalProperties": false,
      "description": "What leads from an earlier head to this one.",
      "required": ["path", "since"],
      "properties": {
        "path": {"$ref": "#/components/schemas/EvidencePath"},
        "since": {"type": "integer", "minimum": 0}
      }
    },
    "digest": {"type": "string", "description": "The function that digests requests."},
    "format": {"const": "holdfast-evidence-1"},
    "of": {"type": "integer", "minimum": 2, "description": "Of a proof against an earlier head: how many records there are in all. A head without it is of everything there was."},
    "public_key": {"type": "string", "pattern": "^[0-9a-f]{64}$", "description": "The Ed25519 key it says it is signed with. Compare it with the one you know."},
    "root": {"$ref": "#/components/schemas/Sha256"},
    "signature": {"type": "string", "pattern": "^[0-9a-f]{128}$"},
    "size": {"type": "integer", "minimum": 0, "description": "How many records the root is over."},
    "windows": {
      "type": "object", "additionalProperties": {"type": "string"},
      "description": "How long the tokens of each operation are recognised."
    },
    "windows_made": {
      "type": "object", "additionalProperties": {"type": "string"},
      "description": "Of a store whose window was changed: that it was made with, for the operations that follow it. The changes are records."
    }
  }
},
"EvidencePath": {
  "type": "array", "maxItems": 128,
  "description": "Hashes, from the leaves up.",
  "items": {"$ref": "#/components/schemas/Sha256"}
},
"EvidenceProof": {
  "type": "object", "additionalProperties": false,
  "description": "A decision and what leads from it to a head.",
  "required": ["audit_path", "head", "leaf", "leaf_hash", "seq"],
  "properties": {
    "audit_path": {"$ref": "#/components/schemas/EvidencePath"},
    "head": {"$ref": "#/components/schemas/EvidenceHead"},
    "leaf": {"$ref": "#/components/schemas/EvidenceLeaf"},
    "leaf_hash": {"$ref": "#/components/schemas/Sha256"},
    "seq": {"$ref": "#/components/schemas/Sequence"}
  }
},
"HoldPlaced": {
  "type": "object", "additionalProperties": false,
  "description": "A hold was placed.",
  "required": ["seq", "type", "at", "hold"],
  "properties": {
    "seq": {"$ref": "#/components/schemas/Sequence"},
    "type": {"const": "hold.placed"},
    "at": {"$ref": "#/components/schemas/Instant"},
    "hold": {"$ref": "#/components/schemas/Hold"}
  }
},
"HoldChanged": {
  "type": "object", "additionalProperties": false,
  "description": "A hold was extended, a part of it confirmed, or what was confirmed of it given back.",
  "required": ["seq", "type", "at", "hold", "by"],
  "properties": {
    "seq": {"$ref": "#/components/schemas/Sequence"},
    "type": {"enum": ["hold.extended", "hold.partly_confirmed", "hold.cancelled"]},
    "at": {"$ref": "#/components/schemas/Instant"},
    "hold": {
      "type": "object", "additionalProperties": false,
      "required": ["id"],
      "properties": {
        "id": {"$ref": "#/components/schemas/HoldId"},
        "quantity": {"$ref": "#/components/schemas/Quantity", "description": "How much was confirmed, or given back."},
        "expires_at": {"$ref": "#/components/schemas/Instant", "description": "When it expires now."}
      }
    },
    "by": {"const": "caller"}
  }
},
"HoldResolved": {
  "type": "object", "additionalProperties": false,
  "description": "A hold was confirmed, released or expired.",
  "required": ["seq", "type", "at", "hold", "by"],
  "properties": {
    "seq": {"$ref": "#/components/schemas/Sequence"},
    "type": {"enum": ["hold.confirmed", "hold.released", "hold.expired"]},
    "at": {"$ref": "#/components/schemas/Instant"},
    "hold": {
      "type": "object", "additionalProperties": false,
      "required": ["id", "state"],
      "properties": {
        "id": {"$ref": "#/components/schemas/HoldId"},
        "quantity": {"$ref": "#/components/schemas/Quantity", "description": "Of a confirm that was final: how much of what was held; the rest was released."},
        "state": {"enum": ["confirmed", "released", "expired"]}
      }
    },
    "by": {"enum": ["caller", "sweeper"], "description": "Who did it: a caller, or the service itself, which only expires."}
  },
  "examples": [{
    "seq": 8, "type": "hold.expired", "at": "2026-01-02T03:19:05.900000Z",
    "hold": {"id": "h2a-0f3c9d1e5b7a842", "state": "expired"}, "by": "sweeper"
  }]
},
"ResourceDeclared": {
  "type": "object", "additionalProperties": false,
  "description": "A capacity was set.",
  "required": ["seq", "type", "at", "resource"],
  "properties": {
    "seq": {"$ref": "#/components/schemas/Sequence"},
    "type": {"const": "resource.declared"},
    "at": {"$ref": "#/components/schemas/Instant"},
    "resource": {
      "type": "object", "additionalProperties": false,
      "required": ["name", "capacity"],
      "properties": {
        "name": {"$ref": "#/components/schemas/Name"},
        "capacity": {"$ref": "#/components/schemas/Quantity"}
      }
    }
  },
  "examples": [{
    "seq": 1, "type": "resource.declared", "at": "2026-01-02T03:04:05.678901Z",
    "resource": {"name": "seats", "capacity": 300}
  }]
},
"Sequence": {
  "type": "integer", "minimum": 1,
  "description": "The number of a record. Numbers rise in the order of commits, with gaps."
},
"Status": {
  "type": "object", "additionalProperties": false,
  "required": ["status"],
  "properties": {"status": {"enum": ["live", "ready"]}},
  "examples": [{"status": "live"}]
})";

/// Members of every hold, whatever else is said of it.
constexpr std::string_view hold_members = R"(
"id": {"$ref": "#/components/schemas/HoldId"},
"resource": {"$ref": "#/components/schemas/Name"},
"requester": {"$ref": "#/components/schemas/Name"},
"quantity": {"$ref": "#/components/schemas/Quantity"},
"state": {"$ref": "#/components/schemas/HoldState"},
"placed_at": {"$ref": "#/components/schemas/Instant"},
"expires_at": {"$ref": "#/components/schemas/Instant", "description": "From then on the hold is lapsed, unless it was resolved before."},
"confirmed_at": {"$ref": "#/components/schemas/Instant"},
"released_at": {"$ref": "#/components/schemas/Instant"},
"expired_at": {"$ref": "#/components/schemas/Instant", "description": "When it was expired, which is at or after `expires_at`."},
"quantity_confirmed": {"$ref": "#/components/schemas/Count", "description": "How much of it was confirmed, what was cancelled since included."},
"quantity_released": {"$ref": "#/components/schemas/Count", "description": "How much was given back without having been confirmed."},
"quantity_cancelled": {"$ref": "#/components/schemas/Count", "description": "How much of what was confirmed was given back."},
"fence": {"type": "integer", "minimum": 1, "description": "Grows from each hold of a resource to the next."},
"group": {"$ref": "#/components/schemas/GroupId"},
"lapsed": {"const": true, "description": "There only when a hold is still `held` past its time. It claims nothing any more, and will be `expired` soon."})";

/// Once a hold is resolved there is the instant of it, and only that one.
constexpr std::string_view hold_states = R"("oneOf": [
  {"properties": {"state": {"const": "held"}, "confirmed_at": false, "released_at": false, "expired_at": false}},
  {"required": ["confirmed_at"],
   "properties": {"state": {"const": "confirmed"}, "released_at": false, "expired_at": false, "lapsed": false}},
  {"required": ["released_at"],
   "properties": {"state": {"const": "released"}, "confirmed_at": false, "expired_at": false, "lapsed": false}},
  {"required": ["expired_at"],
   "properties": {"state": {"const": "expired"}, "confirmed_at": false, "released_at": false, "lapsed": false}}
])";

constexpr std::string_view hold_required =
    R"("id", "resource", "requester", "quantity", "state", "placed_at", "expires_at", "quantity_confirmed", "quantity_released", "quantity_cancelled", "fence")";

std::string hold_schemas() {
  std::string text = R"("Hold": {"type": "object", "additionalProperties": false,
    "description": "A quantity of a resource, claimed for a while. The instant of its end is there once it has ended.",
    "required": [)";
  text.append(hold_required).append("], ").append(hold_states).append(R"(, "properties": {)");
  text.append(hold_members).append(R"(},
    "examples": [{
      "id": "h2a-0f3c9d1e5b7a842", "resource": "room_307", "requester": "guest_g91", "quantity": 1,
      "state": "held", "placed_at": "2026-01-02T03:04:05.678901Z",
      "expires_at": "2026-01-02T03:19:05.678901Z", "quantity_confirmed": 0, "quantity_released": 0,
      "quantity_cancelled": 0, "fence": 42
    }]},)");
  text.append(R"("HoldDetails": {"type": "object", "additionalProperties": false,
    "description": "A hold, its life so far and the token that placed it.",
    "required": [)");
  text.append(hold_required).append(R"(, "token", "lifecycle"], )").append(hold_states);
  text.append(R"(, "properties": {)").append(hold_members).append(R"(,
      "token": {"type": "string", "description": "The token that placed it. Bytes that are not UTF-8 appear as U+FFFD."},
      "token_hex": {"$ref": "#/components/schemas/TokenHex"},
      "lifecycle": {"type": "array", "minItems": 1, "maxItems": 2, "items": {"$ref": "#/components/schemas/LifecycleStep"}},
      "expires_in_ms": {"$ref": "#/components/schemas/Count", "description": "How long it is still held. There only while it is."}
    },
    "examples": [{
      "id": "h2a-0f3c9d1e5b7a842", "resource": "room_307", "requester": "guest_g91", "quantity": 1,
      "state": "confirmed", "placed_at": "2026-01-02T03:04:05.678901Z",
      "expires_at": "2026-01-02T03:19:05.678901Z", "confirmed_at": "2026-01-02T03:05:00.000000Z",
      "quantity_confirmed": 1, "quantity_released": 0, "quantity_cancelled": 0, "fence": 42,
      "token": "8e03978e-40d5-43e8-bc93-6894a57f9324",
      "lifecycle": [
        {"state": "held", "at": "2026-01-02T03:04:05.678901Z"},
        {"state": "confirmed", "at": "2026-01-02T03:05:00.000000Z"}
      ]
    }]},
  "TokenHex": {"type": "string", "pattern": "^([0-9a-f]{2})+$", "description": "The token's bytes in hexadecimal; there only when they are not UTF-8."})");
  return text;
}

/// What is answered by operations that say themselves what.
std::string module_outcomes() {
  std::set<std::string_view> answers;
  for (const OperationRow& row : operations()) {
    const OperationSpec& spec = spec_of(row.id);
    if (spec.told) answers.insert(spec.contract.answer);
  }
  std::string text;
  for (const std::string_view each : answers)
    text += R"({"$ref": "#/components/schemas/)" + std::string(each) + "\"},";
  return text;
}

/// Of kinds that change rows of modules; empty if there are none.
std::string module_event_schema() {
  std::string types;
  JsonWriter json(types);
  for (const KindRow* each : kinds()) {
    if (each->does == StateChange::rows) json.string(each->event);
  }
  if (types.empty()) return {};
  return R"(,"ModuleEvent": {
  "type": "object", "additionalProperties": false,
  "description": "Something of a module's changed: what, it says itself.",
  "required": ["seq", "type", "at", "subject", "by", "data"],
  "properties": {
    "seq": {"$ref": "#/components/schemas/Sequence"},
    "type": {"enum": [)" +
         types + R"(]},
    "at": {"$ref": "#/components/schemas/Instant"},
    "subject": {"type": "string", "minLength": 1, "description": "What it is about."},
    "by": {"enum": ["caller", "sweeper"], "description": "Who made it so."},
    "data": {"type": "object"}
  }
})";
}

/// Of objects whose members a table says, and of pages of them.
std::string shape_schemas(const Module& module) {
  std::string text;
  for (const ObjectShape& each : module.contract.shapes) {
    text.append(",\"").append(each.name).append("\":");
    JsonWriter json(text);
    if (each.items.empty()) {
      write_object_schema(json, each.members, each.description, each.examples);
    } else {
      json.begin_object();
      text_member(json, "type", "object");
      json.key("additionalProperties");
      json.boolean(false);
      text_member(json, "description", each.description);
      json.key("required");
      json.raw(R"(["items","next"])");
      json.key("properties");
      json.begin_object();
      json.key("items");
      json.begin_object();
      text_member(json, "type", "array");
      json.key("items");
      write_reference(json, "schemas", each.items);
      json.end_object();
      json.key("next");
      write_reference(json, "schemas", "NextCursor");
      json.end_object();
      json.end_object();
    }
  }
  return text;
}

}  // namespace

std::string written_schemas() {
  std::string schemas = hold_schemas() + ',' + std::string(word_schemas) + ',' + request_schemas() +
                        ',' + std::string(answer_schemas);
  const auto fill = [&](std::string_view place, const std::string& text) {
    schemas.replace(schemas.find(place), place.size(), text);
  };
  fill("LEAF_MEMBERS", leaf_members());
  fill("OTHER_OUTCOMES", module_outcomes());
  const std::string event = module_event_schema();
  fill("OTHER_EVENTS", event.empty() ? "" : R"(, {"$ref": "#/components/schemas/ModuleEvent"})");
  schemas += event;
  for (const Module* each : modules()) {
    schemas += shape_schemas(*each);
    if (!each->contract.schemas.empty()) schemas.append(",").append(each->contract.schemas);
  }
  return schemas;
}

}  // namespace holdfast::http::openapi

#pragma once

#include <string_view>

/// What the contract says of commands and does not take from their tables.
namespace holdfast::commands {

inline constexpr std::string_view submit_examples = R"([
    {"intent": {"entity": "payment", "action": "charge", "target": "order-4711"},
     "args": {"amount": "12.34", "currency": "EUR"}},
    {"intent": {"entity": "account", "action": "close"}, "args": {},
     "confirmation_token": "ct-6413c0b2a1-00ff"}
  ])";

inline constexpr std::string_view contract_tags =
    R"({"name": "commands", "description": "Any change of state exactly once, effects outside included."},
{"name": "effects", "description": "What commands do outside: leased, completed, failed, retried."})";

inline constexpr std::string_view contract_parameters = R"(
"CommandId": {
  "name": "id", "in": "path", "required": true,
  "description": "The command's id, as submitting it answered.",
  "schema": {"type": "string", "minLength": 1},
  "example": "c-9f86d081884c7d659a2feaa0c55ad015a3bf4f1b-1"
})";

inline constexpr std::string_view contract_schemas = R"(
"CommandText": {
  "type": "string", "maxLength": 1024, "description": "A text; empty is as if it were left out.",
  "examples": ["corr-1"]
},
"CommandArgs": {
  "type": "object", "description": "The arguments, as the registry declares them.",
  "examples": [{"amount": "12.34", "currency": "EUR"}]
},
"CommandTarget": {
  "description": "What exactly is acted on: any JSON, as stable identifiers.",
  "examples": ["order-4711", {"order": "4711", "line": 3}]
},
"EffectResult": {
  "description": "What came of an effect: any JSON.", "examples": [{"charge": "ch_1"}]
},
"EffectKinds": {
  "type": "array", "minItems": 1, "maxItems": 100,
  "items": {"$ref": "#/components/schemas/Name"},
  "description": "Kinds of effects: the names of their providers in the registry.",
  "examples": [["warehouse"]]
},
"LeaseMax": {
  "type": "integer", "minimum": 1, "maximum": 1000, "description": "How many effects at most.",
  "examples": [10]
},
"Fence": {
  "type": "integer", "minimum": 0,
  "description": "The number of a lease. It grows; whoever comes with an older one is refused.",
  "examples": [1]
},
"Verdict": {
  "type": "string", "enum": ["retry", "refused", "unknown", "absent"],
  "description": "How an attempt ended.", "examples": ["retry"]
},
"EndStatus": {
  "type": "string", "enum": ["executed", "failed", "compensated"],
  "description": "How a command ended.", "examples": ["executed"]
},
"CommandStatus": {
  "type": "string", "enum": ["in_progress", "executed", "failed", "rejected", "compensated"],
  "description": "How a command stands.", "examples": ["executed"]
},
"CommandDocument": {
  "type": "object", "additionalProperties": false,
  "required": ["command_id", "idempotency_key", "status", "intent", "outcome", "outcome_ref",
               "fingerprint", "created_at", "updated_at", "ttl_expires_at"],
  "description": "A command: the dedup record of its key. What is secret in its arguments is shown as \"[secret]\".",
  "properties": {
    "command_id": {"type": "string"},
    "idempotency_key": {"type": "string"},
    "status": {"$ref": "#/components/schemas/CommandStatus"},
    "intent": {
      "type": "object", "additionalProperties": false, "required": ["entity", "action"],
      "properties": {
        "entity": {"type": "string"}, "action": {"type": "string"},
        "target": {"$ref": "#/components/schemas/CommandTarget"}
      }
    },
    "args": {"$ref": "#/components/schemas/CommandArgs"},
    "actor_id": {"type": "string"},
    "effective_actor_id": {"type": "string"},
    "command_kind": {"type": "string"},
    "correlation_id": {"type": "string"},
    "reason": {"type": "string"},
    "outcome": {"description": "What came of it; null as long as it is in progress."},
    "outcome_ref": {"type": "string"},
    "fingerprint": {"type": "string"},
    "created_at": {"$ref": "#/components/schemas/Instant"},
    "updated_at": {"$ref": "#/components/schemas/Instant"},
    "ttl_expires_at": {
      "description": "Null: its key is never forgotten.",
      "oneOf": [{"$ref": "#/components/schemas/Instant"}, {"type": "null"}]
    }
  },
  "examples": [{"command_id": "c-9f86d081884c7d659a2feaa0c55ad015a3bf4f1b-1", "idempotency_key": "order-4711",
    "status": "executed", "intent": {"entity": "payment", "action": "charge"}, "args": {},
    "outcome": {"charge": "ch_1"}, "outcome_ref": "/v1/commands/c-9f86d081884c7d659a2feaa0c55ad015a3bf4f1b-1",
    "fingerprint": "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "created_at": "2026-01-02T03:04:05.678901Z", "updated_at": "2026-01-02T03:04:06.000000Z",
    "ttl_expires_at": null}]
},
"CommandPage": {
  "type": "object", "additionalProperties": false, "required": ["items", "next"],
  "description": "A page of commands, newest first.",
  "properties": {
    "items": {"type": "array", "items": {"$ref": "#/components/schemas/CommandDocument"}},
    "next": {"type": ["string", "null"]}
  },
  "examples": [{"items": [], "next": null}]
},
"Approval": {
  "type": "object", "additionalProperties": false,
  "required": ["at", "confirmation", "id", "principal"],
  "description": "Who approved which command, and when.",
  "properties": {
    "at": {"$ref": "#/components/schemas/Instant"}, "confirmation": {"type": "string"},
    "id": {"type": "string"}, "principal": {"type": "string"}
  },
  "examples": [{"at": "2026-01-02T03:04:05.678901Z", "confirmation": "ct-6413c0b2a1-00ff",
    "id": "c-9f86d081884c7d659a2feaa0c55ad015a3bf4f1b-1", "principal": "second_pair_of_eyes"}]
},
"LeasedEffects": {
  "type": "object", "additionalProperties": false, "required": ["effects", "holder"],
  "description": "Effects that are the caller's until their leases end.",
  "properties": {
    "holder": {"type": "string"},
    "effects": {
      "type": "array",
      "items": {
        "type": "object", "additionalProperties": false,
        "required": ["id", "command_id", "kind", "fence", "attempt", "lease_until", "request",
                     "shield", "stage", "tenant", "uncertain"],
        "properties": {
          "id": {"type": "string"}, "command_id": {"type": "string"}, "kind": {"type": "string"},
          "fence": {"$ref": "#/components/schemas/Fence"},
          "attempt": {"type": "integer", "minimum": 0},
          "lease_until": {"$ref": "#/components/schemas/Instant"},
          "result": {"$ref": "#/components/schemas/EffectResult"},
          "shield": {"type": "string"}, "stage": {"type": "string"}, "tenant": {"type": "string"},
          "uncertain": {"type": "boolean"},
          "request": {
            "type": "object", "additionalProperties": false,
            "required": ["entity", "action", "idempotency_key"],
            "properties": {
              "entity": {"type": "string"}, "action": {"type": "string"},
              "actor_id": {"type": "string"}, "effective_actor_id": {"type": "string"},
              "args": {"$ref": "#/components/schemas/CommandArgs"},
              "correlation_id": {"type": "string"}, "idempotency_key": {"type": "string"},
              "target": {"$ref": "#/components/schemas/CommandTarget"}
            }
          }
        }
      }
    }
  },
  "examples": [{"effects": [], "holder": "worker_1"}]
},
"EffectState": {
  "type": "object", "additionalProperties": false, "required": ["id", "fence"],
  "description": "How an effect stands, or how its command ended: then it has a status.",
  "properties": {
    "id": {"type": "string"},
    "fence": {"$ref": "#/components/schemas/Fence"},
    "status": {"$ref": "#/components/schemas/EndStatus"},
    "had_effect": {"type": "boolean"},
    "reason": {"type": "string"},
    "outcome": {"description": "What came of it."},
    "stage": {"type": "string", "enum": ["call", "probe", "reconcile"]},
    "ready_at": {"$ref": "#/components/schemas/Instant"},
    "lease_until": {"$ref": "#/components/schemas/Instant"},
    "attempts": {"type": "integer", "minimum": 0},
    "uncertain": {"type": "boolean"},
    "error": {"type": "string"},
    "result": {"$ref": "#/components/schemas/EffectResult"}
  },
  "examples": [{"id": "c-9f86d081884c7d659a2feaa0c55ad015a3bf4f1b-1", "fence": 1,
    "had_effect": true, "status": "executed", "outcome": {"charge": "ch_1"}}]
})";

}  // namespace holdfast::commands

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
"Wait": {
  "name": "wait", "in": "query",
  "description": "How long to wait for a command that is in progress, such as `10s` or `PT10S`; no longer than the service allows. The answer comes as soon as it has settled.",
  "schema": {"type": "string", "minLength": 1},
  "example": "10s"
},
"CommandKey": {
  "name": "key", "in": "query",
  "description": "Only the last command of this idempotency key.",
  "schema": {"type": "string"},
  "example": "order-4711"
},
"CommandStatus": {
  "name": "status", "in": "query",
  "description": "Only commands that stand so.",
  "schema": {"$ref": "#/components/schemas/CommandStatus"},
  "example": "executed"
},
"CommandEntity": {
  "name": "entity", "in": "query",
  "description": "Only commands on this entity.",
  "schema": {"type": "string"},
  "example": "payment"
},
"CommandAction": {
  "name": "action", "in": "query",
  "description": "Only commands of this action.",
  "schema": {"type": "string"},
  "example": "charge"
},
"EffectCommand": {
  "name": "command_id", "in": "query",
  "description": "Only the effect of this command. It is a page of its own: `cursor` does not go with it.",
  "schema": {"type": "string"},
  "example": "c-9f86d081884c7d659a2feaa0c55ad015a3bf4f1b-1"
},
"EffectStatus": {
  "name": "status", "in": "query",
  "description": "Only effects that stand so.",
  "schema": {"$ref": "#/components/schemas/EffectStatus"},
  "example": "waiting"
},
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
"EffectVerdict": {
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
"RegistryDigest": {
  "type": "string", "pattern": "^[0-9a-f]{64}$",
  "description": "SHA-256 of a registry, as `GET /v1/registry` answers it.",
  "examples": ["e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"]
},
"RegistryState": {
  "type": "object", "additionalProperties": false, "required": ["at", "digest"],
  "description": "The registry in force, as the journal says.",
  "properties": {
    "at": {"$ref": "#/components/schemas/Instant"},
    "digest": {"$ref": "#/components/schemas/RegistryDigest"},
    "previous": {"$ref": "#/components/schemas/RegistryDigest"}
  },
  "examples": [{"at": "2026-01-02T03:04:05.678901Z",
    "digest": "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"}]
},
"Registry": {
  "type": "object",
  "description": "Every command that is declared, with its defaults filled in, the providers, and the operations that are commands themselves. Of secrets it has the names.",
  "examples": [{"commands": [], "providers": []}]
},
"EffectStatus": {
  "type": "string", "enum": ["waiting", "leased", "unknown", "dead"],
  "description": "How an effect stands: it waits for its next attempt; somebody is at work on it; nobody knows whether it took place, and that is to be found out; its command failed, and it is not tried again.",
  "examples": ["waiting"]
},
"EffectDocument": {
  "type": "object", "additionalProperties": false,
  "required": ["id", "command_id", "idempotency_key", "intent", "status", "kind", "provider",
               "shield", "stage", "attempts", "attempts_max", "ready_at", "fence", "uncertain",
               "why", "created_at"],
  "description": "The effect of a command that has not settled, or that failed. What is secret in its arguments is shown as \"[secret]\".",
  "properties": {
    "id": {"type": "string"},
    "command_id": {"type": "string"},
    "idempotency_key": {"type": "string"},
    "intent": {
      "type": "object", "additionalProperties": false, "required": ["entity", "action"],
      "properties": {
        "entity": {"type": "string"}, "action": {"type": "string"},
        "target": {"$ref": "#/components/schemas/CommandTarget"}
      }
    },
    "args": {"$ref": "#/components/schemas/CommandArgs"},
    "correlation_id": {"type": "string"},
    "status": {"$ref": "#/components/schemas/EffectStatus"},
    "kind": {"type": "string", "enum": ["push", "pull", "handler"], "description": "Who acts: the service calls, workers lease, or a handler in the process."},
    "provider": {"type": "string"},
    "shield": {"type": "string", "enum": ["S1", "S2", "S3", "S4"]},
    "stage": {"type": "string", "enum": ["call", "probe", "reconcile"], "description": "What is done next."},
    "attempts": {"type": "integer", "minimum": 0},
    "attempts_max": {"type": "integer", "minimum": 0},
    "ready_at": {"$ref": "#/components/schemas/Instant"},
    "lease_until": {"$ref": "#/components/schemas/Instant"},
    "holder": {"type": "string", "description": "Who is at work on it."},
    "fence": {"$ref": "#/components/schemas/Fence"},
    "uncertain": {"type": "boolean", "description": "An earlier attempt may have taken place."},
    "error": {"type": "string", "description": "What the last attempt ended in."},
    "result": {"$ref": "#/components/schemas/EffectResult"},
    "reason": {"type": "string", "description": "Why its command failed."},
    "why": {"type": "string", "description": "Why it waits, for people."},
    "created_at": {"$ref": "#/components/schemas/Instant"}
  },
  "examples": [{"id": "c-9f86d081884c7d659a2feaa0c55ad015a3bf4f1b-1",
    "command_id": "c-9f86d081884c7d659a2feaa0c55ad015a3bf4f1b-1", "idempotency_key": "order-4711",
    "intent": {"entity": "payment", "action": "charge"}, "args": {}, "status": "waiting",
    "kind": "pull", "provider": "warehouse", "shield": "S2", "stage": "call", "attempts": 0,
    "attempts_max": 10, "ready_at": "2026-01-02T03:04:05.678901Z", "fence": 0, "uncertain": false,
    "why": "It waits for a worker to lease it.", "created_at": "2026-01-02T03:04:05.678901Z"}]
},
"EffectPage": {
  "type": "object", "additionalProperties": false, "required": ["items", "next"],
  "description": "A page of effects, newest first.",
  "properties": {
    "items": {"type": "array", "items": {"$ref": "#/components/schemas/EffectDocument"}},
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
  "description": "How an effect stands, or how its command ended: then it says `ended`.",
  "properties": {
    "id": {"type": "string"},
    "fence": {"$ref": "#/components/schemas/Fence"},
    "ended": {"$ref": "#/components/schemas/EndStatus"},
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
    "had_effect": true, "ended": "executed", "outcome": {"charge": "ch_1"}}]
})";

}  // namespace holdfast::commands

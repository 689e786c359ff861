#pragma once

#include <string_view>

/// What the contract says of webhooks and does not take from their tables.
namespace holdfast::webhooks {

inline constexpr std::string_view contract_tags =
    R"({"name": "webhooks", "description": "Webhooks that others send, each acted on once."},
{"name": "inbox", "description": "What was taken in: leased, completed, failed, tried again."})";

inline constexpr std::string_view contract_parameters = R"(
"WebhookSource": {
  "name": "source", "in": "path", "required": true,
  "description": "The name of the source, as the registry declares it.",
  "schema": {"type": "string", "minLength": 1},
  "example": "payments"
},
"EntryId": {
  "name": "id", "in": "path", "required": true,
  "description": "The entry's id, as taking its webhook in answered.",
  "schema": {"type": "string", "minLength": 1},
  "example": "w-9f86d081884c7d659a2feaa0c55ad015a3bf4f1b-1"
},
"EntryStatus": {
  "name": "status", "in": "query",
  "description": "Only entries that stand so.",
  "schema": {"$ref": "#/components/schemas/InboxStatus"},
  "example": "dead"
},
"EntrySource": {
  "name": "source", "in": "query",
  "description": "Only entries of this source.",
  "schema": {"type": "string"},
  "example": "payments"
})";

inline constexpr std::string_view contract_schemas = R"(
"InboxKinds": {
  "type": "array", "minItems": 1, "maxItems": 100,
  "items": {"$ref": "#/components/schemas/Name"},
  "description": "Kinds of entries: what sources name in `pull`.",
  "examples": [["invoices"]]
},
"InboxVerdict": {
  "type": "string", "enum": ["retry", "later", "dead"],
  "description": "How an attempt ended: it is tried again; it is tried again and was no attempt; it is not tried again by itself.",
  "examples": ["retry"]
},
"InboxStatus": {
  "type": "string", "enum": ["received", "processing", "done", "dead"],
  "description": "How an entry stands.", "examples": ["received"]
},
"WebhookTaken": {
  "type": "object", "additionalProperties": false, "required": ["id"],
  "description": "A webhook that was taken in, now or before.",
  "properties": {"id": {"type": "string"}},
  "examples": [{"id": "w-9f86d081884c7d659a2feaa0c55ad015a3bf4f1b-1"}]
},
"InboxEntry": {
  "type": "object", "additionalProperties": false,
  "required": ["id", "source", "event_id", "status", "follows", "target", "attempts",
               "body_bytes", "body_sha256", "received_at"],
  "description": "A webhook that was taken in, and what became of it. Lists leave body and headers out.",
  "properties": {
    "id": {"type": "string"}, "source": {"type": "string"}, "event_id": {"type": "string"},
    "status": {"$ref": "#/components/schemas/InboxStatus"},
    "follows": {"type": "string", "enum": ["command", "forward", "pull"]},
    "target": {"type": "string"},
    "attempts": {"type": "integer", "minimum": 0},
    "attempts_max": {"type": "integer", "minimum": 1},
    "last_error": {"type": "string"},
    "result": {"$ref": "#/components/schemas/EffectResult"},
    "body_bytes": {"type": "integer", "minimum": 0},
    "body_sha256": {"type": "string"},
    "body": {"type": "string", "description": "The body, if it is text."},
    "body_base64": {"type": "string", "description": "The body, if it is not."},
    "headers": {"type": "object", "additionalProperties": {"type": "string"}},
    "received_at": {"$ref": "#/components/schemas/Instant"},
    "signed_at": {"$ref": "#/components/schemas/Instant"},
    "done_at": {"$ref": "#/components/schemas/Instant"},
    "ready_at": {"$ref": "#/components/schemas/Instant"},
    "holder": {"type": "string"},
    "lease_until": {"$ref": "#/components/schemas/Instant"}
  },
  "examples": [{"id": "w-9f86d081884c7d659a2feaa0c55ad015a3bf4f1b-1", "source": "payments",
    "event_id": "evt_1", "status": "received", "follows": "pull", "target": "invoices",
    "attempts": 0, "attempts_max": 20, "body_bytes": 14,
    "body_sha256": "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "received_at": "2026-01-02T03:04:05.678901Z", "ready_at": "2026-01-02T03:04:05.678901Z"}]
},
"InboxPage": {
  "type": "object", "additionalProperties": false, "required": ["items", "next"],
  "description": "A page of entries. It may be shorter than asked for and still have a next one.",
  "properties": {
    "items": {"type": "array", "items": {"$ref": "#/components/schemas/InboxEntry"}},
    "next": {"type": ["string", "null"]}
  },
  "examples": [{"items": [], "next": null}]
},
"LeasedEntries": {
  "type": "object", "additionalProperties": false, "required": ["entries", "holder"],
  "description": "Entries that are the caller's until their leases end. What was sent is read with `GET /v1/inbox/{id}`.",
  "properties": {
    "holder": {"type": "string"},
    "entries": {
      "type": "array",
      "items": {
        "type": "object", "additionalProperties": false,
        "required": ["id", "source", "event_id", "kind", "fence", "attempt", "lease_until",
                     "received_at", "tenant"],
        "properties": {
          "id": {"type": "string"}, "source": {"type": "string"}, "event_id": {"type": "string"},
          "kind": {"type": "string"}, "tenant": {"type": "string"},
          "fence": {"$ref": "#/components/schemas/Fence"},
          "attempt": {"type": "integer", "minimum": 0},
          "lease_until": {"$ref": "#/components/schemas/Instant"},
          "received_at": {"$ref": "#/components/schemas/Instant"}
        }
      }
    }
  },
  "examples": [{"entries": [], "holder": "worker_1"}]
},
"EntryState": {
  "type": "object", "additionalProperties": false, "required": ["id", "fence", "status", "attempts"],
  "description": "How an entry stands.",
  "properties": {
    "id": {"type": "string"},
    "fence": {"$ref": "#/components/schemas/Fence"},
    "status": {"$ref": "#/components/schemas/InboxStatus"},
    "attempts": {"type": "integer", "minimum": 0},
    "error": {"type": "string"},
    "ready_at": {"$ref": "#/components/schemas/Instant"},
    "result": {"$ref": "#/components/schemas/EffectResult"}
  },
  "examples": [{"id": "w-9f86d081884c7d659a2feaa0c55ad015a3bf4f1b-1", "fence": 1,
    "status": "done", "attempts": 1}]
})";

}  // namespace holdfast::webhooks

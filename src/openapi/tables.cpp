// Schemas that follow from tables: rejections, operations, invariants, states.

#include "domain/digest.hpp"
#include "domain/invariants.hpp"
#include "domain/operation.hpp"
#include "holdfast/rejections.hpp"
#include "holdfast/types.hpp"
#include "openapi/parts.hpp"

namespace holdfast::http::openapi {
namespace {

constexpr std::string_view reference_begin = R"({"$ref":"#/components/schemas/)";

/// `["a","b"]` of whatever `text_of` makes of the rows it wants; an empty text is left out.
template <typename Table, typename TextOf>
std::string list_of(const Table& table, TextOf text_of, std::string_view first = {}) {
  std::string list;
  std::string last;
  JsonWriter json(list);
  json.begin_array();
  if (!first.empty()) json.string(first);
  for (const auto& row : table) {
    std::string text(text_of(row));
    if (text.empty() || text == last) continue;  // two may have one code
    json.string(text);
    last = std::move(text);
  }
  json.end_array();
  return list;
}

std::string hold_state_schema() {
  constexpr std::array states{HoldState::held, HoldState::confirmed, HoldState::released,
                              HoldState::expired};
  return R"("HoldState": {"type": "string", "enum": )" +
         list_of(states, [](HoldState state) { return name(state); }) + "}";
}

std::string json_text(std::string_view text) {
  std::string out;
  JsonWriter(out).string(text);
  return out;
}

/// What each code means, as the table has it.
std::string meanings() {
  std::string lines = "Why a call was refused.";
  for (const RejectionRow& row : rejection_table) {
    lines += "\n- `" + std::string(row.code) + "`: " + std::string(row.title) + ". ";
    lines += row.text;
  }
  return json_text(lines);
}

/// What each reason means, as the table has it.
std::string reasons() {
  std::string lines = "Of `invalid-request`: what is wrong with it. The names stay as they are.";
  for (const ReasonRow& row : reason_table) {
    if (row.id == Reason::none) continue;
    lines += "\n- `" + std::string(row.name) + "`: " + std::string(row.text);
  }
  return json_text(lines);
}

constexpr std::string_view problem_members = R"(
"type": {"$ref": "#/components/schemas/ProblemType"},
"title": {"type": "string", "minLength": 1, "description": "The code in words."},
"status": {"type": "integer", "minimum": 400, "maximum": 599, "description": "The status of the answer."},
"detail": {"type": "string", "minLength": 1, "description": "What it was this time, for people."},
"code": {"$ref": "#/components/schemas/ProblemCode"},
"reason": {"$ref": "#/components/schemas/ProblemReason"},
"retryable": {"type": "boolean", "description": "Whether the same request may succeed later."},
"token_action": {"enum": ["reuse", "new"], "description": "`reuse`: this call has not used the token. `new`: this refusal is its outcome, or it belongs to another request."},
"effect": {"enum": ["none", "unknown"], "description": "Of a refusal that is no outcome of the call, and so is never recorded; no other has it. `none`: this call changed nothing. `unknown`: the change may have happened, or may still happen; the same token tells."},
"state": {"enum": ["confirmed", "released", "expired"], "description": "Of `not-held`: what the hold is instead."},
"short": {
  "type": "array", "minItems": 1,
  "description": "Of a group: every resource of which more was asked than is free.",
  "items": {
    "type": "object", "additionalProperties": false,
    "required": ["resource", "asked", "free"],
    "properties": {
      "resource": {"$ref": "#/components/schemas/Name"},
      "asked": {"$ref": "#/components/schemas/Quantity"},
      "free": {"$ref": "#/components/schemas/Count"}
    }
  }
},
"execution": {
  "type": "object", "additionalProperties": false, "required": ["command_id"],
  "description": "Of `execution.rejected`: the command, and what is missing or wrong.",
  "properties": {
    "command_id": {"type": "string", "minLength": 1},
    "confirm_by": {"enum": ["self", "other"], "description": "Who has to confirm it."},
    "confirmation_token": {"type": "string", "minLength": 1, "description": "Of `confirmation_required`: what to send back as `confirmation_token`."},
    "expires_at": {"$ref": "#/components/schemas/Instant"},
    "errors": {
      "type": "array", "minItems": 1, "description": "Of `invalid_arguments`: where the envelope does not fit.",
      "items": {
        "type": "object", "additionalProperties": false, "required": ["pointer", "detail"],
        "properties": {"pointer": {"type": "string"}, "detail": {"type": "string", "minLength": 1}}
      }
    },
    "keys": {
      "type": "object", "additionalProperties": false, "required": ["derived", "presented"],
      "description": "Of `idempotency_conflict`: the key that was sent, and the one derived from the envelope.",
      "properties": {"derived": {"type": "string"}, "presented": {"type": "string"}}
    }
  }
},
"errors": {
  "type": "array", "minItems": 1,
  "description": "What exactly is wrong with the request.",
  "items": {
    "type": "object", "additionalProperties": false,
    "required": ["pointer", "detail"],
    "properties": {
      "pointer": {"type": "string", "pattern": "^([/?].*)?$", "description": "An RFC 6901 pointer into the body, empty for the whole of it; or `?` and the name of a parameter."},
      "detail": {"type": "string", "minLength": 1}
    }
  }
},
"confirmation": {"type": "string", "minLength": 1, "description": "Of `confirmation-required`: the code to send back as `X-Confirmation`, or as `confirmation` in a batch."},
"confirmation_expires": {"$ref": "#/components/schemas/Instant"})";

constexpr std::string_view problem_required =
    R"("type", "title", "status", "detail", "code", "retryable", "token_action")";

std::string problem_schemas() {
  std::string text = R"("ProblemCode": {"type": "string", "enum": )";
  text += list_of(rejection_table, [](const RejectionRow& row) { return row.code; });
  text += R"(, "description": )" + meanings() + "},";
  text += R"("ProblemReason": {"type": "string", "enum": )";
  text += list_of(reason_table, [](const ReasonRow& row) { return row.name; });
  text += R"(, "description": )" + reasons() + "},";
  text +=
      R"("ProblemType": {"type": "string", "description": "The code as a name of its own.", "enum": )";
  text += list_of(rejection_table, [](const RejectionRow& row) {
    return "urn:holdfast:problem:" + std::string(row.name);
  });
  text += R"(}, "Problem": {"type": "object", "additionalProperties": false,
    "description": "A refusal, as RFC 9457 has it.",
    "required": [)";
  text.append(problem_required).append(R"(, "request_id"], "properties": {)");
  text.append(problem_members).append(R"(,
      "request_id": {"type": "string", "minLength": 1, "description": "The request it was given to: what `X-Request-Id` says, or, of a refusal that is recorded, what stands for the first one in every repetition."}
    },
    "examples": [{
      "type": "urn:holdfast:problem:resource-unavailable", "title": "The resource is taken",
      "status": 409,
      "detail": "Its free capacity is smaller than the quantity asked for. It may become free later: ask again, with a new token if this one is used up.",
      "code": "resource-unavailable", "retryable": true, "token_action": "new",
      "request_id": "first-0f3c9d1e5b7a8421"
    }]})");
  return text;
}

std::string token_result_schema() {
  std::string text = R"("TokenResult": {"type": "object", "additionalProperties": false,
    "description": "What became of a token.",
    "required": ["token", "operation", "outcome", "status", "answer", "principal", "digest", "recorded_at", "forgotten_at"],
    "properties": {
      "token": {"type": "string", "description": "Bytes that are not UTF-8 appear as U+FFFD."},
      "token_hex": {"$ref": "#/components/schemas/TokenHex"},
      "operation": {"$ref": "#/components/schemas/OperationName"},
      "outcome": {"description": "`done`, or the name of the refusal.", "enum": )";
  text += list_of(
      rejection_table,
      [](const RejectionRow& row) {
        return row.recorded == Recorded::by_policy ? row.name : std::string_view();
      },
      "done");
  text += R"(},
      "status": {"type": "integer", "minimum": 200, "maximum": 599, "description": "The status of the first answer."},
      "answer": {"$ref": "#/components/schemas/Outcome"},
      "principal": {"type": "string", "minLength": 1, "description": "Who used it."},
      "digest": {"type": "string", "pattern": "^[0-9a-f]{64}$", "description": "SHA-256 of the canonical form of what was asked."},
      "recorded_at": {"$ref": "#/components/schemas/Instant"},
      "forgotten_at": {"description": "Null: never.", "oneOf": [{"$ref": "#/components/schemas/Instant"}, {"type": "null"}]}
    },
    "examples": [{
      "token": "d-1", "operation": "resource.declare", "outcome": "done", "status": 200,
      "answer": {"name": "seats", "capacity": 300, "declared": true}, "principal": "alice",
      "digest": "f0c8a5d5e5a8f4c39c4e3a8e8c2f6f0c3b1d9e7a6b5c4d3e2f1a0b9c8d7e6f5a",
      "recorded_at": "2026-01-02T03:04:05.678901Z", "forgotten_at": null
    }]})";
  return text;
}

std::string operation_schemas() {
  std::string text = R"("OperationName": {"type": "string", "enum": )";
  text += list_of(operations(), [](const OperationRow& row) { return row.name; });
  text +=
      R"(}, "BatchOperation": {"description": "One change, with a token of its own.", "oneOf": [)";
  for (const OperationRow& row : operations()) {
    if (!spec_of(row.id).address.is_public()) continue;
    text += &row == operations().data() ? "" : ",";
    text += R"({"type": "object", "additionalProperties": false,
      "required": [)";
    text += spec_of(row.id).key_optional ? "" : R"("token", )";
    text += R"("operation", "params"],
      "properties": {
        "token": {"type": "string", "minLength": 1, "maxLength": 256, "pattern": "^[ -~]*$", "description": "As `Idempotency-Key` of a single change, bare. An operation that is set to derive its tokens takes none."},
        "operation": {"const": ")";
    text.append(row.name).append(R"("}, "params": )").append(reference_begin);
    text.append(spec_of(row.id).item().name).append(R"("},
        "nonce": {"type": "string", "minLength": 1, "maxLength": 256, "pattern": "^[ -~]*$", "description": "As `X-Nonce` of a single change."},
        "confirmation": {"type": "string", "description": "As `X-Confirmation` of a single change."}
      }})");
  }
  return text + "]}";
}

std::string verdict_schema() {
  std::string text = R"("InvariantId": {"type": "string", "enum": )";
  text += list_of(invariants(), [](const InvariantRow& row) { return row.id; });
  text += R"(}, "Verdict": {"type": "object", "additionalProperties": false,
    "description": "The verdict on a store: whether its records keep every invariant, and whether its chain of checksums holds.",
    "required": ["clean", "records", "holds", "tokens", "resources", "invariants", "violations", "violations_total", "checksums"],
    "properties": {
      "clean": {"type": "boolean", "description": "Nothing at all was found."},
      "records": {"$ref": "#/components/schemas/Count"},
      "holds": {"$ref": "#/components/schemas/Count", "description": "Ever placed."},
      "tokens": {"$ref": "#/components/schemas/Count", "description": "Ever recorded."},
      "resources": {"$ref": "#/components/schemas/Count", "description": "Ever held or declared."},
      "invariants": {"type": "array", "items": {
        "type": "object", "additionalProperties": false,
        "required": ["id", "statement", "checked", "violations"],
        "properties": {
          "id": {"$ref": "#/components/schemas/InvariantId"},
          "statement": {"type": "string", "minLength": 1},
          "checked": {"$ref": "#/components/schemas/Count", "description": "How often it was put to the test."},
          "violations": {"$ref": "#/components/schemas/Count"}
        }
      }},
      "violations": {"type": "array", "description": "Those of the caller's tenant and those of none, up to 100 of each invariant.", "items": {
        "type": "object", "additionalProperties": false,
        "required": ["invariant", "seq", "detail"],
        "properties": {
          "invariant": {"$ref": "#/components/schemas/InvariantId"},
          "seq": {"$ref": "#/components/schemas/Count", "description": "The record that shows it."},
          "hold": {"$ref": "#/components/schemas/HoldId"},
          "detail": {"type": "string", "minLength": 1}
        }
      }},
      "violations_total": {"$ref": "#/components/schemas/Count"},
      "checksums": {
        "type": "object", "additionalProperties": false,
        "required": ["checked", "broken"],
        "properties": {
          "checked": {"$ref": "#/components/schemas/Count"},
          "broken": {"type": "array", "description": "The records at which the chain does not hold.", "items": {"$ref": "#/components/schemas/Sequence"}}
        }
      }
    }})";
  return text;
}

std::string version_schema() {
  return R"("Version": {"type": "object", "additionalProperties": false,
    "required": ["name", "version", "digest"],
    "properties": {
      "name": {"const": "holdfast"},
      "version": {"type": "string", "pattern": "^[0-9]+\\.[0-9]+\\.[0-9]+$"},
      "digest": {"description": "The function that digests requests.", "const": ")" +
         std::string(digest_function) + R"("}
    }})";
}

}  // namespace

std::string schemas() {
  std::string text = "{" + written_schemas();
  for (const std::string& each : {hold_state_schema(), problem_schemas(), token_result_schema(),
                                  operation_schemas(), verdict_schema(), version_schema()})
    text += "," + each;
  return text + "}";
}

}  // namespace holdfast::http::openapi

// What the routes mean.

#include <algorithm>

#include "domain/module.hpp"
#include "openapi/parts.hpp"

namespace holdfast::http::openapi {
namespace {

constexpr std::string_view events_content = R"({
"application/json": {"schema": {"$ref": "#/components/schemas/EventPage"}},
"text/event-stream": {"schema": {
  "type": "string",
  "description": "Server-sent events that go on until either side ends them. Of each event `id` is its `seq`, `event` its `type` and `data` the event itself, as in a page. A reader that comes back sends the last `id` it saw as `Last-Event-ID`; a comment now and then keeps a quiet stream open."
}}})";

constexpr std::string_view metrics_content = R"({
"text/plain; version=0.0.4": {"schema": {
  "type": "string",
  "description": "The Prometheus text format. No label holds a token or a tenant."
}}})";

constexpr std::string_view console_content = R"({
"text/html; charset=utf-8": {"schema": {
  "type": "string",
  "description": "A document that needs no other: style and script are in it."
}}})";

constexpr std::string_view document_content = R"({
"application/json": {"schema": {
  "type": "object",
  "description": "An OpenAPI document.",
  "required": ["openapi", "info", "paths", "components"],
  "properties": {"openapi": {"const": "3.1.0"}}
}}})";

std::vector<RouteText> hold_routes() {
  return {
      {.method = "GET",
       .pattern = "/v1/holds",
       .id = "list_holds",
       .tag = "holds",
       .summary = "List holds",
       .description = "Newest first. Filters are combined. A page may be shorter than `limit` and "
                      "still have a next one: a long search is cut into steps.",
       .parameters = {"Resource", "ResourcePrefix", "Requester", "State", "PlacedAfter", "Cursor",
                      "Limit"},
       .success = "A page of holds, as they stand now.",
       .answer = "HoldList",
       .headers = {{"Link", false}}},
      {.method = "GET",
       .pattern = "/v1/holds/{id}",
       .id = "show_hold",
       .tag = "holds",
       .summary = "Show a hold",
       .description = "One hold, its life so far and the token that placed it.",
       .parameters = {"HoldId"},
       .success = "The hold, as it stands now.",
       .answer = "HoldDetails",
       .rejections = {Rejection::not_known}},
      {.method = "GET",
       .pattern = "/v1/groups/{id}",
       .id = "show_group",
       .tag = "groups",
       .summary = "Show a group",
       .description = "Every hold of a group, in the order in which they were placed.",
       .parameters = {"GroupId"},
       .success = "The group, as it stands now.",
       .answer = "Group",
       .missing = "There is no group with this id here.",
       .rejections = {Rejection::not_known}},
  };
}

std::vector<RouteText> resource_routes() {
  return {
      {.method = "GET",
       .pattern = "/v1/resources",
       .id = "list_resources",
       .tag = "resources",
       .summary = "List resources",
       .description = "Those that were declared or ever held. A page may be shorter than `limit` "
                      "and still have a next one.",
       .parameters = {"Prefix", "Cursor", "Limit"},
       .success = "A page of resources, as they stand now.",
       .answer = "ResourceList",
       .headers = {{"Link", false}}},
      {.method = "GET",
       .pattern = "/v1/resources/{name}",
       .id = "show_resource",
       .tag = "resources",
       .summary = "Show a resource",
       .description = "A name nobody has used yet is a resource of capacity 1 with nothing in use.",
       .parameters = {"ResourceName"},
       .success = "The resource, as it stands now.",
       .answer = "Resource"},
      {.method = "GET",
       .pattern = "/v1/resources/{name}/availability",
       .id = "show_availability",
       .tag = "resources",
       .summary = "Show what is free of a resource",
       .description = "How much is held, confirmed and free, and when the first of what is held "
                      "lapses.",
       .parameters = {"ResourceName"},
       .success = "The resource's availability now.",
       .answer = "Availability"},
  };
}

std::vector<RouteText> command_routes() {
  return {
      {.method = "GET",
       .pattern = "/v1/commands",
       .id = "list_commands",
       .tag = "commands",
       .summary = "List commands",
       .description = "Newest first, whatever their status. Filters are combined. A page may be "
                      "shorter than `limit` and still have a next one: a long search is cut into "
                      "steps.",
       .parameters = {"CommandKey", "CommandStatus", "CommandEntity", "CommandAction", "Cursor",
                      "Limit"},
       .success = "A page of commands, as they stand now.",
       .answer = "CommandPage",
       .headers = {{"Link", false}}},
      {.method = "GET",
       .pattern = "/v1/commands/{id}",
       .id = "show_command",
       .tag = "commands",
       .summary = "Show a command",
       .description = "A command as it stands. With `?wait=10s` the answer waits until it is no "
                      "longer in progress. A key that was used again after its window has the new "
                      "command.",
       .parameters = {"CommandId", "Wait"},
       .success = "The command.",
       .answer = "CommandDocument",
       .headers = {{"Retry-After", false}},
       .rejections = {Rejection::command_not_known}},
      {.method = "GET",
       .pattern = "/v1/effects",
       .id = "list_effects",
       .tag = "effects",
       .summary = "List effects",
       .description =
           "The effects of the tenant's commands that have not settled, or whose command "
           "failed; those of the newest commands first. A page may be shorter than "
           "`limit` and still have a next one. With `command_id` it is the effect of that command, "
           "or nothing.",
       .parameters = {"EffectCommand", "EffectStatus", "Cursor", "Limit"},
       .success = "A page of effects, as they stand now.",
       .answer = "EffectPage",
       .headers = {{"Link", false}}},
      {.method = "GET",
       .pattern = "/v1/effects/{id}",
       .id = "show_effect",
       .tag = "effects",
       .summary = "Show an effect",
       .description = "How the effect of a command stands, and why it waits.",
       .parameters = {"CommandId"},
       .success = "The effect.",
       .answer = "EffectDocument",
       .missing = "There is no command with this id here, or its effect has settled.",
       .rejections = {Rejection::command_not_known}},
      {.method = "GET",
       .pattern = "/v1/registry",
       .id = "show_registry",
       .tag = "commands",
       .summary = "Show the registry",
       .description = "Every command that is declared, and the operations of the service. The "
                      "digest is in `ETag`.",
       .success = "The registry in force.",
       .answer = "Registry",
       .headers = {{"ETag"}}},
  };
}

std::vector<RouteText> evidence_routes() {
  return {
      {.method = "GET",
       .pattern = "/v1/evidence",
       .id = "show_evidence",
       .tag = "evidence",
       .summary = "Read decisions",
       .description =
           "Every decision about the tenant's requests, in the order in which it was committed: "
           "first executions, refusals, repeated answers, conflicts, and holds whose time was "
           "over. Each is a leaf of the tree, in the form that is hashed.",
       .parameters = {"AfterRecord", "Limit"},
       .success = "A page of decisions.",
       .answer = "EvidencePage",
       .headers = {{"Link"}}},
      {.method = "GET",
       .pattern = "/v1/evidence/head",
       .id = "show_evidence_head",
       .tag = "evidence",
       .summary = "Show a signed head",
       .description =
           "How many records there are, of all tenants, and the root of the tree over them, "
           "signed. Whoever keeps it can tell later whether anything before it was changed. After "
           "a start the journal is read for the first time, which may take more than one call.",
       .parameters = {"Since"},
       .success = "The head of everything that is durable.",
       .answer = "EvidenceHead",
       .rejections = {Rejection::overloaded}},
      {.method = "GET",
       .pattern = "/v1/evidence/{seq}/proof",
       .id = "show_evidence_proof",
       .tag = "evidence",
       .summary = "Prove a decision",
       .description = "A decision and what leads from it to a signed head, by RFC 6962.",
       .parameters = {"Seq", "Size"},
       .success = "The proof.",
       .answer = "EvidenceProof",
       .missing = "No such record. There is none with this number, or it is not this tenant's.",
       .rejections = {Rejection::not_known, Rejection::overloaded}},
  };
}

std::vector<RouteText> other_routes() {
  return {
      {.method = "POST",
       .pattern = "/v1/batch",
       .id = "run_batch",
       .tag = "batch",
       .summary = "Run many operations",
       .description =
           "Each operation has a token of its own and succeeds or fails on its own; they "
           "are not a transaction. The whole batch may be repeated: what was done is "
           "answered, the rest is done. The body has at most 1 MiB.",
       .request = "BatchRequest",
       .success = "One result an operation, in the order of the request, whatever became of each.",
       .answer = "BatchAnswer"},
      {.method = "GET",
       .pattern = "/v1/tokens/{token}",
       .id = "show_token",
       .tag = "tokens",
       .summary = "Show a token",
       .description =
           "What a token was used for and what came of it, as long as it is remembered. While "
           "a call with it is under way, nobody knows yet: ask again.",
       .parameters = {"Token"},
       .success = "The outcome recorded against the token.",
       .answer = "TokenResult",
       .missing = "No such token. It was never used here, or has been forgotten since its window "
                  "ended.",
       .rejections = {Rejection::not_known, Rejection::in_progress}},
      {.method = "GET",
       .pattern = "/v1/events",
       .id = "show_events",
       .tag = "events",
       .summary = "Read or follow events",
       .description =
           "What happened, each thing once, in the order in which it was committed. With "
           "`Accept: text/event-stream` the answer is a stream that goes on.",
       .parameters = {"After", "Limit", "LastEventId"},
       .success = "A page of events, or a stream of them.",
       .content = events_content,
       .headers = {{"Link", false},
                   {"X-Request-Id", false},
                   {"Cache-Control", false},
                   {"X-Accel-Buffering", false}},
       .rejections = {Rejection::overloaded}},
      {.method = "GET",
       .pattern = "/v1/audit",
       .id = "run_audit",
       .tag = "service",
       .summary = "Audit the store",
       .description = "Reads every record of the store and judges it against the invariants. One "
                      "audit runs at a time. Violations are told to their own tenant only; the "
                      "counts are those of the whole store.",
       .success = "The verdict, whether clean or not.",
       .answer = "Verdict",
       .rejections = {Rejection::overloaded}},
      {.method = "GET",
       .pattern = "/",
       .id = "show_console",
       .tag = "service",
       .summary = "The operator's page",
       .description = "A page for people. It holds no data: what it shows it asks for at the other "
                      "addresses, with the key of whoever uses it.",
       .success = "The page.",
       .content = console_content,
       .headers = {{"Cache-Control"},
                   {"Content-Security-Policy"},
                   {"X-Content-Type-Options"},
                   {"Referrer-Policy"}}},
      {.method = "GET",
       .pattern = "/livez",
       .id = "show_live",
       .tag = "service",
       .summary = "Is it alive?",
       .description = "Answers as long as the process does.",
       .success = "It is.",
       .answer = "Status"},
      {.method = "GET",
       .pattern = "/readyz",
       .id = "show_ready",
       .tag = "service",
       .summary = "Is it ready?",
       .description =
           "Whether requests should be sent here: not while the service is being stopped, "
           "and not when its store can no longer be written, or has been at work on one "
           "batch for more than five seconds.",
       .success = "It is.",
       .answer = "Status",
       .rejections = {Rejection::store_unavailable}},
      {.method = "GET",
       .pattern = "/metrics",
       .id = "show_metrics",
       .tag = "service",
       .summary = "Metrics",
       .description = "Counters, gauges and histograms of the whole service, for Prometheus.",
       .success = "The metrics.",
       .content = metrics_content},
      {.method = "GET",
       .pattern = "/version",
       .id = "show_version",
       .tag = "service",
       .summary = "What is running",
       .description = "The version of the program, and of the function that digests requests.",
       .success = "The version.",
       .answer = "Version"},
      {.method = "GET",
       .pattern = "/openapi.json",
       .id = "show_openapi",
       .tag = "service",
       .summary = "This document",
       .description = "The contract, machine-readable.",
       .success = "This document.",
       .content = document_content},
  };
}

/// What its module says of an operation.
RouteText text_of(const OperationSpec& spec) {
  const Contract& contract = spec.contract;
  const bool has_body = !contract.body.name.empty();
  const auto is_asked = [](const Parameter& field) {
    return field.position == Position::body && field.required;
  };
  RouteText text{.method = spec.address.method,
                 .pattern = spec.address.pattern,
                 .id = contract.id,
                 .tag = contract.tag,
                 .summary = contract.summary,
                 .description = contract.description,
                 .request = has_body ? contract.body.name : "EmptyRequest",
                 .request_required = std::any_of(spec.fields.begin(), spec.fields.end(), is_asked),
                 .status = spec.address.status,
                 .success = contract.success,
                 .answer = contract.answer,
                 .rejections = {spec.refusals.begin(), spec.refusals.end()}};
  if (!contract.path.empty()) text.parameters.push_back(contract.path);
  if (spec.creates()) text.headers.push_back({"Location"});
  text.key_optional = spec.key_optional;
  text.may_do_nothing = spec.may_do_nothing;
  if (spec.later != nullptr) {
    text.parameters.push_back("Wait");
    text.also_status = 202;
    text.also_success =
        "It is in progress: its outcome settles later. Ask where `Location` says, "
        "or repeat the call.";
    text.also_answer = contract.answer;
    text.also_headers = {{"Location"}, {"Retry-After"}};
    text.also_changes = true;
  }
  if (spec.dry_run) {
    text.parameters.push_back("DryRun");
    text.also_status = 200;
    text.also_success = "What would be placed, where `dry_run` is true.";
    text.also_answer = "TriedHold";
  }
  return text;
}

/// … and of a read of its rows.
RouteText text_of(const RowRead& read) {
  const bool list = !read.parent.empty();
  RouteText text{.method = "GET",
                 .pattern = read.pattern,
                 .id = read.id,
                 .tag = read.tag,
                 .summary = read.summary,
                 .description = read.description,
                 .parameters = {read.argument},
                 .success = read.success,
                 .answer = read.answer};
  if (list) {
    text.parameters.insert(text.parameters.end(), {"Cursor", "Limit"});
    text.headers.push_back({"Link", false});
  } else {
    text.rejections.push_back(Rejection::not_known);
    text.missing = "There is none of that name.";
  }
  return text;
}

}  // namespace

const std::vector<RouteText>& route_texts() {
  static const std::vector<RouteText> all = [] {
    std::vector<RouteText> texts;
    for (const auto& some :
         {hold_routes(), resource_routes(), command_routes(), subscription_routes(),
          webhook_routes(), evidence_routes(), other_routes()})
      texts.insert(texts.end(), some.begin(), some.end());
    for (const OperationRow& each : operations()) {
      const OperationSpec& spec = spec_of(each.id);
      if (spec.address.is_public()) texts.push_back(text_of(spec));
    }
    for (const Module* module : modules()) {
      for (const RowRead& each : module->reads) texts.push_back(text_of(each));
    }
    return texts;
  }();
  return all;
}

}  // namespace holdfast::http::openapi

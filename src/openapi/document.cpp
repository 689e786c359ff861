#include "openapi/document.hpp"

#include <simdjson.h>

#include <algorithm>
#include <cctype>

#include "base/assert.hpp"
#include "base/json_members.hpp"
#include "domain/module.hpp"
#include "holdfast/version.hpp"
#include "openapi/parts.hpp"

namespace holdfast::http {
namespace openapi {
namespace {

constexpr std::string_view introduction = R"(Exactly-once reservations.

A *resource* is something scarce, with a capacity. A *hold* claims a quantity of it for a while:
it is `held`, and then exactly one of `confirmed`, `released`, `expired`. A *token*, sent as
`Idempotency-Key`, makes a change safe to repeat: however often a request arrives, its effect
happens once, and every repetition gets the first answer again, byte for byte.

**Repeating.** Make one token for each intended change, before it is first sent, and keep it for
every repetition. A refusal says in `token_action` what becomes of the token: `reuse`, this call has not used it
and may be sent again; `new`, it has its outcome, this one or that of another request. Answers that
must not be repeated as they are carry `X-Should-Retry: false` and `Stripe-Should-Retry: false`,
which several client libraries obey; others say in `Retry-After` when to come back.

**Refusals** are `application/problem+json` (RFC 9457). Programs should look at `code`.

**Every address** also answers `HEAD` where it answers `GET`, with the same status and headers, and
`OPTIONS` with the response `Options` of this document. Other methods get `MethodNotAllowed`, other
addresses `NoSuchAddress`; both stand among the responses of this document, since they belong to
none of its operations.

**Limits** named here are the defaults; whoever runs the service can change them.)";

constexpr std::string_view fixed_members = R"(
"servers": [{"url": "/", "description": "The service this document came from."}],
"security": [{"bearer": []}],
"tags": [
  {"name": "holds", "description": "Placing holds, resolving them, looking at them."},
  {"name": "groups", "description": "Several holds under one token, all or none."},
  {"name": "resources", "description": "What can be held. A resource that was never declared has capacity 1."},
  {"name": "batch", "description": "Many changes in one request."},
  {"name": "tokens", "description": "What became of a token."},
  {"name": "events", "description": "What happened, in the order in which it was committed."},
  {"name": "evidence", "description": "What proves to an outsider what was decided: leaves of a Merkle tree (RFC 6962) and signed heads of it."},
  {"name": "service", "description": "How the service itself is doing."}
],)";

constexpr std::string_view security_schemes = R"({"bearer": {
  "type": "http",
  "scheme": "bearer",
  "bearerFormat": "hf_<id>_<secret>",
  "description": "A key made by `holdfast keys create`. It stands for a tenant, a principal and a role. As long as no key was ever made, the service listens on loopback only and needs none."
}})";

void write_info(JsonWriter& json) {
  json.begin_object();
  text_member(json, "title", "Holdfast");
  text_member(json, "version", version);
  text_member(json, "summary", "Exactly-once reservations");
  text_member(json, "description", introduction);
  json.key("license");
  json.raw(R"({"name": "Apache License 2.0", "identifier": "Apache-2.0"})");
  json.end_object();
}

std::string who_may(Access access) {
  if (access == Access::open) return "Needs no key.";
  std::string roles;
  for (const Role role : {Role::operator_role, Role::client, Role::auditor}) {
    if (!allows(role, access)) continue;
    roles += roles.empty() ? "" : ", ";
    roles += name(role);
  }
  return "Roles: " + roles + ".";
}

void write_parameters(JsonWriter& json, const RouteText& text, bool change) {
  std::vector<std::string_view> names = text.parameters;
  const std::string_view key = text.key_optional ? "IdempotencyKeyOptional" : "IdempotencyKey";
  if (change) names.insert(names.end(), {key, "Nonce", "Confirmation"});
  if (names.empty()) return;
  json.key("parameters");
  json.begin_array();
  for (const std::string_view each : names) write_reference(json, "parameters", each);
  json.end_array();
}

void write_request(JsonWriter& json, const RouteText& text) {
  if (text.request.empty()) return;
  json.key("requestBody");
  json.begin_object();
  json.key("required");
  json.boolean(text.request_required);
  json.key("content");
  json.begin_object();
  json.key("application/json");
  json.begin_object();
  json.key("schema");
  write_reference(json, "schemas", text.request);
  json.end_object();
  json.end_object();
  json.end_object();
}

void write_operation(JsonWriter& json, const Route& route, const RouteText& text,
                     ResponseWriter& responses) {
  json.begin_object();
  text_member(json, "operationId", text.id);
  json.key("tags");
  json.begin_array();
  json.string(text.tag);
  json.end_array();
  text_member(json, "summary", text.summary);
  text_member(json, "description", std::string(text.description) + "\n\n" + who_may(route.access));
  if (route.access == Access::open) {
    json.key("security");
    json.raw("[]");
  }
  write_parameters(json, text, is_change(route, text));
  write_request(json, text);
  json.key("responses");
  responses.write(json, route, text);
  json.end_object();
}

std::string lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return out;
}

/// Null if nobody has described the route: the tests will say so, not the service.
const RouteText* text_of(const Route& route) {
  const auto& texts = route_texts();
  const auto found = std::find_if(texts.begin(), texts.end(), [&](const RouteText& each) {
    return each.method == route.method && each.pattern == route.pattern;
  });
  return found == texts.end() ? nullptr : &*found;
}

/// Paths in the order of their first route, each with all its methods.
void write_paths(JsonWriter& json, ResponseWriter& responses) {
  json.begin_object();
  std::vector<std::string_view> written;
  for (const Route& first : routes()) {
    if (std::find(written.begin(), written.end(), first.pattern) != written.end()) continue;
    written.push_back(first.pattern);
    json.key(first.pattern);
    json.begin_object();
    for (const Route& route : routes()) {
      const RouteText* text = text_of(route);
      if (route.pattern != first.pattern || text == nullptr) continue;
      json.key(lower(route.method));
      write_operation(json, route, *text, responses);
    }
    json.end_object();
  }
  json.end_object();
}

/// `document` is the text so far, which `json` goes on with.
void write_components(JsonWriter& json, const std::string& document,
                      const ResponseWriter& responses) {
  json.begin_object();
  json.key("securitySchemes");
  json.raw(security_schemes);
  json.key("parameters");
  json.raw(parameters());
  json.key("responses");
  responses.write_shared(json);
  json.key("headers");
  write_headers(json, std::string(document));
  json.key("schemas");
  json.raw(schemas());
  json.end_object();
}

/// With the tags of modules at the end of the list, which is the last member.
std::string tagged(std::string members) {
  for (const Module* each : modules()) {
    if (each->contract.tags.empty()) continue;
    members.insert(members.rfind(']'), "," + std::string(each->contract.tags));
  }
  return members;
}

std::string make_document() {
  std::string text;
  JsonWriter json(text);
  ResponseWriter responses;
  json.begin_object();
  text_member(json, "openapi", "3.1.0");
  json.key("info");
  write_info(json);
  text += ',';
  text += tagged(std::string(fixed_members));
  json.reset();
  json.key("paths");
  write_paths(json, responses);
  json.key("components");
  write_components(json, text, responses);
  json.end_object();

  simdjson::dom::parser parser;
  simdjson::dom::element root;
  HOLDFAST_ASSERT(parser.parse(text).get(root) == simdjson::SUCCESS);
  return simdjson::minify(root);
}

}  // namespace

void write_reference(JsonWriter& json, std::string_view kind, std::string_view name) {
  json.begin_object();
  text_member(json, "$ref", "#/components/" + std::string(kind) + "/" + std::string(name));
  json.end_object();
}

}  // namespace openapi

std::string_view openapi_json() {
  static const std::string text = openapi::make_document();
  return text;
}

}  // namespace holdfast::http

// What routes answer: the success as written down for each, the refusals as the table of rejections
// has them.

#include <algorithm>
#include <array>
#include <cctype>

#include "domain/operation.hpp"
#include "openapi/parts.hpp"

namespace holdfast::http::openapi {
namespace {

struct HeaderRow {
  std::string_view name;
  std::string_view description;
  std::string_view schema;
};

constexpr std::array header_table{
    HeaderRow{"X-Request-Id", "What this request is called in the service's log.",
              R"({"type": "string", "minLength": 1})"},
    HeaderRow{"Idempotent-Replayed",
              "Whether an earlier call with this token got this answer first.",
              R"({"type": "boolean"})"},
    HeaderRow{"Idempotency-Key", "The key as it was sent, or as the service derived it.",
              R"({"type": "string", "minLength": 1})"},
    HeaderRow{"Idempotency-Expires", "When the token is forgotten.",
              R"({"oneOf": [{"$ref": "#/components/schemas/Instant"}, {"const": "never"}]})"},
    HeaderRow{
        "Location",
        "The address of what was made; of a call still running, of its token; of a command in "
        "progress, its own.",
        R"({"type": "string", "pattern": "^/v1/(holds|groups|tokens|commands|subscriptions)/[^/]+$"})"},
    HeaderRow{"ETag", "The digest of the document, between quotes.",
              R"({"type": "string", "pattern": "^\"[0-9a-f]{64}\"$"})"},
    HeaderRow{"Link", "The address of the next page, as `<address>; rel=\"next\"`.",
              R"({"type": "string", "pattern": "^</v1/[^>]+>; rel=\"next\"$"})"},
    HeaderRow{"Retry-After",
              "Seconds after which the same request, with the same token, may be repeated.",
              R"({"type": "integer", "minimum": 1})"},
    HeaderRow{"X-Should-Retry", "This must not be repeated as it is.", R"({"const": false})"},
    HeaderRow{"Stripe-Should-Retry", "The same, for libraries that look for this one.",
              R"({"const": false})"},
    HeaderRow{"WWW-Authenticate", "How to authenticate: with a key, or as a sender of webhooks.",
              R"({"enum": ["Bearer", "Signature"]})"},
    HeaderRow{"Allow", "The methods this address has.",
              R"({"type": "string", "pattern": "^[A-Z]+(, [A-Z]+)*$"})"},
    HeaderRow{
        "Cache-Control",
        "Of a stream: nobody on the way keeps it. Of the page: whoever keeps it asks each time "
        "whether it has changed.",
        R"({"enum": ["no-store", "no-cache"]})"},
    HeaderRow{"Content-Security-Policy", "What the page may do: nothing but talk to the service.",
              R"({"type": "string", "pattern": "^default-src 'none'; "})"},
    HeaderRow{"X-Content-Type-Options", "The media type is to be believed.",
              R"({"const": "nosniff"})"},
    HeaderRow{"Referrer-Policy", "Nobody is told of the page's address.",
              R"({"const": "no-referrer"})"},
    HeaderRow{"X-Accel-Buffering", "Of a stream: nobody on the way holds it back.",
              R"({"const": "no"})"},
};

/// One way a route refuses, with the status it has there.
struct Refusal {
  const RejectionRow* row;
  int status;
  bool by_engine;  ///< the call had reached the engine: its token counts
};

enum class Presence : std::uint8_t { absent, sometimes, always };

Presence if_always(bool always) { return always ? Presence::always : Presence::absent; }

/// Whether the same request, as it is, would only be refused again.
bool lacks_something(const Refusal& refusal) {
  return refusal.row->id == Rejection::confirmation_required ||
         refusal.row->id == Rejection::execution_refused;
}

/// Whether a refusal could be repeated, as far as the table says: one that is recorded against its
/// token cannot, and whether it is recorded is a matter of policy.
Presence should_not_retry(const Refusal& refusal) {
  if (!refusal.row->retryable || lacks_something(refusal)) return Presence::always;
  return refusal.row->recorded == Recorded::by_policy ? Presence::sometimes : Presence::absent;
}

Presence retry_after(const Refusal& refusal) {
  if (!refusal.row->retryable || lacks_something(refusal) || refusal.status == 408)
    return Presence::absent;
  return refusal.row->recorded == Recorded::by_policy ? Presence::sometimes : Presence::always;
}

/// What has no header that can be read is refused before its key is known.
Presence echoes_key(const Refusal& refusal) {
  return refusal.status == 431 ? Presence::absent : Presence::sometimes;
}

Presence says_replayed(const Refusal& refusal) {
  return refusal.by_engine ? Presence::always : echoes_key(refusal);
}

Presence says_expiry(const Refusal& refusal) {
  if (!refusal.by_engine || refusal.row->recorded == Recorded::never) return Presence::absent;
  return refusal.row->recorded == Recorded::as_evidence ? Presence::always : Presence::sometimes;
}

class Refusals {
 public:
  explicit Refusals(bool change) : change_(change) {}

  void add(Rejection id, bool by_engine, int status = 0) {
    const RejectionRow& row = holdfast::row(id);
    const int given = status == 0 ? row.http_status : status;
    by_status_[given].push_back({&row, given, by_engine});
  }
  [[nodiscard]] const std::map<int, std::vector<Refusal>>& by_status() const { return by_status_; }

  /// The headers of the answers with one status.
  [[nodiscard]] std::vector<HeaderUse> headers(const std::vector<Refusal>& group) const {
    std::vector<HeaderUse> headers{{"X-Request-Id"}};
    const auto note = [&](std::string_view name, auto presence_in) {
      std::size_t always = 0;
      std::size_t absent = 0;
      for (const Refusal& each : group) {
        const Presence presence = presence_in(each);
        always += presence == Presence::always ? 1U : 0U;
        absent += presence == Presence::absent ? 1U : 0U;
      }
      if (absent < group.size()) headers.push_back({name, always == group.size()});
    };
    const auto only_of = [](Rejection id) {
      return [id](const Refusal& each) { return if_always(each.row->id == id); };
    };
    if (change_) {
      note("Idempotent-Replayed", says_replayed);
      note("Idempotency-Key", echoes_key);
      note("Idempotency-Expires", says_expiry);
    }
    note("Location", only_of(Rejection::in_progress));
    note("X-Should-Retry", should_not_retry);
    note("Stripe-Should-Retry", should_not_retry);
    note("Retry-After", retry_after);
    note("WWW-Authenticate", only_of(Rejection::unauthenticated));
    note("Allow", only_of(Rejection::method_not_allowed));
    return headers;
  }

 private:
  const bool change_;
  std::map<int, std::vector<Refusal>> by_status_;
};

/// What a token that belongs to another request is refused with; its operation may have words of
/// its own, which are among its refusals then.
void add_collision(const Route& route, Refusals& all) {
  const OperationSpec* const spec = find_spec(route.operation);
  if (spec != nullptr && spec->collision.rejection != Rejection::token_collision) return;
  all.add(Rejection::token_collision, true);
  all.add(Rejection::token_collision, true, 422);  // where `conflict_status` is the draft's
}

/// Everything that can go wrong at an address, in the order in which it is looked at.
Refusals refusals_of(const Route& route, const RouteText& text) {
  const bool change = is_change(route, text);
  Refusals all(change);
  all.add(Rejection::malformed_request, false);
  all.add(Rejection::malformed_request, false, 417);
  all.add(Rejection::too_slow, false);
  all.add(Rejection::too_large, false);
  all.add(Rejection::too_large, false, 431);
  if (route.access != Access::open) {
    all.add(Rejection::unauthenticated, false);
    all.add(Rejection::forbidden, false);  // a role, or without keys a page of somebody else's
    all.add(Rejection::throttled, false);
    all.add(Rejection::store_unavailable, change);  // the store, or the keys
  }
  if (change) {
    all.add(Rejection::token_missing, false);
    all.add(Rejection::token_invalid, false);
    add_collision(route, all);
    all.add(Rejection::in_progress, true);
    all.add(Rejection::confirmation_required, true);
    all.add(Rejection::nonce_replay, true);
    all.add(Rejection::overloaded, true);
  }
  for (const Rejection each : text.rejections) all.add(each, change);
  for (const Rejection each : text.rejections) {
    const bool of_command =
        each == Rejection::execution_refused || each == Rejection::execution_rejected;
    if (of_command && text.key_optional) all.add(each, change, 422);  // by its reason
  }
  return all;
}

void write_header_uses(JsonWriter& json, const std::vector<HeaderUse>& headers) {
  json.key("headers");
  json.begin_object();
  for (const HeaderUse& each : headers) {
    json.key(each.name);
    write_reference(json, "headers", std::string(each.name) + (each.always ? "" : ".sometimes"));
  }
  json.end_object();
}

/// What a status means that is not the one the table gives the rejection.
std::string_view words_on(int status) {
  switch (status) {
    case 417:
      return "The only expectation met is `100-continue`.";
    case 422:
      return "Instead of 409, where `conflict_status` is set so.";
    case 431:
      return "This is the header's limit.";
    default:
      return {};
  }
}

std::string words_of(const Refusal& refusal, std::string_view missing) {
  const RejectionRow& row = *refusal.row;
  std::string text = '`' + std::string(row.code) + "`: ";
  const bool unknown = row.id == Rejection::not_known || row.id == Rejection::command_not_known;
  if (unknown && !missing.empty()) return text.append(missing);
  text.append(row.title).append(". ").append(row.text);
  const bool by_reason =
      row.id == Rejection::execution_refused || row.id == Rejection::execution_rejected;
  if (refusal.status != row.http_status) {
    text.append(" ").append(by_reason ? "This is said of the request itself."
                                      : words_on(refusal.status));
  }
  return text;
}

std::string description_of(const std::vector<Refusal>& group, std::string_view missing) {
  if (group.size() == 1) return words_of(group.front(), missing);
  std::string text;
  for (const Refusal& each : group) {
    text += text.empty() ? "- " : "\n- ";
    text += words_of(each, missing);
  }
  return text;
}

void write_refusal(JsonWriter& json, const std::vector<Refusal>& group,
                   const std::vector<HeaderUse>& headers, std::string_view missing = {}) {
  json.begin_object();
  json.key("description");
  json.string(description_of(group, missing));
  write_header_uses(json, headers);
  json.key("content");
  json.raw(R"({"application/problem+json":{"schema":{"allOf":[)"
           R"({"$ref":"#/components/schemas/Problem"},{"properties":)");
  json.reset();
  json.begin_object();
  json.key("status");
  json.begin_object();
  json.key("const");
  json.integer(group.front().status);
  json.end_object();
  json.key("code");
  json.begin_object();
  json.key("enum");
  json.begin_array();
  std::vector<std::string_view> codes;
  for (const Refusal& each : group) {
    if (std::find(codes.begin(), codes.end(), each.row->code) == codes.end())
      codes.push_back(each.row->code);
  }
  for (const std::string_view each : codes) json.string(each);
  json.end_array();
  json.end_object();
  json.end_object();
  json.reset();
  json.raw("}]}}}");
  json.end_object();
}

/// `too-large` → `TooLarge`; with its status where that is not the table's.
std::string shared_name(const Refusal& refusal) {
  std::string name;
  bool upper = true;
  for (const char c : refusal.row->name) {
    if (c != '-')
      name += upper ? static_cast<char>(std::toupper(static_cast<unsigned char>(c))) : c;
    upper = c == '-';
  }
  if (refusal.status != refusal.row->http_status) name += std::to_string(refusal.status);
  return name;
}

void write_content(JsonWriter& json, const RouteText& text) {
  if (!text.content.empty()) return json.raw(text.content);
  json.begin_object();
  json.key("application/json");
  json.begin_object();
  json.key("schema");
  write_reference(json, "schemas", text.answer);
  json.end_object();
  json.end_object();
}

void write_success(JsonWriter& json, const RouteText& text, bool change) {
  std::vector<HeaderUse> headers = text.headers;
  const bool named = std::any_of(headers.begin(), headers.end(),
                                 [](const HeaderUse& each) { return each.name == "X-Request-Id"; });
  if (!named) headers.push_back({"X-Request-Id"});
  if (change) {
    headers.push_back({"Idempotent-Replayed"});
    headers.push_back({"Idempotency-Key"});
    headers.push_back({"Idempotency-Expires", !text.may_do_nothing});
  }
  json.begin_object();
  json.key("description");
  json.string(text.success);
  write_header_uses(json, headers);
  json.key("content");
  write_content(json, text);
  json.end_object();
}

}  // namespace

bool is_change(const Route& route, const RouteText& text) {
  const bool reads = route.method == "GET";  // some reads are for operators alone
  const bool changes =
      !reads && (route.access == Access::change || route.access == Access::configure);
  return changes && text.tag != "batch";  // its tokens are in its items
}

void ResponseWriter::write(JsonWriter& json, const Route& route, const RouteText& text) {
  const Refusals refusals = refusals_of(route, text);
  json.begin_object();
  json.key(std::to_string(text.status));
  write_success(json, text, is_change(route, text));
  if (text.also_status != 0) {
    json.key(std::to_string(text.also_status));
    RouteText also = text;
    also.success = text.also_success;
    also.answer = text.also_answer;
    also.headers = text.also_headers;
    write_success(json, also, text.also_changes);
  }
  for (const auto& [status, group] : refusals.by_status()) {
    json.key(std::to_string(status));
    const std::vector<HeaderUse> headers = refusals.headers(group);
    const bool own_words = status == 404 && !text.missing.empty();
    if (group.size() > 1 || group.front().by_engine || own_words) {
      write_refusal(json, group, headers, text.missing);
      continue;
    }
    const std::string name = shared_name(group.front());
    if (std::string& text_there = shared_[name]; text_there.empty()) {
      JsonWriter shared(text_there);
      write_refusal(shared, group, headers);
    }
    write_reference(json, "responses", name);
  }
  json.end_object();
}

void ResponseWriter::write_shared(JsonWriter& json) const {
  json.begin_object();
  for (const auto& [name, text] : shared_) {
    json.key(name);
    json.raw(text);
  }
  Refusals of_no_route(false);
  of_no_route.add(Rejection::no_such_address, false);
  of_no_route.add(Rejection::method_not_allowed, false);
  for (const auto& [status, group] : of_no_route.by_status()) {
    json.key(shared_name(group.front()));
    write_refusal(json, group, of_no_route.headers(group));
  }
  json.key("Options");
  json.begin_object();
  json.key("description");
  json.string("204: the methods of an address.");
  write_header_uses(json, {{"Allow"}, {"X-Request-Id"}});
  json.end_object();
  json.end_object();
}

void write_headers(JsonWriter& json, std::string_view document) {
  json.begin_object();
  for (const HeaderRow& row : header_table) {
    for (const bool always : {true, false}) {
      const std::string name = std::string(row.name) + (always ? "" : ".sometimes");
      if (document.find("#/components/headers/" + name + '"') == std::string_view::npos) continue;
      json.key(name);
      json.begin_object();
      json.key("description");
      json.string(row.description);
      json.key("required");
      json.boolean(always);
      json.key("schema");
      json.raw(row.schema);
      json.end_object();
    }
  }
  json.end_object();
}

}  // namespace holdfast::http::openapi

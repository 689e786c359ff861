// The tables that say what subscriptions are.

#include <array>

#include "modules/subscriptions/subscription_row.hpp"
#include "modules/subscriptions/subscriptions.hpp"

namespace holdfast::subscriptions {
namespace {

constexpr Bounds named{.blank = Reason::command_text,
                       .size = Reason::command_text,
                       .text = Reason::command_text,
                       .count = Reason::command_text};

template <typename P>
constexpr Parameter id_field = parameter<&P::id>(
    {.name = "id", .position = Position::path, .bounds = named, .help = "The subscription's id"});
template <typename P>
constexpr std::array only_id{id_field<P>};

constexpr std::array subscribing_fields{
    parameter<&Subscribing::url>({.name = "url",
                                  .bounds = {.blank = Reason::url_invalid,
                                             .size = Reason::url_invalid,
                                             .text = Reason::url_invalid},
                                  .schema = "Name",
                                  .help = "Where to send events"}),
    parameter<&Subscribing::events>({.name = "events",
                                     .required = false,
                                     .bounds = named,
                                     .schema = "EventNames",
                                     .help = "What the names of the events begin with (all)"}),
    parameter<&Subscribing::description>(
        {.name = "description",
         .type = ParameterType::text,
         .required = false,
         .bounds = {.size = Reason::command_text, .text = Reason::command_text},
         .schema = "CommandText",
         .help = "What it is for"})};

constexpr std::array resending_fields{
    id_field<Resending>,
    parameter<&Resending::after>({.name = "after",
                                  .bounds = {.range = Reason::lease_bounds, .least = 0},
                                  .schema = "Fence",
                                  .help = "The record after which to begin"})};

constexpr std::array serving_fields{
    id_field<Serving>, parameter<&Serving::lease>({.name = "lease",
                                                   .canonical = "lease_us",
                                                   .required = false,
                                                   .bounds = {.range = Reason::lease_bounds},
                                                   .schema = "Duration",
                                                   .help = "For how long (30s)"})};

constexpr std::array advancing_fields{
    id_field<Advancing>,
    parameter<&Advancing::fence>({.name = "fence",
                                  .bounds = {.range = Reason::lease_bounds, .least = 0},
                                  .schema = "Fence",
                                  .help = "The lease's fence"}),
    parameter<&Advancing::cursor>({.name = "cursor",
                                   .bounds = {.range = Reason::lease_bounds, .least = 0},
                                   .schema = "Fence",
                                   .help = "The record whose event was taken in last"}),
    parameter<&Advancing::verdict>({.name = "verdict",
                                    .bounds = named,
                                    .schema = "DeliveryVerdict",
                                    .help = "on, done, failed or gone"}),
    parameter<&Advancing::error>(
        {.name = "error",
         .type = ParameterType::text,
         .required = false,
         .bounds = {.size = Reason::command_text, .text = Reason::command_text},
         .schema = "CommandText",
         .help = "What went wrong"})};

constexpr std::array making_refusals{Rejection::invalid_request};
constexpr std::array refusals{Rejection::invalid_request, Rejection::subscription_not_known};
constexpr std::array holder_refusals{Rejection::invalid_request, Rejection::subscription_not_known,
                                     Rejection::stale_fence};
constexpr std::array disabled_also{kinds::disabled};

constexpr Policy windowed{.token_class = TokenClass::i2_windowed};

constexpr std::string_view id_example = R"([{"id": "s-0123456789abcdef0123456789abcdef"}])";
constexpr Shape one_named{
    .name = "SubscriptionParameters", .description = "Which subscription.", .examples = id_example};

constexpr OperationWords subscribing{
    .name = "subscription.create",
    .policy = windowed,
    .fields = subscribing_fields,
    .told = true,
    .done = kinds::created,
    .refusals = making_refusals,
    .address = {"POST", "/v1/subscriptions", true, 201},
    .contract = {
        .id = "create_subscription",
        .tag = "subscriptions",
        .summary = "Subscribe to events",
        .description = "Events that are recorded from now on are sent to the URL, in "
                       "commit order, at least once, signed as Standard Webhooks.",
        .body = {.name = "SubscribeRequest",
                 .description = "Where to send which events.",
                 .examples = R"([{"url": "https://example.com/hook", "events": ["hold."]}])"},
        .success = "The subscription.",
        .answer = "SubscriptionState"}};

constexpr OperationWords unsubscribing{.name = "subscription.delete",
                                       .policy = windowed,
                                       .fields = only_id<Unsubscribing>,
                                       .told = true,
                                       .done = kinds::deleted,
                                       .refusals = refusals,
                                       .address = {"DELETE", "/v1/subscriptions/{id}", true},
                                       .contract = {.id = "delete_subscription",
                                                    .tag = "subscriptions",
                                                    .summary = "Delete a subscription",
                                                    .description = "No more events are sent.",
                                                    .path = "SubscriptionId",
                                                    .item = one_named,
                                                    .success = "The subscription, as it was last.",
                                                    .answer = "SubscriptionState"}};

constexpr OperationWords resending{
    .name = "subscription.replay",
    .policy = windowed,
    .fields = resending_fields,
    .told = true,
    .done = kinds::rewound,
    .refusals = refusals,
    .address = {"POST", "/v1/subscriptions/{id}/replay", true},
    .contract = {
        .id = "replay_subscription",
        .tag = "subscriptions",
        .summary = "Send events again",
        .description = "Sends every event after that record again. A subscription that "
                       "was disabled is active again.",
        .path = "SubscriptionId",
        .body = {.name = "ReplayRequest",
                 .description = "The record after which to begin; 0: all.",
                 .examples = R"([{"after": 0}])"},
        .item = {.name = "ReplayParameters",
                 .description = "Which subscription, and where to begin.",
                 .examples = R"([{"id": "s-0123456789abcdef0123456789abcdef", "after": 0}])"},
        .success = "The subscription.",
        .answer = "SubscriptionState"}};

constexpr OperationWords rotating{
    .name = "subscription.rotate",
    .policy = windowed,
    .fields = only_id<RotatingSecret>,
    .told = true,
    .done = kinds::rotated,
    .refusals = refusals,
    .address = {"POST", "/v1/subscriptions/{id}/rotate", true},
    .contract = {.id = "rotate_subscription",
                 .tag = "subscriptions",
                 .summary = "Give a subscription another signing secret",
                 .description = "For a day webhooks are signed with the one before, too.",
                 .path = "SubscriptionId",
                 .item = one_named,
                 .success = "The subscription.",
                 .answer = "SubscriptionState"}};

constexpr OperationWords serving{
    .name = "subscription.serve",
    .policy = windowed,
    .fields = serving_fields,
    .told = true,
    .may_do_nothing = true,
    .done = kinds::leased,
    .refusals = refusals,
    .address = {"POST", "/v1/subscriptions/{id}/serve", true},
    .contract = {.id = "serve_subscription",
                 .tag = "subscriptions",
                 .summary = "Take a subscription to deliver its events",
                 .description = "For dispatchers. Where somebody else has it, nothing is done.",
                 .path = "SubscriptionId",
                 .body = {.name = "ServeRequest",
                          .description = "For how long.",
                          .examples = R"([{"lease": "PT30S"}])"},
                 .item = {.name = "ServeParameters",
                          .description = "Which subscription, and for how long.",
                          .examples = id_example},
                 .success = "The subscription if it was free, else an empty object.",
                 .answer = "SubscriptionServed"}};

constexpr OperationWords advancing{
    .name = "subscription.advance",
    .policy = windowed,
    .fields = advancing_fields,
    .told = true,
    .done = kinds::advanced,
    .done_also = disabled_also,
    .refusals = holder_refusals,
    .address = {"POST", "/v1/subscriptions/{id}/advance", true},
    .contract = {
        .id = "advance_subscription",
        .tag = "subscriptions",
        .summary = "Say how far the delivery of events has come",
        .description = "For dispatchers.",
        .path = "SubscriptionId",
        .body = {.name = "AdvanceRequest",
                 .description = "How far, under which fence, and how it went.",
                 .examples = R"([{"fence": 1, "cursor": 7, "verdict": "done"}])"},
        .item =
            {.name = "AdvanceParameters",
             .description = "Which subscription, how far, and how it went.",
             .examples =
                 R"([{"id": "s-0123456789abcdef0123456789abcdef", "fence": 1, "cursor": 7, "verdict": "done"}])"},
        .success = "The subscription.",
        .answer = "SubscriptionState"}};

constexpr std::array operations{
    operation<Subscribing, Subscribe>(subscribing),
    operation<Unsubscribing, OnSubscription<Unsubscribing>>(unsubscribing),
    operation<Resending, OnSubscription<Resending>>(resending),
    operation<RotatingSecret, OnSubscription<RotatingSecret>>(rotating),
    operation<Serving, OnSubscription<Serving>>(serving),
    operation<Advancing, OnSubscription<Advancing>>(advancing)};

constexpr KindRow kind_row(RecordKind kind, std::string_view name) {
  return {.kind = kind,
          .name = name,
          .subject = "subscription",
          .does = StateChange::rows,
          .event = name};
}

constexpr std::array kind_rows{kind_row(kinds::created, "subscription.created"),
                               kind_row(kinds::deleted, "subscription.deleted"),
                               kind_row(kinds::rewound, "subscription.rewound"),
                               kind_row(kinds::rotated, "subscription.rotated"),
                               kind_row(kinds::leased, "subscription.leased"),
                               kind_row(kinds::advanced, "subscription.advanced"),
                               kind_row(kinds::disabled, "subscription.disabled")};

constexpr std::array rows{row_kind<SubscriptionRow>("subscription")};

constexpr std::array invariants{
    InvariantRow{"SUB-1", "a subscription is made once, and every record about it finds it there"},
    InvariantRow{"SUB-2", "a cursor goes forward, unless somebody asks for events again"},
    InvariantRow{"SUB-3",
                 "the fence of a subscription is one more with each lease, and never falls"}};

constexpr std::string_view views = R"sql(
-- What records say of subscriptions, one by one, with the record before it about the same one.
CREATE VIEW subscription_steps AS
SELECT s.seq, s.kind, s.tenant, s.id, s.in_tenant, s.cursor_seq, s.fence,
       lag(s.kind) OVER steps AS before_kind, lag(s.cursor_seq) OVER steps AS before_cursor,
       lag(s.fence) OVER steps AS before_fence
FROM (SELECT seq, kind, {text j.tenant} AS tenant, {detail text j.detail | id} AS id,
             {detail text j.detail | tenant} AS in_tenant,
             {detail number j.detail | cursor} AS cursor_seq,
             {detail number j.detail | fence} AS fence
      FROM journal j
      WHERE kind IN ({subscription.created}, {subscription.deleted}, {subscription.rewound},
                     {subscription.rotated}, {subscription.leased}, {subscription.advanced},
                     {subscription.disabled})) s
WINDOW steps AS (PARTITION BY s.tenant, s.id ORDER BY s.seq);

-- SUB-1: a subscription is made once, and every record about it finds it there.
CREATE VIEW audit_sub_1 AS
SELECT seq, NULL AS hold, 'it does not find its subscription as it must be' AS problem
FROM subscription_steps
WHERE id IS NULL OR cursor_seq IS NULL OR {differ in_tenant | tenant}
   OR (kind = {subscription.created}
       AND coalesce(before_kind, {subscription.deleted}) <> {subscription.deleted})
   OR (kind <> {subscription.created}
       AND coalesce(before_kind, {subscription.deleted}) = {subscription.deleted});

-- SUB-2: a cursor goes forward, unless somebody asks for events again.
CREATE VIEW audit_sub_2 AS
SELECT seq, NULL AS hold, {say 'the cursor comes from ' | before_cursor} AS problem
FROM subscription_steps
WHERE before_kind IS NOT NULL AND before_kind <> {subscription.deleted}
  AND kind <> {subscription.deleted}
  AND (cursor_seq > seq OR (cursor_seq < before_cursor AND kind <> {subscription.rewound}));

-- SUB-3: the fence of a subscription is one more with each lease, and never falls.
CREATE VIEW audit_sub_3 AS
SELECT seq, NULL AS hold, {say 'the fence comes from ' | before_fence} AS problem
FROM subscription_steps
WHERE before_kind IS NOT NULL AND before_kind <> {subscription.deleted}
  AND kind <> {subscription.deleted}
  AND {differ fence | {plus before_fence
         | CASE WHEN kind IN ({subscription.leased}, {subscription.rewound}) THEN 1 ELSE 0 END}};
)sql";

constexpr std::string_view parameters = R"(
"SubscriptionId": {
  "name": "id", "in": "path", "required": true,
  "description": "The subscription's id, as making it answered.",
  "schema": {"type": "string", "minLength": 1}, "example": "s-0123456789abcdef0123456789abcdef"
})";

constexpr std::string_view schemas = R"(
"EventNames": {
  "type": "array", "items": {"type": "string", "minLength": 1},
  "description": "What the names of events begin with.", "examples": [["hold.", "command.settled"]]
},
"DeliveryVerdict": {
  "type": "string", "enum": ["on", "done", "failed", "gone"],
  "description": "How a delivery went.", "examples": ["done"]
},
"SubscriptionDocument": {
  "type": "object", "additionalProperties": false,
  "required": ["id", "url", "events", "status", "cursor", "failures", "next_at", "created_at"],
  "description": "A subscription as it stands.",
  "properties": {
    "id": {"type": "string"}, "url": {"type": "string"},
    "events": {"$ref": "#/components/schemas/EventNames"}, "description": {"type": "string"},
    "status": {"type": "string", "enum": ["active", "failing", "disabled"]},
    "reason": {"type": "string"}, "error": {"type": "string"},
    "cursor": {"type": "integer", "minimum": 0}, "failures": {"type": "integer", "minimum": 0},
    "next_at": {"$ref": "#/components/schemas/Instant"},
    "created_at": {"$ref": "#/components/schemas/Instant"}
  },
  "examples": [{"id": "s-0123456789abcdef0123456789abcdef", "url": "https://example.com/hook",
    "events": [], "status": "active", "cursor": 7, "failures": 0,
    "next_at": "2026-01-02T03:04:05.678901Z", "created_at": "2026-01-02T03:04:05.678901Z"}]
},
"SubscriptionPage": {
  "type": "object", "additionalProperties": false, "required": ["items", "next"],
  "description": "A page of subscriptions, oldest first.",
  "properties": {
    "items": {"type": "array", "items": {"$ref": "#/components/schemas/SubscriptionDocument"}},
    "next": {"type": ["string", "null"]}
  },
  "examples": [{"items": [], "next": null}]
},
"SubscriptionSecrets": {
  "type": "object", "additionalProperties": false, "required": ["id", "secrets"],
  "description": "What webhooks of a subscription are signed with.",
  "properties": {
    "id": {"type": "string"}, "secrets": {"type": "array", "items": {"type": "string"}}
  },
  "examples": [{"id": "s-0123456789abcdef0123456789abcdef",
    "secrets": ["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"]}]
},
"SubscriptionServed": {
  "description": "A subscription that is the caller's until its lease ends; empty if it was not free.",
  "oneOf": [{"$ref": "#/components/schemas/SubscriptionState"}, {"type": "object", "additionalProperties": false}],
  "examples": [{}]
},
"SubscriptionState": {
  "type": "object", "additionalProperties": false,
  "required": ["id", "url", "events", "cursor", "fence", "secret"],
  "description": "A subscription as it stood then.",
  "properties": {
    "id": {"type": "string"}, "url": {"type": "string"}, "tenant": {"type": "string"},
    "events": {"$ref": "#/components/schemas/EventNames"}, "description": {"type": "string"},
    "cursor": {"type": "integer", "minimum": 0}, "disabled": {"type": "boolean"},
    "reason": {"type": "string"}, "error": {"type": "string"},
    "failures": {"type": "integer", "minimum": 0}, "fence": {"type": "integer", "minimum": 0},
    "secret": {"type": "integer", "minimum": 1}, "made_seq": {"type": "integer", "minimum": 0},
    "holder": {"type": "string"},
    "failing_since": {"$ref": "#/components/schemas/Instant"},
    "lease_until": {"$ref": "#/components/schemas/Instant"},
    "secret_since": {"$ref": "#/components/schemas/Instant"},
    "created_at": {"$ref": "#/components/schemas/Instant"},
    "next_at": {"$ref": "#/components/schemas/Instant"}
  },
  "examples": [{"id": "s-0123456789abcdef0123456789abcdef", "url": "https://example.com/hook", "events": [],
    "cursor": 7, "fence": 0, "secret": 1}]
})";

}  // namespace

constexpr Module module{
    .name = "subscriptions",
    .operations = operations,
    .kinds = kind_rows,
    .rows = rows,
    .needs = name_rows,
    .apply = apply,
    .invariants = invariants,
    .books = make_books,
    .views = views,
    .contract = {.tags = R"({"name": "subscriptions", "description": "Events sent to a URL."})",
                 .parameters = parameters,
                 .schemas = schemas}};

}  // namespace holdfast::subscriptions

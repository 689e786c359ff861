// The tables that say what counters are.

#include <array>

#include "modules/counter/counter.hpp"

namespace holdfast::counter {
namespace {

constexpr Bounds name_bounds{
    .blank = Reason::resource_blank, .size = Reason::resource_size, .text = Reason::resource_text};

constexpr std::array fields{
    parameter<&Adding::name>({.name = "name",
                              .position = Position::path,
                              .bounds = name_bounds,
                              .schema = "Name",
                              .help = "The counter's name; what stands before a / is its group"}),
    parameter<&Adding::amount>({.name = "amount",
                                .bounds = {.range = Reason::quantity_bounds},
                                .schema = "Quantity",
                                .help = "How much to add"}),
    parameter<&Adding::lifetime>({.name = "lifetime",
                                  .canonical = "lifetime_us",
                                  .required = false,
                                  .bounds = {.range = Reason::duration_bounds},
                                  .schema = "Duration",
                                  .help = "When to reset it if nothing more is added (24h)"})};

constexpr std::array taking_fields{
    parameter<&Taking::group>({.name = "group",
                               .position = Position::path,
                               .bounds = name_bounds,
                               .schema = "Name",
                               .help = "What stands before the slash in their names"}),
    parameter<&Taking::tenant>(
        {.name = "tenant", .bounds = name_bounds, .schema = "Name", .help = "Whose they are"}),
    parameter<&Taking::count>({.name = "count",
                               .bounds = {.range = Reason::quantity_bounds},
                               .schema = "Quantity",
                               .help = "How many to take at most"}),
    parameter<&Taking::pause>({.name = "pause",
                               .canonical = "pause_us",
                               .required = false,
                               .bounds = {.range = Reason::duration_bounds},
                               .schema = "Duration",
                               .help = "For how long nobody else can take them (24h)"})};

constexpr std::array removing_fields{parameter<&Removing::name>({.name = "name",
                                                                 .position = Position::path,
                                                                 .bounds = name_bounds,
                                                                 .schema = "Name",
                                                                 .help = "The counter's name"})};

constexpr std::array refusals{Rejection::invalid_request};
constexpr std::array removing_refusals{Rejection::invalid_request, Rejection::not_known};

constexpr OperationWords adding{
    .name = "counter.add",
    .policy = {.token_class = TokenClass::i2_windowed},
    .fields = fields,
    .told = true,
    .done = added,
    .refusals = refusals,
    .address = {"POST", "/v1/counters/{name}/add"},
    .contract = {.id = "add_to_counter",
                 .tag = "counters",
                 .summary = "Add to a counter",
                 .description = "Adds to a counter, which begins at zero.",
                 .path = "CounterName",
                 .body = {.name = "AddRequest",
                          .description = "How much to add.",
                          .examples = R"([{"amount": 3, "lifetime": "PT15M"}])"},
                 .item = {.name = "AddParameters",
                          .description = "What to add to which counter.",
                          .examples = R"([{"name": "doors/left", "amount": 3}])"},
                 .success = "The counter, and what was added.",
                 .answer = "CounterAdded"},
    .command = {.name = "count",
                .summary = "Add to a counter",
                .paragraph = "A counter begins at zero, and is reset when its time is over.",
                .examples = "  holdfast count doors/left 3"}};

constexpr OperationWords taking{
    .name = "counter.take",
    .policy = {.token_class = TokenClass::i2_windowed},
    .fields = taking_fields,
    .told = true,
    .done = taken,
    .refusals = refusals,
    .address = {"POST", "/v1/counter-groups/{group}/take"},
    .contract = {.id = "take_counters",
                 .tag = "counters",
                 .summary = "Take counters",
                 .description = "Takes the first counters of a group that are ready.",
                 .path = "CounterGroupName",
                 .body = {.name = "TakeRequest",
                          .description = "How many to take.",
                          .examples = R"([{"tenant": "default", "count": 3, "pause": "PT15M"}])"},
                 .item = {.name = "TakeParameters",
                          .description = "How many to take of which group.",
                          .examples = R"([{"group": "doors", "tenant": "default", "count": 3}])"},
                 .success = "What was taken.",
                 .answer = "CountersTaken"}};

constexpr OperationWords removing{.name = "counter.remove",
                                  .policy = {.token_class = TokenClass::i2_windowed},
                                  .fields = removing_fields,
                                  .told = true,
                                  .done = removed,
                                  .refusals = removing_refusals,
                                  .address = {"POST", "/v1/counters/{name}/remove"},
                                  .contract = {.id = "remove_counter",
                                               .tag = "counters",
                                               .summary = "Remove a counter",
                                               .description = "Removes a counter.",
                                               .path = "CounterName",
                                               .item = {.name = "RemoveParameters",
                                                        .description = "Which counter.",
                                                        .examples = R"([{"name": "doors/left"}])"},
                                               .success = "The counter.",
                                               .answer = "CounterAdded"}};

constexpr std::array operations{operation<Adding, Add>(adding), operation<Taking, Take>(taking),
                                operation<Removing, Remove>(removing)};

constexpr std::array kind_rows{KindRow{.kind = added,
                                       .name = "counter.added",
                                       .subject = "counter",
                                       .does = StateChange::rows,
                                       .event = "counter.added"},
                               KindRow{.kind = reset,
                                       .name = "counter.reset",
                                       .subject = "counter",
                                       .does = StateChange::rows,
                                       .event = "counter.reset",
                                       .swept = true},
                               KindRow{.kind = taken,
                                       .name = "counter.taken",
                                       .subject = "counter",
                                       .does = StateChange::rows,
                                       .event = "counter.taken"},
                               KindRow{.kind = removed,
                                       .name = "counter.removed",
                                       .subject = "counter",
                                       .does = StateChange::rows,
                                       .event = "counter.removed"}};

constexpr std::array rows{row_kind<Counter>("counter")};

constexpr std::array reads{RowRead{.pattern = "/v1/counters/{name}",
                                   .space = Counter::space,
                                   .show = show,
                                   .id = "show_counter",
                                   .tag = "counters",
                                   .summary = "Show a counter",
                                   .description = "A counter as it stands.",
                                   .argument = "CounterName",
                                   .success = "The counter.",
                                   .answer = "Counter"},
                           RowRead{.pattern = "/v1/counters",
                                   .space = Counter::space,
                                   .parent = "group",
                                   .show = show,
                                   .id = "list_counters",
                                   .tag = "counters",
                                   .summary = "List counters",
                                   .description = "The counters of a group, by name.",
                                   .argument = "CounterGroup",
                                   .success = "A page of counters.",
                                   .answer = "CounterPage"}};

constexpr std::array invariants{
    InvariantRow{"CNT-1", "a counter's value is the sum of what was added since its reset"}};

constexpr std::string_view views = R"sql(
-- CNT-1: a counter's value is the sum of what was added since its reset.
CREATE VIEW audit_cnt_1 AS
SELECT seq, NULL AS hold, 'the counter does not follow from what was added' AS problem
FROM (SELECT j.seq, j.kind, {detail number j.detail | amount} AS amount,
             {detail number j.detail | value} AS value,
             lag({detail number j.detail | value})
               OVER (PARTITION BY j.tenant, {detail text j.detail | name} ORDER BY j.seq) AS was
      FROM journal j WHERE j.kind IN ({counter.added}, {counter.reset}, {counter.removed})) s
WHERE {differ value | CASE kind WHEN {counter.added} THEN coalesce(was, 0) + amount ELSE 0 END};
)sql";

constexpr std::string_view schemas = R"(
"Counter": {
  "type": "object", "additionalProperties": false, "required": ["name", "value"],
  "description": "A counter as it stands.",
  "properties": {
    "name": {"$ref": "#/components/schemas/Name"},
    "value": {"type": "integer", "minimum": 0},
    "expires_at": {"$ref": "#/components/schemas/Instant"},
    "ready_at": {"$ref": "#/components/schemas/Instant"}
  },
  "examples": [{"name": "doors/left", "value": 3, "expires_at": "2026-01-02T03:04:05.000000Z"}]
},
"CounterAdded": {
  "type": "object", "additionalProperties": false, "required": ["name", "amount", "value"],
  "description": "What was added, and how the counter stood then.",
  "properties": {
    "amount": {"type": "integer", "minimum": 0},
    "name": {"$ref": "#/components/schemas/Name"},
    "value": {"type": "integer", "minimum": 0},
    "expires_at": {"$ref": "#/components/schemas/Instant"}
  },
  "examples": [{"amount": 3, "name": "doors/left", "value": 3}]
},
"CountersTaken": {
  "type": "object", "additionalProperties": false, "required": ["names", "ready_at", "tenant"],
  "description": "What was taken, and when it is ready again.",
  "properties": {
    "names": {"type": "array", "items": {"$ref": "#/components/schemas/Name"}},
    "ready_at": {"$ref": "#/components/schemas/Instant"},
    "tenant": {"$ref": "#/components/schemas/Name"}
  },
  "examples": [{"names": ["doors/left"], "ready_at": "2026-01-02T03:04:05.000000Z",
                "tenant": "default"}]
},
"CounterPage": {
  "type": "object", "additionalProperties": false, "required": ["items", "next"],
  "description": "A page of counters.",
  "properties": {
    "items": {"type": "array", "items": {"$ref": "#/components/schemas/Counter"}},
    "next": {"type": ["string", "null"]}
  },
  "examples": [{"items": [], "next": null}]
})";

constexpr std::string_view parameters = R"(
"CounterName": {
  "name": "name", "in": "path", "required": true,
  "description": "The name of a counter, percent-encoded UTF-8.",
  "schema": {"type": "string", "minLength": 1}, "example": "doors"
},
"CounterGroupName": {
  "name": "group", "in": "path", "required": true,
  "description": "What stands before the slash in the names of the counters.",
  "schema": {"type": "string", "minLength": 1}, "example": "doors"
},
"CounterGroup": {
  "name": "group", "in": "query", "required": true,
  "description": "What stands before the slash in the names of the counters.",
  "schema": {"type": "string", "minLength": 1}, "example": "doors"
})";

}  // namespace

constexpr Module module{
    .name = "counter",
    .operations = operations,
    .kinds = kind_rows,
    .rows = rows,
    .needs = name_rows,
    .apply = apply,
    .sweep = sweep,
    .invariants = invariants,
    .books = make_books,
    .views = views,
    .reads = reads,
    .contract = {.tags = R"({"name": "counters", "description": "Numbers that are added to."})",
                 .parameters = parameters,
                 .schemas = schemas}};

}  // namespace holdfast::counter

// The tables that say what counters are.

#include "modules/counter/counter.hpp"

namespace holdfast::counter {
namespace {

constexpr std::array counter_members{optional_member<&Counter::expires>("expires_at"),
                                     member<&Counter::name>("name"),
                                     member<&Counter::value>("value")};
constexpr std::array said_members{
    member<&Said::amount>("amount"), optional_member<&Said::then, &Counter::expires>("expires_at"),
    member<&Said::then, &Counter::name>("name"), member<&Said::then, &Counter::value>("value")};
static_assert(in_order(counter_members) && in_order(said_members));

constexpr std::array fields{
    parameter<&Adding::name>({.name = "name",
                              .position = Position::path,
                              .bounds = {.blank = Reason::resource_blank,
                                         .size = Reason::resource_size,
                                         .text = Reason::resource_text},
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

constexpr std::array refusals{Rejection::invalid_request};

constexpr std::array operations{operation<Adding, Add>(
    {.name = "counter.add",
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
                  .body = {"AddRequest", "How much to add.",
                           R"([{"amount": 3, "lifetime": "PT15M"}])"},
                  .item = {"AddParameters", "What to add to which counter.",
                           R"([{"name": "doors/left", "amount": 3}])"},
                  .success = "The counter, and what was added.",
                  .answer = "CounterAdded"},
     .command = {.name = "count",
                 .summary = "Add to a counter",
                 .paragraph = "A counter begins at zero, and is reset when its time is over.",
                 .examples = "  holdfast count doors/left 3"}})};

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
                                       .swept = true}};

constexpr std::array rows{member_row<Counter>("counter")};

constexpr std::array reads{RowRead{.pattern = "/v1/counters/{name}",
                                   .space = Counter::space,
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
      FROM journal j WHERE j.kind IN ({counter.added}, {counter.reset})) s
WHERE {differ value | CASE kind WHEN {counter.added} THEN coalesce(was, 0) + amount ELSE 0 END};
)sql";

constexpr std::array arguments{
    Argument{"CounterName", "name", Argument::path, "The name of a counter.", "doors"},
    Argument{"CounterGroup", "group", Argument::query, "The group of the counters.", "doors"}};

constexpr std::array shapes{
    ObjectShape{.name = "Counter", .description = "A counter.", .members = counter_members},
    ObjectShape{.name = "CounterAdded",
                .description = "What was added, and how the counter stood then.",
                .members = said_members},
    ObjectShape{.name = "CounterPage", .description = "A page of counters.", .items = "Counter"}};

}  // namespace

const ObjectMembers Counter::members = counter_members;
const ObjectMembers Said::members = said_members;

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
                 .arguments = arguments,
                 .shapes = shapes}};

}  // namespace holdfast::counter

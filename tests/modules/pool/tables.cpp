// The tables that say what pools are.

#include "modules/pool/pool.hpp"

namespace holdfast::pool {
namespace {

constexpr std::array thing_members{
    member<&Thing::expires>("expires_at"), member<&Thing::name>("name"),
    optional_member<&Thing::ready>("ready_at"), member<&Thing::times>("times")};
constexpr std::array took_members{member<&Took::names>("names"), member<&Took::ready>("ready_at"),
                                  member<&Took::tenant>("tenant")};
constexpr std::array gone_members{member<&Gone::name>("name")};
static_assert(in_order(thing_members) && in_order(took_members));

constexpr Bounds name_bounds{
    .blank = Reason::resource_blank, .size = Reason::resource_size, .text = Reason::resource_text};

constexpr std::array putting_fields{
    parameter<&Putting::name>({.name = "name",
                               .position = Position::path,
                               .bounds = name_bounds,
                               .schema = "Name",
                               .help = "The pool, a slash, and the thing's own name"}),
    parameter<&Putting::lifetime>({.name = "lifetime",
                                   .canonical = "lifetime_us",
                                   .required = false,
                                   .bounds = {.range = Reason::duration_bounds},
                                   .schema = "Duration",
                                   .help = "When it goes by itself (24h)"})};

constexpr std::array taking_fields{
    parameter<&Taking::pool>({.name = "pool",
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
                                                                 .help = "The thing's name"})};

constexpr std::array refusals{Rejection::invalid_request};
constexpr std::array removing_refusals{Rejection::invalid_request, Rejection::not_known};

constexpr std::array operations{
    operation<Putting, Put>(
        {.name = "pool.put",
         .policy = {.token_class = TokenClass::i2_windowed},
         .fields = putting_fields,
         .told = true,
         .done = put,
         .refusals = refusals,
         .address = {"POST", "/v1/things/{name}"},
         .contract = {.id = "put_thing",
                      .tag = "pools",
                      .summary = "Put a thing in",
                      .description = "Puts a thing into its pool, where it can be taken at once.",
                      .path = "ThingName",
                      .body = {"PutRequest", "For how long.", R"([{"lifetime": "PT15M"}])"},
                      .item = {"PutParameters", "What to put in.", R"([{"name": "keys/a"}])"},
                      .success = "The thing.",
                      .answer = "Thing"}}),
    operation<Taking, Take>(
        {.name = "pool.take",
         .policy = {.token_class = TokenClass::i2_windowed},
         .fields = taking_fields,
         .told = true,
         .done = taken,
         .refusals = refusals,
         .address = {"POST", "/v1/pools/{pool}/take"},
         .contract = {.id = "take_things",
                      .tag = "pools",
                      .summary = "Take things",
                      .description = "Takes the first things of a pool that are ready.",
                      .path = "PoolName",
                      .body = {"TakeRequest", "How many to take.",
                               R"([{"tenant": "default", "count": 3, "pause": "PT15M"}])"},
                      .item = {"TakeParameters", "How many to take of which pool.",
                               R"([{"pool": "keys", "tenant": "default", "count": 3}])"},
                      .success = "What was taken.",
                      .answer = "ThingsTaken"}}),
    operation<Removing, Remove>(
        {.name = "pool.remove",
         .policy = {.token_class = TokenClass::i2_windowed},
         .fields = removing_fields,
         .told = true,
         .done = removed,
         .refusals = removing_refusals,
         .address = {"POST", "/v1/things/{name}/remove"},
         .contract = {.id = "remove_thing",
                      .tag = "pools",
                      .summary = "Remove a thing",
                      .description = "Removes a thing from its pool.",
                      .path = "ThingName",
                      .item = {"RemoveParameters", "Which thing.", R"([{"name": "keys/a"}])"},
                      .success = "What was removed.",
                      .answer = "ThingGone"}})};

constexpr std::array kind_rows{KindRow{.kind = put,
                                       .name = "pool.put",
                                       .subject = "pool",
                                       .does = StateChange::rows,
                                       .event = "pool.put"},
                               KindRow{.kind = taken,
                                       .name = "pool.taken",
                                       .subject = "pool",
                                       .does = StateChange::rows,
                                       .event = "pool.taken"},
                               KindRow{.kind = removed,
                                       .name = "pool.removed",
                                       .subject = "pool",
                                       .does = StateChange::rows,
                                       .event = "pool.removed",
                                       .swept = true}};

constexpr std::array rows{member_row<Thing>("thing")};

constexpr std::array reads{RowRead{.pattern = "/v1/things/{name}",
                                   .space = Thing::space,
                                   .id = "show_thing",
                                   .tag = "pools",
                                   .summary = "Show a thing",
                                   .description = "A thing as it stands.",
                                   .argument = "ThingName",
                                   .success = "The thing.",
                                   .answer = "Thing"}};

constexpr std::array arguments{
    Argument{"ThingName", "name", Argument::path, "The name of a thing.", "keys/a"},
    Argument{"PoolName", "pool", Argument::path, "The name of a pool.", "keys"}};

constexpr std::array shapes{
    ObjectShape{.name = "Thing", .description = "A thing.", .members = thing_members},
    ObjectShape{.name = "ThingsTaken", .description = "What was taken.", .members = took_members},
    ObjectShape{.name = "ThingGone", .description = "What is gone.", .members = gone_members}};

}  // namespace

const ObjectMembers Thing::members = thing_members;
const ObjectMembers Took::members = took_members;
const ObjectMembers Gone::members = gone_members;

constexpr Module module{
    .name = "pool",
    .operations = operations,
    .kinds = kind_rows,
    .rows = rows,
    .needs = name_rows,
    .apply = apply,
    .sweep = sweep,
    .reads = reads,
    .contract = {.tags = R"({"name": "pools", "description": "Things to be taken for a while."})",
                 .arguments = arguments,
                 .shapes = shapes}};

}  // namespace holdfast::pool

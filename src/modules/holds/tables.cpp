// The two tables that say what holds are: their operations, and their kinds of records.

#include <array>

#include "modules/holds/decide.hpp"
#include "modules/holds/holds.hpp"

namespace holdfast::holds {
namespace {

constexpr Bounds resource_name{
    .blank = Reason::resource_blank, .size = Reason::resource_size, .text = Reason::resource_text};
constexpr Bounds requester_name{.blank = Reason::requester_blank,
                                .size = Reason::requester_size,
                                .text = Reason::requester_text};

constexpr std::array placing_fields{
    parameter<&Placing::resource>({.name = "resource",
                                   .bounds = resource_name,
                                   .schema = "Name",
                                   .help = "What to hold, by its exact name"}),
    parameter<&Placing::requester>(
        {.name = "requester", .bounds = requester_name, .schema = "Name", .help = "For whom"}),
    parameter<&Placing::duration>(
        {.name = "duration",
         .canonical = "duration_us",
         .bounds = {.range = Reason::duration_bounds},
         .schema = "Duration",
         .help = "For how long: 90s, 15m, 24h, 7d or PT15M; 1ms to 366d"}),
    parameter<&Placing::quantity>({.name = "quantity",
                                   .required = false,
                                   .bounds = {.range = Reason::quantity_bounds},
                                   .schema = "Quantity",
                                   .help = "How much of it (1)"})};

template <typename P>
constexpr std::array hold_fields{parameter<&P::hold>(
    {.name = "id", .position = Position::path, .help = "The hold's id, as placing it printed"})};

constexpr std::array declaring_fields{
    parameter<&Declaring::resource>({.name = "resource",
                                     .position = Position::path,
                                     .bounds = resource_name,
                                     .schema = "Name"}),
    parameter<&Declaring::capacity>(
        {.name = "capacity", .bounds = {.range = Reason::capacity_bounds}, .schema = "Quantity"})};

constexpr std::array placing_refusals{Rejection::invalid_request, Rejection::resource_unavailable};
constexpr std::array resolving_refusals{Rejection::not_known, Rejection::not_held,
                                        Rejection::window_elapsed};
constexpr std::array expiring_refusals{Rejection::not_known, Rejection::not_held,
                                       Rejection::window_not_elapsed};
constexpr std::array declaring_refusals{Rejection::invalid_request, Rejection::capacity_in_use};

/// Grace's window must release the binding: their tokens are not kept for ever.
constexpr Policy windowed{.token_class = TokenClass::i2_windowed};

constexpr Shape hold_named{.name = "ResolveParameters",
                           .description = "Which hold. What is not the id of one names no hold.",
                           .examples = R"([{"id": "h2a-0f3c9d1e5b7a842"}])"};

constexpr OperationWords placing{
    .name = "hold.place",
    .policy = windowed,
    .fields = placing_fields,
    .done = RecordKind::placed,
    .refusals = placing_refusals,
    .address = {"POST", "/v1/holds", false, 201},
    .contract = {.id = "place_hold",
                 .tag = "holds",
                 .summary = "Place a hold",
                 .description = "Claims a quantity of a resource for a requester, for a while.",
                 .body = {.name = "PlaceRequest", .description = "What to hold.", .examples = R"([
    {"resource": "room_307", "requester": "guest_g91", "duration": "PT15M"},
    {"resource": "seats", "requester": "guest_g91", "duration": 900, "quantity": 4}
  ])"},
                 .success = "The hold, as it was placed.",
                 .answer = "Hold"},
    .command = {.name = "hold",
                .summary = "Place a hold on a resource for a requester",
                .paragraph = "The resource is any name; nothing has to be set up first. One that "
                             "was never declared has\n"
                             "a capacity of 1: a single hold takes it (see holdfast resource "
                             "--help). The hold lapses by\n"
                             "itself once the duration is over, and the resource is free again at "
                             "that very instant.",
                .examples =
                    "  holdfast hold room_307 guest_g91 24h\n"
                    "  holdfast hold flight_12 agency_7 PT15M --quantity 4\n"
                    "  holdfast hold room_307 guest_g91 24h --token order-4711    safe to repeat",
                .done = "{resource} is held for {requester}."}};

constexpr OperationWords confirming{
    .name = "hold.confirm",
    .policy = windowed,
    .fields = hold_fields<Confirming>,
    .done = RecordKind::confirmed,
    .refusals = resolving_refusals,
    .address = {"POST", "/v1/holds/{id}/confirm"},
    .contract = {.id = "confirm_hold",
                 .tag = "holds",
                 .summary = "Confirm a hold",
                 .description =
                     "Makes a hold permanent, while its time has not run out. What it claims stays "
                     "claimed.",
                 .path = "HoldId",
                 .item = hold_named,
                 .success = "The hold, confirmed.",
                 .answer = "Hold"},
    .command = {.name = "confirm",
                .summary = "Confirm a hold: the requester keeps the resource",
                .paragraph = "Possible while the hold is held and has not lapsed. A confirmed hold "
                             "keeps its resource for\n"
                             "good. Repeating the command with the same token answers as the first "
                             "time, although the\n"
                             "hold is no longer held; with a new token it is refused as not-held.",
                .examples = "  holdfast confirm h1-4c1f0a9be2d7731\n"
                            "  holdfast confirm h1-4c1f0a9be2d7731 --token payment-4711 --json",
                .done = "{resource} is confirmed for {requester}."}};

constexpr OperationWords releasing{
    .name = "hold.release",
    .policy = windowed,
    .fields = hold_fields<Releasing>,
    .done = RecordKind::released,
    .refusals = resolving_refusals,
    .address = {"POST", "/v1/holds/{id}/release"},
    .contract = {.id = "release_hold",
                 .tag = "holds",
                 .summary = "Release a hold",
                 .description = "Gives back what a hold claims, while its time has not run out.",
                 .path = "HoldId",
                 .item = hold_named,
                 .success = "The hold, released.",
                 .answer = "Hold"},
    .command = {
        .name = "release",
        .summary = "Release a hold: the resource is free again at once",
        .paragraph =
            "Possible while the hold is held and has not lapsed; a lapsed hold has freed its "
            "resource\n"
            "already. What a hold took is given back once, however often the command is repeated.",
        .examples = "  holdfast release h1-4c1f0a9be2d7731\n"
                    "  holdfast release h1-4c1f0a9be2d7731 --token cancel-4711",
        .done = "{resource} is released by {requester}."}};

constexpr OperationWords expiring{
    .name = "hold.expire",
    .policy = windowed,
    .fields = hold_fields<Expiring>,
    .done = RecordKind::expired,
    .refusals = expiring_refusals,
    .address = {"POST", "/v1/holds/{id}/expire"},
    .contract = {.id = "expire_hold",
                 .tag = "holds",
                 .summary = "Expire a hold",
                 .description =
                     "Ends a hold whose time has run out. The service does that by itself, sooner "
                     "or later; this does it now. Either way a lapsed hold claims nothing any "
                     "more.",
                 .path = "HoldId",
                 .item = hold_named,
                 .success = "The hold, expired.",
                 .answer = "Hold"},
    .command = {.name = "expire",
                .summary = "Mark a lapsed hold as expired",
                .paragraph = "Possible from the very instant the hold expires, not before. There "
                             "is seldom a need: a\n"
                             "lapsed hold occupies nothing, placing on its resource expires it on "
                             "the way, and a running\n"
                             "engine sweeps the rest. Use it to have the record say so now.",
                .examples = "  holdfast expire h1-4c1f0a9be2d7731",
                .done = "The hold of {requester} on {resource} is expired."}};

constexpr OperationWords declaring{
    .name = "resource.declare",
    .fields = declaring_fields,
    .done = RecordKind::declared,
    .refusals = declaring_refusals,
    .address = {"PUT", "/v1/resources/{name}", true},
    .contract = {
        .id = "declare_resource",
        .tag = "resources",
        .summary = "Declare a resource",
        .description =
            "Sets the capacity of a resource, for the first time or anew. It cannot be set "
            "below what is in use.",
        .path = "ResourceName",
        .body = {.name = "DeclareRequest",
                 .description = "The capacity a resource is to have.",
                 .examples = R"([{"capacity": 300}])"},
        .item = {.name = "DeclareParameters",
                 .description = "A resource, and the capacity it is to have.",
                 .examples = R"([{"resource": "seats", "capacity": 300}])"},
        .success = "What was declared.",
        .answer = "DeclaredResource"}};

constexpr std::array operation_rows{
    operation<Placing, Place>(placing), operation<Confirming, Confirm>(confirming),
    operation<Releasing, Release>(releasing), operation<Expiring, Expire>(expiring),
    operation<Declaring, Declare>(declaring)};

constexpr KindRow hold_kind(RecordKind kind, std::string_view name, StateChange does,
                            std::string_view event) {
  return {.kind = kind, .name = name, .subject = "hold", .does = does, .event = event};
}

constexpr KindRow swept(KindRow row) {
  row.swept = true;
  return row;
}

constexpr std::array kind_rows{
    hold_kind(RecordKind::placed, "placed", StateChange::place, "hold.placed"),
    hold_kind(RecordKind::confirmed, "confirmed", StateChange::resolve, "hold.confirmed"),
    hold_kind(RecordKind::released, "released", StateChange::resolve, "hold.released"),
    swept(hold_kind(RecordKind::expired, "expired", StateChange::resolve, "hold.expired")),
    hold_kind(RecordKind::extended, "extended", StateChange::amend, "hold.extended"),
    hold_kind(RecordKind::partly_confirmed, "partly-confirmed", StateChange::amend,
              "hold.partly_confirmed"),
    hold_kind(RecordKind::cancelled, "cancelled", StateChange::amend, "hold.cancelled"),
    KindRow{.kind = RecordKind::declared,
            .name = "declared",
            .subject = "resource",
            .does = StateChange::declare,
            .event = "resource.declared"}};

}  // namespace

constexpr Module module{
    .name = "holds", .operations = operation_rows, .kinds = kind_rows, .sweep = sweep};

}  // namespace holdfast::holds

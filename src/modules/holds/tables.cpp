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
    parameter<&Placing::resource>({.name = "resource", .bounds = resource_name, .schema = "Name"}),
    parameter<&Placing::requester>(
        {.name = "requester", .bounds = requester_name, .schema = "Name"}),
    parameter<&Placing::duration>({.name = "duration",
                                   .canonical = "duration_us",
                                   .bounds = {.range = Reason::duration_bounds},
                                   .schema = "Duration"}),
    parameter<&Placing::quantity>({.name = "quantity",
                                   .required = false,
                                   .bounds = {.range = Reason::quantity_bounds},
                                   .schema = "Quantity"})};

template <typename P>
constexpr std::array hold_fields{parameter<&P::hold>({.name = "id", .position = Position::path})};

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
                 .answer = "Hold"}};

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
                 .answer = "Hold"}};

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
                 .answer = "Hold"}};

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
                 .answer = "Hold"}};

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

constexpr std::array kind_rows{
    KindRow{
        .kind = RecordKind::placed, .name = "placed", .subject = "hold", .event = "hold.placed"},
    KindRow{.kind = RecordKind::confirmed,
            .name = "confirmed",
            .subject = "hold",
            .event = "hold.confirmed"},
    KindRow{.kind = RecordKind::released,
            .name = "released",
            .subject = "hold",
            .event = "hold.released"},
    KindRow{
        .kind = RecordKind::expired, .name = "expired", .subject = "hold", .event = "hold.expired"},
    KindRow{.kind = RecordKind::declared,
            .name = "declared",
            .subject = "resource",
            .event = "resource.declared"}};

}  // namespace

constexpr Module module{
    .name = "holds", .operations = operation_rows, .kinds = kind_rows, .sweep = expire_lapsed};

}  // namespace holdfast::holds

// The two tables that say what holds are: their operations, and their kinds of records.

#include <array>

#include "modules/holds/decide.hpp"
#include "modules/holds/groups.hpp"
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

constexpr ParameterWords some_of_it{.name = "quantity",
                                    .required = false,
                                    .bounds = {.range = Reason::quantity_bounds},
                                    .schema = "Quantity"};
constexpr ParameterWords with_help(ParameterWords words, std::string_view help) {
  words.help = help;
  return words;
}

constexpr ParameterWords from_now{.name = "duration",
                                  .canonical = "duration_us",
                                  .bounds = {.range = Reason::duration_bounds},
                                  .schema = "Duration",
                                  .help = "For how long from now: 90s, 15m, 24h, 7d or PT15M"};

constexpr std::array confirming_fields{
    hold_fields<Confirming>[0],
    parameter<&Confirming::quantity>(
        with_help(some_of_it, "How much of it (all that is still held); the rest stays held")),
    parameter<&Confirming::final>({.name = "final",
                                   .required = false,
                                   .schema = "Final",
                                   .help = "Release the rest at once"})};

constexpr std::array extending_fields{hold_fields<Extending>[0],
                                      parameter<&Extending::duration>(from_now)};

constexpr std::array cancelling_fields{hold_fields<Cancelling>[0],
                                       parameter<&Cancelling::quantity>(with_help(
                                           some_of_it, "How much of it (all that is confirmed)"))};

constexpr std::array grouping_fields{
    parameter<&Grouping::requester>(
        {.name = "requester", .bounds = requester_name, .schema = "Name", .help = "For whom"}),
    parameter<&Grouping::duration>(
        {.name = "duration",
         .canonical = "duration_us",
         .bounds = {.range = Reason::duration_bounds},
         .schema = "Duration",
         .help = "For how long: 90s, 15m, 24h, 7d or PT15M; 1ms to 366d"}),
    parameter<&Grouping::holds>(
        {.name = "holds",
         .bounds = {.blank = Reason::resource_blank,
                    .size = Reason::resource_size,
                    .text = Reason::resource_text,
                    .count = Reason::group_size,
                    .range = Reason::quantity_bounds},
         .schema = "GroupItems",
         .help = "What to hold: RESOURCE, or RESOURCE=QUANTITY; several, separated by blanks"})};

template <typename P>
constexpr std::array group_fields{parameter<&P::group>(
    {.name = "id", .position = Position::path, .help = "The group's id, as placing it printed"})};

constexpr std::array group_extending_fields{group_fields<GroupExtending>[0],
                                            parameter<&GroupExtending::duration>(from_now)};

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
constexpr std::array confirming_refusals{Rejection::invalid_request, Rejection::not_known,
                                         Rejection::not_held, Rejection::window_elapsed,
                                         Rejection::quantity_exceeded};
constexpr std::array extending_refusals{Rejection::invalid_request, Rejection::not_known,
                                        Rejection::not_held, Rejection::window_elapsed,
                                        Rejection::lifetime_exceeded};
constexpr std::array cancelling_refusals{Rejection::invalid_request, Rejection::not_known,
                                         Rejection::not_confirmed, Rejection::quantity_exceeded};
constexpr std::array expiring_refusals{Rejection::not_known, Rejection::not_held,
                                       Rejection::window_not_elapsed};
constexpr std::array declaring_refusals{Rejection::invalid_request, Rejection::capacity_in_use};

/// Grace's window must release the binding: their tokens are not kept for ever.
constexpr Policy windowed{.token_class = TokenClass::i2_windowed};

constexpr Shape hold_named{.name = "ResolveParameters",
                           .description = "Which hold. What is not the id of one names no hold.",
                           .examples = R"([{"id": "h2a-0f3c9d1e5b7a842"}])"};

constexpr std::array partly{RecordKind::partly_confirmed};

constexpr OperationWords placing{
    .name = "hold.place",
    .policy = windowed,
    .fields = placing_fields,
    .dry_run = true,
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
    .fields = confirming_fields,
    .done = RecordKind::confirmed,
    .done_also = partly,
    .refusals = confirming_refusals,
    .address = {"POST", "/v1/holds/{id}/confirm"},
    .contract =
        {.id = "confirm_hold",
         .tag = "holds",
         .summary = "Confirm a hold",
         .description =
             "Makes a hold permanent, while its time has not run out: all of it, or a part. "
             "What is confirmed stays claimed; the rest stays held, or is released at once "
             "if this was final.",
         .path = "HoldId",
         .body = {.name = "ConfirmRequest",
                  .description = "How much to confirm: all that is held if nothing is said.",
                  .examples = R"([{}, {"quantity": 2}, {"quantity": 2, "final": true}])"},
         .item = {.name = "ConfirmParameters",
                  .description = "Which hold, and how much of it.",
                  .examples = R"([{"id": "h2a-0f3c9d1e5b7a842"}])"},
         .success = "The hold, confirmed.",
         .answer = "Hold"},
    .command = {.name = "confirm",
                .summary = "Confirm a hold: the requester keeps the resource",
                .paragraph = "Possible while the hold is held and has not lapsed. A confirmed hold "
                             "keeps its resource\n"
                             "until it is cancelled. With --quantity a part is confirmed, and the "
                             "rest stays held.\n"
                             "Repeating the command with the same token answers as the first "
                             "time, although the\n"
                             "hold is no longer held; with a new token it is refused as not-held.",
                .examples = "  holdfast confirm h1-4c1f0a9be2d7731\n"
                            "  holdfast confirm h1-4c1f0a9be2d7731 --quantity 2 --final\n"
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

constexpr OperationWords extending{
    .name = "hold.extend",
    .policy = windowed,
    .fields = extending_fields,
    .done = RecordKind::extended,
    .refusals = extending_refusals,
    .address = {"POST", "/v1/holds/{id}/extend"},
    .contract = {.id = "extend_hold",
                 .tag = "holds",
                 .summary = "Extend a hold",
                 .description =
                     "Gives a hold more time, while its time has not run out: it expires that long "
                     "after now, or when it would anyway if that is later.",
                 .path = "HoldId",
                 .body = {.name = "ExtendRequest",
                          .description = "How long it is to be held from now on.",
                          .examples = R"([{"duration": "PT15M"}])"},
                 .item = {.name = "ExtendParameters",
                          .description = "Which hold, and how long it is to be held from now on.",
                          .examples = R"([{"id": "h2a-0f3c9d1e5b7a842", "duration": "PT15M"}])"},
                 .success = "The hold, with its new expiry.",
                 .answer = "Hold"},
    .command = {.name = "extend",
                .summary = "Extend a hold: it expires later",
                .paragraph = "Possible while the hold is held and has not lapsed. It then expires "
                             "that long after now, and\n"
                             "never earlier than before. Its whole life is limited: see "
                             "lifetime_max in docs/guide.md.",
                .examples = "  holdfast extend h1-4c1f0a9be2d7731 15m",
                .done = "{resource} is held for {requester} a while longer."}};

constexpr OperationWords cancelling{
    .name = "hold.cancel",
    .policy = windowed,
    .fields = cancelling_fields,
    .done = RecordKind::cancelled,
    .refusals = cancelling_refusals,
    .address = {"POST", "/v1/holds/{id}/cancel"},
    .contract = {.id = "cancel_hold",
                 .tag = "holds",
                 .summary = "Cancel what was confirmed",
                 .description =
                     "Gives back what was confirmed of a hold, all of it or a part, once.",
                 .path = "HoldId",
                 .body = {.name = "CancelRequest",
                          .description =
                              "How much to give back: all that is confirmed if nothing is said.",
                          .examples = R"([{}, {"quantity": 1}])"},
                 .item = {.name = "CancelParameters",
                          .description = "Which hold, and how much of it to give back.",
                          .examples = R"([{"id": "h2a-0f3c9d1e5b7a842"}])"},
                 .success = "The hold, with what was cancelled of it.",
                 .answer = "Hold"},
    .command = {.name = "cancel",
                .summary = "Cancel a confirmed hold: the resource is free again at once",
                .paragraph =
                    "Gives back what was confirmed, all of it or a part. What was confirmed "
                    "is given back once,\n"
                    "however often the command is repeated.",
                .examples = "  holdfast cancel h1-4c1f0a9be2d7731\n"
                            "  holdfast cancel h1-4c1f0a9be2d7731 --quantity 1 --token refund-4711",
                .done = "{resource} is given back by {requester}."}};

constexpr OperationWords grouping{
    .name = "group.place",
    .policy = windowed,
    .fields = grouping_fields,
    .told = true,
    .done = RecordKind::grouped,
    .refusals = placing_refusals,
    .address = {"POST", "/v1/groups", false, 201},
    .contract = {.id = "place_group",
                 .tag = "groups",
                 .summary = "Place several holds together",
                 .description = "Places all of the holds or none. A resource may be named twice. A "
                                "refusal names everything that was short.",
                 .body = {.name = "GroupRequest",
                          .description = "What to hold together.",
                          .examples = R"([
    {"requester": "guest_g91", "duration": "PT15M",
     "holds": [{"resource": "room_307"}, {"resource": "breakfast", "quantity": 2}]}
  ])"},
                 .success = "The group, as it was placed.",
                 .answer = "Group"},
    .command = {.name = "group",
                .summary = "Place several holds together, all or none",
                .paragraph = "Each hold is one like any other, and can be confirmed, released or "
                             "extended by itself; the\n"
                             "group's id does it to all of them that are still held.",
                .examples = "  holdfast group guest_g91 15m 'room_307 breakfast=2'",
                .done = "The holds are placed."}};

constexpr Shape group_named{.name = "GroupParameters",
                            .description = "Which group. What is not the id of one names no group.",
                            .examples = R"([{"id": "g2a-0f3c9d1e5b7a842"}])"};

constexpr OperationWords group_confirming{
    .name = "group.confirm",
    .policy = windowed,
    .fields = group_fields<GroupConfirming>,
    .told = true,
    .done = RecordKind::group_confirmed,
    .refusals = resolving_refusals,
    .address = {"POST", "/v1/groups/{id}/confirm"},
    .contract = {.id = "confirm_group",
                 .tag = "groups",
                 .summary = "Confirm a group",
                 .description = "Confirms every hold of a group that is still held, or none.",
                 .path = "GroupId",
                 .item = group_named,
                 .success = "The group, confirmed.",
                 .answer = "Group"},
    .command = {.name = "group-confirm",
                .summary = "Confirm what is still held of a group, all or none",
                .paragraph = "Refused as soon as one of its held holds has lapsed.",
                .examples = "  holdfast group-confirm g1-4c1f0a9be2d7731",
                .done = "The group is confirmed."}};

constexpr OperationWords group_releasing{
    .name = "group.release",
    .policy = windowed,
    .fields = group_fields<GroupReleasing>,
    .told = true,
    .done = RecordKind::group_released,
    .refusals = resolving_refusals,
    .address = {"POST", "/v1/groups/{id}/release"},
    .contract = {.id = "release_group",
                 .tag = "groups",
                 .summary = "Release a group",
                 .description = "Releases every hold of a group that is still held, or none.",
                 .path = "GroupId",
                 .item = group_named,
                 .success = "The group, released.",
                 .answer = "Group"},
    .command = {.name = "group-release",
                .summary = "Release what is still held of a group, all or none",
                .paragraph = "Refused as soon as one of its held holds has lapsed.",
                .examples = "  holdfast group-release g1-4c1f0a9be2d7731",
                .done = "The group is released."}};

constexpr std::array group_extending_refusals{Rejection::invalid_request, Rejection::not_known,
                                              Rejection::not_held, Rejection::window_elapsed,
                                              Rejection::lifetime_exceeded};

constexpr OperationWords group_extending{
    .name = "group.extend",
    .policy = windowed,
    .fields = group_extending_fields,
    .told = true,
    .done = RecordKind::group_extended,
    .refusals = group_extending_refusals,
    .address = {"POST", "/v1/groups/{id}/extend"},
    .contract = {.id = "extend_group",
                 .tag = "groups",
                 .summary = "Extend a group",
                 .description = "Extends every hold of a group that is still held, or none.",
                 .path = "GroupId",
                 .body = {.name = "GroupExtendRequest",
                          .description = "How long it is to be held from now on.",
                          .examples = R"([{"duration": "PT15M"}])"},
                 .item = {.name = "GroupExtendParameters",
                          .description = "Which group, and how long it is to be held from now on.",
                          .examples = R"([{"id": "g2a-0f3c9d1e5b7a842", "duration": "PT15M"}])"},
                 .success = "The group, with its new expiry.",
                 .answer = "Group"},
    .command = {.name = "group-extend",
                .summary = "Extend what is still held of a group, all or none",
                .paragraph =
                    "Each of its held holds expires that long after now, and never earlier "
                    "than before.",
                .examples = "  holdfast group-extend g1-4c1f0a9be2d7731 15m",
                .done = "The group is held a while longer."}};

constexpr std::array operation_rows{operation<Placing, Place>(placing),
                                    operation<Confirming, Confirm>(confirming),
                                    operation<Releasing, Release>(releasing),
                                    operation<Expiring, Expire>(expiring),
                                    operation<Declaring, Declare>(declaring),
                                    operation<Extending, Extend>(extending),
                                    operation<Cancelling, Cancel>(cancelling),
                                    operation<Grouping, PlaceGroup>(grouping),
                                    operation<GroupConfirming, ConfirmGroup>(group_confirming),
                                    operation<GroupReleasing, ReleaseGroup>(group_releasing),
                                    operation<GroupExtending, ExtendGroup>(group_extending)};

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
    hold_kind(RecordKind::extended, "extended", StateChange::extend, "hold.extended"),
    hold_kind(RecordKind::partly_confirmed, "partly-confirmed", StateChange::keep,
              "hold.partly_confirmed"),
    hold_kind(RecordKind::cancelled, "cancelled", StateChange::give_back, "hold.cancelled"),
    KindRow{.kind = RecordKind::grouped,
            .name = "grouped",
            .subject = "group",
            .does = StateChange::gather},
    KindRow{.kind = RecordKind::group_confirmed, .name = "group-confirmed", .subject = "group"},
    KindRow{.kind = RecordKind::group_released, .name = "group-released", .subject = "group"},
    KindRow{.kind = RecordKind::group_extended, .name = "group-extended", .subject = "group"},
    KindRow{.kind = RecordKind::declared,
            .name = "declared",
            .subject = "resource",
            .does = StateChange::declare,
            .event = "resource.declared"}};

}  // namespace

constexpr Module module{
    .name = "holds", .operations = operation_rows, .kinds = kind_rows, .sweep = sweep};

}  // namespace holdfast::holds

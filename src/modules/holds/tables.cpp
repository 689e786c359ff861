// The two tables that say what holds are: their operations, and their kinds of records.

#include <array>

#include "modules/holds/decide.hpp"
#include "modules/holds/holds.hpp"

namespace holdfast::holds {
namespace {

constexpr Bounds resource_name{.blank = Reason::resource_blank,
                               .size = Reason::resource_size,
                               .text = Reason::resource_text};
constexpr Bounds requester_name{.blank = Reason::requester_blank,
                                .size = Reason::requester_size,
                                .text = Reason::requester_text};

constexpr std::array placing_fields{
    parameter<&Placing::resource>({.name = "resource", .bounds = resource_name, .schema = "Name"}),
    parameter<&Placing::requester>({.name = "requester", .bounds = requester_name, .schema = "Name"}),
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
    parameter<&Declaring::capacity>({.name = "capacity",
                                 .bounds = {.range = Reason::capacity_bounds},
                                 .schema = "Quantity"})};

constexpr std::array placing_refusals{Rejection::invalid_request, Rejection::resource_unavailable};
constexpr std::array resolving_refusals{Rejection::not_known, Rejection::not_held,
                                        Rejection::window_elapsed};
constexpr std::array expiring_refusals{Rejection::not_known, Rejection::not_held,
                                       Rejection::window_not_elapsed};
constexpr std::array declaring_refusals{Rejection::invalid_request, Rejection::capacity_in_use};

/// Grace's window must release the binding: their tokens are not kept for ever.
constexpr Policy windowed{.token_class = TokenClass::i2_windowed};

constexpr std::array operation_rows{
    operation<Placing, Place>({.name = "hold.place",
                               .policy = windowed,
                               .fields = placing_fields,
                               .done = RecordKind::placed,
                               .refusals = placing_refusals,
                               .address = {"POST", "/v1/holds", false, 201}}),
    operation<Confirming, Confirm>({.name = "hold.confirm",
                                    .policy = windowed,
                                    .fields = hold_fields<Confirming>,
                                    .done = RecordKind::confirmed,
                                    .refusals = resolving_refusals,
                                    .address = {"POST", "/v1/holds/{id}/confirm"}}),
    operation<Releasing, Release>({.name = "hold.release",
                                   .policy = windowed,
                                   .fields = hold_fields<Releasing>,
                                   .done = RecordKind::released,
                                   .refusals = resolving_refusals,
                                   .address = {"POST", "/v1/holds/{id}/release"}}),
    operation<Expiring, Expire>({.name = "hold.expire",
                                 .policy = windowed,
                                 .fields = hold_fields<Expiring>,
                                 .done = RecordKind::expired,
                                 .refusals = expiring_refusals,
                                 .address = {"POST", "/v1/holds/{id}/expire"}}),
    operation<Declaring, Declare>({.name = "resource.declare",
                                   .fields = declaring_fields,
                                   .done = RecordKind::declared,
                                   .refusals = declaring_refusals,
                                   .address = {"PUT", "/v1/resources/{name}", true}})};

constexpr std::array kind_rows{
    KindRow{.kind = RecordKind::placed, .name = "placed", .event = "hold.placed"},
    KindRow{.kind = RecordKind::confirmed, .name = "confirmed", .event = "hold.confirmed"},
    KindRow{.kind = RecordKind::released, .name = "released", .event = "hold.released"},
    KindRow{.kind = RecordKind::expired, .name = "expired", .event = "hold.expired"},
    KindRow{.kind = RecordKind::declared, .name = "declared", .event = "resource.declared"}};

}  // namespace

constexpr Module module{
    .name = "holds", .operations = operation_rows, .kinds = kind_rows, .sweep = expire_lapsed};

}  // namespace holdfast::holds

#include "cli/change.hpp"

namespace holdfast::cli {
namespace {

constexpr std::array refusals{Rejection::not_known, Rejection::not_held, Rejection::window_elapsed,
                              Rejection::token_collision, Rejection::store_unavailable};

constexpr Lesson lesson{
    .summary = "Confirm a hold: the requester keeps the resource",
    .paragraph =
        "Possible while the hold is held and has not lapsed. A confirmed hold keeps its resource "
        "for\n"
        "good. Repeating the command with the same token answers as the first time, although the\n"
        "hold is no longer held; with a new token it is refused as not-held.",
    .examples =
        "  holdfast confirm h1-4c1f0a9be2d7731\n"
        "  holdfast confirm h1-4c1f0a9be2d7731 --token payment-4711 --json",
    .refusals = refusals,
    .remote = true};

}  // namespace

void add_confirm(Program& program) { add_resolution(program, "confirm", lesson, Command::confirm); }

}  // namespace holdfast::cli

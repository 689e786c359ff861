#include "cli/change.hpp"

namespace holdfast::cli {
namespace {

constexpr std::array refusals{Rejection::not_known, Rejection::not_held,
                              Rejection::window_not_elapsed, Rejection::token_collision,
                              Rejection::store_unavailable};

constexpr Lesson lesson{
    .summary = "Mark a lapsed hold as expired",
    .paragraph =
        "Possible from the very instant the hold expires, not before. There is seldom a need: a\n"
        "lapsed hold occupies nothing, placing on its resource expires it on the way, and a "
        "running\n"
        "engine sweeps the rest. Use it to have the record say so now.",
    .examples = "  holdfast expire h1-4c1f0a9be2d7731",
    .refusals = refusals,
    .remote = true};

}  // namespace

void add_expire(Program& program) { add_resolution(program, "expire", lesson, Command::expire); }

}  // namespace holdfast::cli

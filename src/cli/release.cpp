#include "cli/change.hpp"

namespace holdfast::cli {
namespace {

constexpr std::array refusals{Rejection::not_known, Rejection::not_held, Rejection::window_elapsed,
                              Rejection::token_collision, Rejection::store_unavailable};

constexpr Lesson lesson{
    .summary = "Release a hold: the resource is free again at once",
    .paragraph =
        "Possible while the hold is held and has not lapsed; a lapsed hold has freed its resource\n"
        "already. What a hold took is given back once, however often the command is repeated.",
    .examples =
        "  holdfast release h1-4c1f0a9be2d7731\n"
        "  holdfast release h1-4c1f0a9be2d7731 --token cancel-4711",
    .refusals = refusals,
    .remote = true};

}  // namespace

void add_release(Program& program) { add_resolution(program, "release", lesson, Command::release); }

}  // namespace holdfast::cli

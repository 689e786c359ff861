#pragma once

#include <string_view>

#include "domain/parameter.hpp"

/// The parameters that operations on leased work have in common, by the type of an operation's
/// parameters. What is a module's own are its words, and what it says of texts out of their bounds.
namespace holdfast::leased_work {

/// Of what names something.
[[nodiscard]] constexpr Bounds bounds_of_names(Reason text) {
  return {.blank = text, .size = text, .text = text, .count = Reason::lease_bounds};
}
/// Of what is said in passing.
[[nodiscard]] constexpr Bounds bounds_of_texts(Reason text) { return {.size = text, .text = text}; }

template <typename P>
[[nodiscard]] constexpr Parameter id_field(Bounds bounds, std::string_view help) {
  return parameter<&P::id>(
      {.name = "id", .position = Position::path, .bounds = bounds, .help = help});
}

template <typename P>
inline constexpr Parameter fence_field =
    parameter<&P::fence>({.name = "fence",
                          .bounds = {.range = Reason::lease_bounds, .least = 0},
                          .schema = "Fence",
                          .help = "The lease's fence"});

template <typename P>
[[nodiscard]] constexpr Parameter kinds_field(Bounds bounds, std::string_view schema,
                                              std::string_view help) {
  return parameter<&P::kinds>({.name = "kinds", .bounds = bounds, .schema = schema, .help = help});
}

template <typename P>
inline constexpr Parameter max_field = parameter<&P::max>({.name = "max",
                                                           .required = false,
                                                           .bounds = {.range = Reason::lease_bounds,
                                                                      .most = 1000},
                                                           .schema = "LeaseMax",
                                                           .help = "How many at most (1)"});

template <typename P>
inline constexpr Parameter lease_field =
    parameter<&P::lease>({.name = "lease",
                          .canonical = "lease_us",
                          .required = false,
                          .bounds = {.range = Reason::lease_bounds},
                          .schema = "Duration",
                          .help = "For how long (30s)"});

template <typename P>
[[nodiscard]] constexpr Parameter verdict_field(Bounds bounds, std::string_view schema,
                                                std::string_view help) {
  return parameter<&P::verdict>(
      {.name = "verdict", .required = false, .bounds = bounds, .schema = schema, .help = help});
}

template <typename P>
[[nodiscard]] constexpr Parameter error_field(Bounds bounds) {
  return parameter<&P::error>({.name = "error",
                               .type = ParameterType::text,
                               .required = false,
                               .bounds = bounds,
                               .schema = "CommandText",
                               .help = "What went wrong"});
}

template <typename P>
[[nodiscard]] constexpr Parameter result_field(std::string_view help) {
  return parameter<&P::result>({.name = "result",
                                .type = ParameterType::json,
                                .required = false,
                                .schema = "EffectResult",
                                .help = help});
}

}  // namespace holdfast::leased_work

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "effects/job.hpp"
#include "holdfast/types.hpp"

/// What a dispatcher says to the service. Pure.
namespace holdfast::effects {

/// Whose calls they are; the tenant is the effect's. Leases are of no one tenant: they are of the
/// engine's own, which has the same name.
inline constexpr std::string_view engine_principal = "holdfast";
inline constexpr std::string_view engine_tenant = "holdfast";

/// `effect.complete`, or `effect.fail` with the verdict.
[[nodiscard]] Command report_of(const Job& job, const Finding& finding);

/// The declared compensation of what the provider has under that id, with the arguments
/// `{"args":…,"command_id":…,"id":…}`; what is secret in `args` is left out. Its key follows from
/// the command's id and that one.
[[nodiscard]] Call compensation_of(const Job& job, std::string_view id,
                                   const commands::Registry& registry);

/// A compensation that was submitted, and how it stands: a status of commands, or `refused` if it
/// could not be submitted.
struct Compensated {
  std::string id{};
  std::string command_id{};
  std::string status{};
};
[[nodiscard]] Compensated compensated_in(const Answer& answer);

/// The outcome of a reconciliation: `{"answer":…,"kept":…,"undone":[…]}`, where `answer` is what
/// the provider said to the call itself, if anybody heard that.
[[nodiscard]] std::string reconciled_text(const Job& job, std::string_view kept,
                                          const std::vector<Compensated>& undone);

}  // namespace holdfast::effects

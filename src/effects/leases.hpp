#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "effects/job.hpp"
#include "modules/commands/secrets.hpp"

namespace holdfast::effects {

/// The effects in the answer to a lease, as they are recorded: what is secret is still sealed, and
/// no declaration is looked up. Nothing if that is no such answer.
[[nodiscard]] std::optional<std::vector<Job>> read_leases(std::string_view document);

/// Puts what is sealed of the job in clear: its key, and what is secret in its arguments. False if
/// that cannot be opened.
[[nodiscard]] bool open_arguments(Job& job, const commands::Sealer& sealer);

}  // namespace holdfast::effects

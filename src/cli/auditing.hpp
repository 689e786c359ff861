#pragma once

#include "cli/context.hpp"
#include "engine/auditing.hpp"

namespace holdfast::cli {

/// Judges a store's file, showing progress when that takes long.
[[nodiscard]] Result<Verdict> audit_store(Context& context, const std::string& path,
                                          const AuditWatch& watch = {});

/// A verdict as a server writes it; nothing if it is none, or speaks of other invariants.
[[nodiscard]] std::optional<Verdict> read_verdict(const std::string& body);

}  // namespace holdfast::cli

#pragma once

#include "cli/context.hpp"
#include "engine/auditing.hpp"

namespace holdfast::cli {

/// Judges a store's file, showing progress when that takes long.
[[nodiscard]] Result<Verdict> audit_store(Context& context, const std::string& path,
                                          const AuditWatch& watch = {});

}  // namespace holdfast::cli

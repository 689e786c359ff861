#pragma once

#include <string>
#include <string_view>

#include "domain/rules.hpp"
#include "holdfast/rejections.hpp"

/// The confirmation tokens of commands (IDS X). One is bound to a command's id, and with it to its
/// tenant and key, and expires. It is good for one execution: the command's row keeps it.
namespace holdfast::commands {

[[nodiscard]] std::string confirmation_token(std::string_view tenant, std::string_view id,
                                             Instant expires, const Rules& rules);

/// Why a token does not confirm a command now; `none`: it does.
[[nodiscard]] Reason objection_to(std::string_view token, std::string_view tenant,
                                  std::string_view id, Instant now, const Rules& rules);

}  // namespace holdfast::commands

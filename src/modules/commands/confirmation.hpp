#pragma once

#include <string>
#include <string_view>

#include "domain/rules.hpp"
#include "holdfast/rejections.hpp"

/// The confirmation tokens of commands (IDS X). One is bound to a command's id, and with it to its
/// tenant and key, and to its fingerprint, so that what runs is what was confirmed. It expires, and
/// is good for one execution: the command's row keeps it.
namespace holdfast::commands {

/// What a token confirms.
struct ToConfirm {
  std::string_view tenant;
  std::string_view id;
  std::string_view fingerprint;  ///< hexadecimal; empty: whichever the token is for
};

[[nodiscard]] std::string confirmation_token(const ToConfirm& what, Instant expires,
                                             const Rules& rules);

/// Why a token does not confirm a command now; `none`: it does.
[[nodiscard]] Reason objection_to(std::string_view token, const ToConfirm& what, Instant now,
                                  const Rules& rules);

}  // namespace holdfast::commands

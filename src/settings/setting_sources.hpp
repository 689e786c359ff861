#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "settings/setting.hpp"

/// Where values of settings come from. A source gives values in the order in which later ones win;
/// what it does not understand it adds to `errors`, a line each.
namespace holdfast::http {

/// How a value was written. In files numbers and truths are not in quotes; elsewhere all is words.
enum class Form : std::uint8_t { words, string, integer, boolean, other };

struct Given {
  const Setting* setting;
  Form form;
  std::string text;  ///< the value; of `other`, what it is: `an array`
  std::string from;  ///< `holdfast.toml:3:10`, `HOLDFAST_LISTEN`, `--listen`
};

using Errors = std::vector<std::string>;
using NamedValues = std::vector<std::pair<std::string, std::string>>;

/// A longer file is refused. The parser follows nested tables by recursion: as many as fit into
/// this do not use up the stack.
inline constexpr std::size_t toml_bytes_max = std::size_t{32} * 1024;

/// The settings of a TOML text; `file` is its name in messages.
[[nodiscard]] std::vector<Given> given_by_toml(std::string_view text, const std::string& file,
                                               Errors& errors);

/// Those of the variables that begin with `HOLDFAST_`. Empty ones count as not set.
[[nodiscard]] std::vector<Given> given_by_environment(const NamedValues& environment,
                                                      Errors& errors);

/// Flags by name, without the dashes.
[[nodiscard]] std::vector<Given> given_by_flags(const NamedValues& flags, Errors& errors);

/// `lisen is not a setting; did you mean listen?`, or why there is no such setting.
[[nodiscard]] std::string unknown_name(std::string_view what, std::string_view name,
                                       const std::vector<std::string>& known);

}  // namespace holdfast::http

#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <utility>
#include <vector>

#include "settings/setting.hpp"
#include "settings/setting_sources.hpp"
#include "settings/settings.hpp"

/// From a file, the environment and the command line to `Settings`: each may set everything, and
/// the later of the three wins. Whatever is wrong anywhere is reported together, a line each, with
/// where it came from and what is allowed; a name that is not known is an error with the nearest
/// one that is. Nothing is ever ignored.
namespace holdfast::http {

struct Sources {
  std::string file{};         ///< of `--config`; empty: what `HOLDFAST_CONFIG` names, else no file
  NamedValues environment{};  ///< those that do not begin with `HOLDFAST_` are none of our business
  NamedValues flags{};        ///< names without the dashes; of two with one name, the last wins
};

/// A setting, its value in words and where that came from.
struct Effective {
  const Setting* setting;
  std::string value;  ///< empty: none, which means `setting->unset`
  std::string from;   ///< `default`, `holdfast.toml:3:10`, `HOLDFAST_LISTEN`, `--listen`
};

struct Configuration {
  Settings settings{};
  std::vector<Effective> effective{};  ///< every setting, in the order of the table
};

/// Reads at most the one file. Safe from any thread.
[[nodiscard]] tl::expected<Configuration, Errors> configure(const Sources& sources);

/// The same with the text of a file in place of the file.
[[nodiscard]] tl::expected<Configuration, Errors> configure_from(std::string_view toml,
                                                                 const std::string& file_name,
                                                                 const Sources& sources);

/// The variables of this process that begin with `HOLDFAST_`.
[[nodiscard]] NamedValues process_environment();

/// The table of settings as Markdown, for the reference.
[[nodiscard]] std::string settings_reference();

}  // namespace holdfast::http

#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/percent.hpp"

/// The address of a request.
namespace holdfast::http {

/// What is before the question mark, as sent.
[[nodiscard]] std::string_view path_of(std::string_view target);

struct QueryItem {
  std::string name;
  std::string value;
};

struct Target {
  std::vector<std::string_view> segments;  ///< of the path, still encoded; `/` has none
  std::vector<QueryItem> query;
};

/// Cuts a target into its parts. Nothing if it is not an absolute path with well-formed escapes in
/// its query. The views are of `target`.
[[nodiscard]] std::optional<Target> parse_target(std::string_view target);

}  // namespace holdfast::http

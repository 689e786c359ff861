#pragma once

#include <boost/container/small_vector.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/percent.hpp"

/// The address of a request.
namespace holdfast::http {

/// A target as servers are sent it, and as proxies are: RFC 9112, 3.2.2, has servers take both.
struct TargetForm {
  std::string_view authority{};  ///< of `http://authority/…`; empty for a plain path
  std::string_view path;         ///< with its query
};
[[nodiscard]] TargetForm form_of(std::string_view target);

/// What is before the question mark, as sent.
[[nodiscard]] std::string_view path_of(std::string_view target);

struct QueryItem {
  std::string name;
  std::string value;
};

/// Parts of a path, still encoded; `/` has none.
using Segments = boost::container::small_vector<std::string_view, 8>;

struct Target {
  Segments segments;
  std::vector<QueryItem> query;
};

/// Cuts a target into its parts. Nothing if it is not an absolute path with well-formed escapes in
/// its query. The views are of `target`.
[[nodiscard]] std::optional<Target> parse_target(std::string_view target);

}  // namespace holdfast::http

#pragma once

#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "keys/keys.hpp"

/// Keys as the text of their file: JSON, a key a line.
namespace holdfast::http {

/// Texts in the keys must be valid UTF-8, as `KeyFile::create` sees to.
[[nodiscard]] std::string text_of_keys(const std::vector<Key>& keys);

/// The keys, in the order of the file, or why it makes no sense and where. What this version does
/// not know is refused: a file that is read in part would be written back in part.
[[nodiscard]] tl::expected<std::vector<Key>, std::string> parse_keys(std::string_view text);

}  // namespace holdfast::http

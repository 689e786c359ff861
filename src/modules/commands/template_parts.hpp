#pragma once

#include <string>
#include <string_view>
#include <tl/expected.hpp>

#include "modules/commands/template.hpp"

/// The parts of a request, each with its own rules: how its template is read and how values are
/// written into it. Errors are sentences.
namespace holdfast::commands {

using PiecesRead = tl::expected<TemplatePieces, std::string>;
using PartMade = tl::expected<std::string, std::string>;

[[nodiscard]] PiecesRead parse_url(std::string_view text);
[[nodiscard]] PartMade render_url(const TemplatePieces& pieces, Fields& fields,
                                  std::size_t bytes_max);

[[nodiscard]] PiecesRead parse_header(std::string_view text);
[[nodiscard]] PartMade render_header(const TemplatePieces& pieces, Fields& fields,
                                     std::size_t bytes_max);

/// JSON, but for its placeholders.
[[nodiscard]] PiecesRead parse_body(std::string_view text);
[[nodiscard]] PartMade render_body(const TemplatePieces& pieces, Fields& fields,
                                   std::size_t bytes_max);

/// Cuts a text into pieces at every `{`.
[[nodiscard]] PiecesRead parse_pieces(std::string_view text);
/// The text of a value; refused if it is `null`, an object or an array.
[[nodiscard]] PartMade plain_text(const Placeholder& placeholder, Fields& fields);
[[nodiscard]] tl::unexpected<std::string> too_long(std::size_t bytes_max);

}  // namespace holdfast::commands

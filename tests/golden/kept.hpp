#pragma once

#include <string>
#include <string_view>

namespace holdfast::test {

/// What a kept text is compared by, and what is shown of it when it differs.
enum class Piece : std::uint8_t {
  line,
  paragraph,  ///< up to the next empty line
};

/// Fails the test unless the text is, byte for byte, the one that is kept in tests/golden/kept
/// under that name. Names that end with `.gz` are compressed there. The failure names the first
/// piece that differs and shows both; the whole text is left beside the build for `diff`.
///
/// With HOLDFAST_GOLDEN_RECORD in the environment, the text is kept instead.
void expect_as_kept(const std::string& name, std::string_view text, Piece piece = Piece::line);

/// What is kept under that name. Throws if nothing is.
[[nodiscard]] std::string kept_text(const std::string& name);
[[nodiscard]] bool is_kept(const std::string& name);

/// Whether texts are being kept and not compared.
[[nodiscard]] bool recording();

}  // namespace holdfast::test

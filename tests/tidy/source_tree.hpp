#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::tidy {

struct SourceFile {
  std::string path;  ///< relative to the root, with forward slashes
  std::string text;
};

using SourceTree = std::vector<SourceFile>;

/// Everything we write and keep under `root`: code, build files, documentation.
[[nodiscard]] SourceTree load_tree(const std::filesystem::path& root);

[[nodiscard]] bool is_header(const SourceFile& file);
[[nodiscard]] bool is_code(const SourceFile& file);

[[nodiscard]] std::vector<std::string_view> lines_of(std::string_view text);

/// The text with comments and the insides of literals blanked out, line by line the same shape,
/// so that a rule about code is not tripped by prose.
[[nodiscard]] std::string code_only(std::string_view text);

struct Include {
  std::size_t line;
  std::string name;  ///< as written
  bool quoted;
};

[[nodiscard]] std::vector<Include> includes_of(const SourceFile& file);

/// The file of ours that an include means, relative to the root; empty for other people's headers.
[[nodiscard]] std::string resolve(const SourceTree& tree, const SourceFile& from,
                                  const Include& include);

}  // namespace holdfast::tidy

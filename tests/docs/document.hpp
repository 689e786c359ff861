#pragma once

#include <string>
#include <vector>

#include "domain/invariants.hpp"

/// Markdown documents, as far as the tests look into them.
namespace holdfast::test {

/// A fenced block, with the comment on the line before its fence, if there is one.
struct Block {
  std::string language;
  std::string comment;  ///< `<!-- run: tour -->` gives `run: tour`
  std::string text;
  std::size_t line = 0;
};

[[nodiscard]] std::string read_source_file(const std::string& path);
[[nodiscard]] std::vector<Block> blocks_of(const std::string& path);
/// Every document of the project, relative to its root.
[[nodiscard]] std::vector<std::string> all_documents();

/// The invariants of the core, and those of the modules that the documents speak of.
[[nodiscard]] std::vector<InvariantRow> documented_invariants();

}  // namespace holdfast::test

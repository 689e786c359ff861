#include "docs/document.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "domain/module.hpp"
#include "support/paths.hpp"

namespace holdfast::test {
namespace fs = std::filesystem;

std::string read_source_file(const std::string& path) {
  std::ifstream file(fs::path(HOLDFAST_SOURCE_DIR) / path);
  EXPECT_TRUE(file) << path << " is not there";
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::vector<Block> blocks_of(const std::string& path) {
  std::vector<Block> blocks;
  std::istringstream lines(read_source_file(path));
  std::string line;
  std::string before;
  bool inside = false;
  for (std::size_t number = 1; std::getline(lines, line); ++number) {
    const bool fence = line.starts_with("```");
    if (fence && !inside) {
      blocks.push_back({.language = line.substr(3), .comment = {}, .text = {}, .line = number});
      if (before.starts_with("<!-- ") && before.ends_with(" -->")) {
        blocks.back().comment = before.substr(5, before.size() - 9);
      }
    } else if (inside && !fence) {
      blocks.back().text += line + '\n';
    }
    inside = fence ? !inside : inside;
    before = line;
  }
  return blocks;
}

std::vector<std::string> all_documents() {
  const fs::path root(HOLDFAST_SOURCE_DIR);
  std::vector<std::string> documents;
  for (const auto& file : fs::directory_iterator(root)) {
    if (file.path().extension() == ".md") documents.push_back(file.path().filename());
  }
  for (const auto& file : fs::recursive_directory_iterator(root / "docs")) {
    if (file.path().extension() == ".md") documents.push_back(fs::relative(file.path(), root));
  }
  return documents;
}

std::vector<InvariantRow> documented_invariants() {
  std::vector<InvariantRow> all(invariant_table.begin(), invariant_table.end());
  for (const Module* each : modules())
    all.insert(all.end(), each->invariants.begin(), each->invariants.end());
  return all;
}

}  // namespace holdfast::test

// Invariants are worded in one place; whoever repeats the words repeats these.

#include "domain/invariants.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <regex>

#include "docs/document.hpp"
#include "domain/module.hpp"
#include "support/paths.hpp"

namespace holdfast::test {
namespace {

namespace fs = std::filesystem;

/// What a text says of invariants, by id: whatever `pattern` finds, an id and its words.
std::map<std::string, std::string> worded_in(const std::string& text, const char* pattern) {
  std::map<std::string, std::string> found;
  const std::regex wording(pattern, std::regex::ECMAScript | std::regex::multiline);
  for (std::sregex_iterator each(text.begin(), text.end(), wording), end; each != end; ++each)
    EXPECT_TRUE(found.emplace((*each)[1], (*each)[2]).second) << (*each)[1] << " twice";
  return found;
}

void expect_the_tables_words(const std::map<std::string, std::string>& found,
                             std::span<const InvariantRow> table) {
  EXPECT_EQ(found.size(), table.size());
  for (const InvariantRow& each : table) {
    const auto words = found.find(std::string(each.id));
    ASSERT_NE(words, found.end()) << each.id;
    EXPECT_EQ(words->second, each.statement) << each.id;
  }
}

TEST(Docs, invariants_are_in_the_reference_in_their_own_words) {
  expect_the_tables_words(
      worded_in(read_source_file("docs/audit.md"), R"(^\| ([A-Z]+-[0-9]+) \| ([^|]+) \|)"),
      documented_invariants());
}

TEST(Docs, audit_views_are_introduced_by_their_invariants) {
  expect_the_tables_words(
      worded_in(read_source_file("src/store/audit_views.cpp"), R"(^-- ([A-Z]+-[0-9]+): (.+)\.$)"),
      invariant_table);
  for (const Module* each : modules()) {
    if (each->views.empty()) continue;
    expect_the_tables_words(worded_in(std::string(each->views), R"(^-- ([A-Z]+-[0-9]+): (.+)\.$)"),
                            each->invariants);
  }
}

/// Headers refer to invariants by id. A second wording would differ from the first one day.
TEST(Docs, invariants_are_worded_once) {
  for (const auto& each : fs::recursive_directory_iterator(fs::path(HOLDFAST_SOURCE_DIR) / "src")) {
    if (each.path().extension() != ".hpp" || each.path().filename() == "invariants.hpp") continue;
    const std::string file = fs::relative(each.path(), HOLDFAST_SOURCE_DIR).string();
    for (const auto& [id, words] :
         worded_in(read_source_file(file), R"(^\s*//+ +([A-Z]+-[0-9]+):? +([a-z].*)$)")) {
      for (const InvariantRow& row : documented_invariants())
        EXPECT_NE(row.id, id) << file << " words it anew: " << words;
    }
  }
}

}  // namespace
}  // namespace holdfast::test

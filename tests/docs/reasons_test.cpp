// The reference of reasons is what the table says.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <string_view>

#include "docs/document.hpp"
#include "holdfast/rejections.hpp"

namespace holdfast::test {
namespace {

TEST(Docs, reasons_are_in_the_reference) {
  std::string wanted = "| `reason` | means |\n| --- | --- |\n";
  for (const ReasonRow& each : reason_table) {
    if (each.id != Reason::none) wanted += fmt::format("| `{}` | {} |\n", each.name, each.text);
  }
  EXPECT_NE(read_source_file("docs/http.md").find("\n" + wanted + "\n"), std::string::npos)
      << "the table in docs/http.md should be:\n"
      << wanted;
}

/// Those that say no effect are named one by one.
TEST(Docs, refusals_that_are_outcomes_are_in_the_reference) {
  const std::string text = read_source_file("docs/http.md");
  const std::size_t begin = text.find("all but `invalid-request`");
  ASSERT_NE(begin, std::string::npos);
  const std::string list = text.substr(begin, text.find("`unknown`", begin) - begin);
  std::map<std::string_view, bool> outcomes;  // by code, which several may share
  for (const RejectionRow& each : rejection_table)
    outcomes[each.code] |= each.recorded != Recorded::never;
  for (const auto& [code, is_outcome] : outcomes) {
    const bool named = list.find(fmt::format("`{}`", code)) != std::string::npos;
    EXPECT_EQ(named, is_outcome) << code;
  }
}

}  // namespace
}  // namespace holdfast::test

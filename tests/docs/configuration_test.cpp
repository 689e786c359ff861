// The reference of settings is what the program's own table says.

#include "settings/configuration.hpp"

#include <gtest/gtest.h>

#include "docs/document.hpp"

namespace holdfast::test {
namespace {

TEST(Docs, settings_are_in_the_reference) {
  const std::string wanted = http::settings_reference();
  EXPECT_NE(read_source_file("docs/configuration.md").find("\n" + wanted + "\n"), std::string::npos)
      << "the table in docs/configuration.md should be:\n"
      << wanted;
}

TEST(Docs, the_example_file_is_right) {
  std::size_t examples = 0;
  for (const Block& block : blocks_of("docs/configuration.md")) {
    if (block.language != "toml") continue;
    const auto configuration = http::configure_from(block.text, "docs/configuration.md", {});
    EXPECT_TRUE(configuration) << configuration.error().front();
    ++examples;
  }
  EXPECT_GT(examples, 0U);
}

}  // namespace
}  // namespace holdfast::test

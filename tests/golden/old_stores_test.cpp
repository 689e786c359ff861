// Stores that earlier versions made, upgraded: every token gives its first answer again, byte for
// byte; what was signed then is still so; nothing is wrong with any record.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "holdfast/holdfast.hpp"
#include "support/command.hpp"
#include "support/journals/journal_file.hpp"
#include "support/old_stores.hpp"
#include "support/servers/sql_connection.hpp"
#include "support/temp_dir.hpp"

namespace holdfast::test {

void PrintTo(const OldStoreName& name, std::ostream* out) { *out << text_of(name); }

namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;

class OldStores : public ::testing::TestWithParam<OldStoreName> {
 protected:
  [[nodiscard]] Holdfast open_it() const {
    auto opened = open({.store = old_.store(), .sweep_every = Duration::zero()});
    if (!opened) throw std::runtime_error(opened.error().message);
    return std::move(*opened);
  }
  void upgrade() const {
    const CommandOutput done = run_holdfast("store upgrade --store '" + old_.store() + "'");
    EXPECT_EQ(done.exit_code, 0) << done.text;
    EXPECT_THAT(done.text, HasSubstr("upgraded from schema 2 to schema 3"));
  }
  void expect_clean() const {
    const CommandOutput audit = run_holdfast("audit --store '" + old_.store() + "'");
    EXPECT_EQ(audit.exit_code, 0) << audit.text;
    EXPECT_THAT(audit.text, HasSubstr("unbroken"));
    for (const std::string& view : audit_views())
      EXPECT_EQ(ask("SELECT count(*) FROM " + view), "0") << view;
  }

  /// The first column of every row, a line each.
  [[nodiscard]] std::string ask(const std::string& sql) const {
    std::string text;
    const bool file = GetParam().engine == "sqlite";
    const auto rows =
        file ? JournalFile(old_.store()).rows(sql) : SqlConnection(old_.store()).execute(sql);
    for (const auto& row : rows) text += (text.empty() ? "" : "\n") + row.at(0);
    return text;
  }
  [[nodiscard]] std::vector<std::string> audit_views() const {
    const bool file = GetParam().engine == "sqlite";
    std::istringstream names(
        ask(file ? "SELECT name FROM sqlite_master WHERE type = 'view' AND "
                   "name LIKE 'audit!_%' ESCAPE '!'"
                 : "SELECT table_name FROM information_schema.views WHERE "
                   "table_name LIKE 'audit!_%' ESCAPE '!'" +
                       std::string(GetParam().engine == "mariadb" ? " AND table_schema = database()"
                                                                  : "")));
    std::vector<std::string> views;
    for (std::string name; names >> name;) views.push_back(name);
    EXPECT_GE(views.size(), 25U);
    return views;
  }

  const OldStore old_{GetParam()};
};
INSTANTIATE_TEST_SUITE_P(of, OldStores, ::testing::ValuesIn(old_stores()),
                         [](const auto& name) { return text_of(name.param); });

TEST_P(OldStores, repeat_every_answer_byte_for_byte) {
  upgrade();
  expect_clean();
  EXPECT_THAT(answered_otherwise(old_), IsEmpty());
  (void)open_it().sweep();
  expect_clean();
}

/// What was first answered before is answered so by a copy, too.
TEST_P(OldStores, repeat_every_answer_from_a_copy) {
  upgrade();
  const TempDir folder;
  const std::string copy = folder.file("copy.db");
  const CommandOutput copied =
      run_holdfast(fmt::format("store copy '{}' '{}'", old_.store(), copy));
  ASSERT_EQ(copied.exit_code, 0) << copied.text;
  EXPECT_THAT(answered_otherwise(old_, copy), IsEmpty());
}

/// Nobody upgrades a store who was not asked to.
TEST_P(OldStores, are_opened_by_nobody_before_they_are_upgraded) {
  for (const char* const command :
       {"list --store '{}'", "audit --store '{}'", "store init --store '{}'",
        "evidence head --store '{}' --evidence-key '{}'"}) {
    const CommandOutput refused =
        run_holdfast(fmt::format(fmt::runtime(command), old_.store(), old_.signing_key()));
    EXPECT_EQ(refused.exit_code, 1) << command;
    EXPECT_THAT(refused.text, AllOf(HasSubstr("schema 2"), HasSubstr("holdfast store upgrade")));
  }
  const CommandOutput status = run_holdfast("store status --store '" + old_.store() + "'");
  EXPECT_EQ(status.exit_code, 1) << status.text;
  EXPECT_THAT(status.text, HasSubstr("2 (this program: 3)"));
  upgrade();
}

std::vector<std::string> leaves_in(const std::string& file) {
  std::vector<std::string> leaves;
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    if (!line.starts_with(R"({"head":)")) leaves.push_back(line);
  }
  return leaves;
}

/// Life goes on, and heads of then are heads of the beginning.
TEST_P(OldStores, go_on_and_prove_what_was_signed) {
  const auto verify = [&](const std::string& file, const std::string& head) {
    const CommandOutput verified = run_holdfast(fmt::format(
        "evidence verify '{}' --public-key '{}' --head '{}'", file, old_.public_key(), head));
    EXPECT_EQ(verified.exit_code, 0) << verified.text;
  };
  ASSERT_GE(old_.heads().size(), 4U);
  upgrade();
  verify(old_.exported(), old_.heads().back());

  {
    Holdfast holdfast = open_it();
    const Answer placed = holdfast.place(
        {.resource = "new room", .requester = "new guest", .duration = std::chrono::hours(1)},
        Token("new token"));
    ASSERT_TRUE(placed.ok()) << placed.text();
    EXPECT_TRUE(holdfast.confirm(placed.hold->id, Token("another")).ok());
    EXPECT_TRUE(holdfast.declare("new room", 3, Token("a third")).ok());
  }
  expect_clean();

  const std::string again = old_.exported() + "-again";
  const CommandOutput exported = run_holdfast(
      fmt::format("evidence export --tokens --store '{}' --evidence-key '{}' --out '{}'",
                  old_.store(), old_.signing_key(), again));
  ASSERT_EQ(exported.exit_code, 0) << exported.text;
  for (const std::string& head : old_.heads()) verify(again, head);
  const std::vector<std::string> then = leaves_in(old_.exported());
  const std::vector<std::string> now = leaves_in(again);
  ASSERT_EQ(then.size(), old_.records());
  ASSERT_EQ(now.size(), then.size() + 3);
  for (std::size_t i = 0; i < then.size(); ++i) ASSERT_EQ(now[i], then[i]);
}

}  // namespace
}  // namespace holdfast::test

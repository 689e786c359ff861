// Stores that earlier versions made: every token gives its first answer again, byte for byte; what
// was signed then is still so; nothing is wrong with any record.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <regex>
#include <sstream>

#include "holdfast/holdfast.hpp"
#include "support/command.hpp"
#include "support/journals/journal_file.hpp"
#include "support/old_stores.hpp"
#include "support/servers/sql_connection.hpp"
#include "wire/body.hpp"

namespace holdfast::test {

void PrintTo(const OldStoreName& name, std::ostream* out) { *out << text_of(name); }

namespace {

using testing::HasSubstr;

class OldStores : public ::testing::TestWithParam<OldStoreName> {
 protected:
  [[nodiscard]] Holdfast open_it() const {
    auto opened = open({.store = old_.store(), .sweep_every = Duration::zero()});
    if (!opened) throw std::runtime_error(opened.error().message);
    return std::move(*opened);
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

/// A refusal as `invalid-request` says its reason since these stores were made. Nothing else of an
/// answer may differ.
std::string as_then(const std::string& body) {
  static const std::regex reason(R"re(,"reason":"[a-z-]+")re");
  return std::regex_replace(body, reason, "");
}

TEST_P(OldStores, repeat_every_answer_byte_for_byte) {
  expect_clean();
  std::size_t repeated = 0;
  {
    Holdfast holdfast = open_it();
    ASSERT_EQ(holdfast.counts().records, old_.records());
    const Counts before = holdfast.counts();
    std::vector<Call> calls;
    for (const KeptAnswer& kept : old_.answers()) calls.push_back(call_of(kept.call));
    const std::vector<Answer> answers = holdfast.submit(std::move(calls));
    for (std::size_t i = 0; i < answers.size(); ++i) {
      const KeptAnswer& kept = old_.answers()[i];
      const Answer& answer = answers[i];
      EXPECT_EQ(as_then(answer_body(answer)), kept.body) << json_of(kept.call);
      EXPECT_EQ(http_status(answer), kept.status) << json_of(kept.call);
      EXPECT_EQ(answer.replayed, !kept.collision) << json_of(kept.call);
      if (!kept.collision) ++repeated;
    }
    const Counts after = holdfast.counts();
    EXPECT_EQ(after.holds, before.holds);
    EXPECT_EQ(after.live_holds, before.live_holds);
    EXPECT_EQ(after.resources, before.resources);
    EXPECT_EQ(after.live_tokens, before.live_tokens);
    EXPECT_EQ(before.live_tokens, repeated) << "the answers are those of all tokens";
    (void)holdfast.sweep();
  }
  expect_clean();
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

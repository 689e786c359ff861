// What an auditor reads of commands from evidence alone, whichever store it is: whether a request
// was executed or replayed, the original command and its key, the decision, and the outcome that
// was returned.

#include <gmock/gmock.h>

#include <map>

#include "evidence/export.hpp"
#include "evidence/verify.hpp"
#include "schema/schema.hpp"
#include "support/json.hpp"
#include "support/stores/command_test.hpp"
#include "support/stores/service_test.hpp"

namespace holdfast::test {
namespace {

using commands::Shield;
using testing::HasSubstr;

/// What is known of one request.
struct Finding {
  std::string decision{};
  std::string command_id{};  ///< the original's
  std::string key_hash{};
  std::string status{};   ///< that was returned
  std::string outcome{};  ///< likewise, as JSON; empty: none yet
  std::string digest{};
  std::string digest_on_record{};

  friend bool operator==(const Finding&, const Finding&) = default;
  friend void PrintTo(const Finding& finding, std::ostream* out) {
    *out << finding.decision << " " << finding.command_id << " " << finding.status << " "
         << finding.outcome;
  }
};

/// Reads an export, and nothing else.
class Auditor {
 public:
  explicit Auditor(const std::vector<std::string>& lines) {
    for (const std::string& line : lines) {
      const Json json(line);
      if (!json.has("/leaf")) continue;
      const std::string leaf = json.raw("/leaf");
      leaves_.emplace(Json(leaf).number("/seq"), leaf);
    }
  }

  /// One for each request of a command, in their order.
  [[nodiscard]] std::vector<Finding> findings() const {
    std::vector<Finding> all;
    for (const auto& [seq, text] : leaves_) {
      const Json leaf(text);
      const bool submits = leaf.has("/operation") && leaf.text("/operation") == "command.submit";
      if (submits) all.push_back(finding(seq, leaf));
    }
    return all;
  }

 private:
  [[nodiscard]] Finding finding(std::int64_t seq, const Json& leaf) const {
    Finding found{.decision = leaf.text("/decision"), .key_hash = leaf.text("/token_hash")};
    found.digest = leaf.text("/digest");
    if (leaf.has("/digest_on_record")) found.digest_on_record = leaf.text("/digest_on_record");
    const Json original(found.decision == "first_seen" ? leaf.raw("")
                                                       : leaves_.at(leaf.number("/ref")));
    EXPECT_EQ(original.text("/decision"), "first_seen");
    EXPECT_EQ(original.text("/token_hash"), found.key_hash);
    found.command_id = original.text("/detail/id");
    found.status = original.text("/detail/record/status");
    if (original.has("/detail/record/outcome"))
      found.outcome = original.raw("/detail/record/outcome");
    settle(found, seq);
    return found;
  }

  /// What had become of the command by then.
  void settle(Finding& found, std::int64_t seq) const {
    for (const auto& [at, text] : leaves_) {
      if (at > seq) return;
      const Json leaf(text);
      if (leaf.text("/kind") != "command.settled") continue;
      if (leaf.text("/detail/id") != found.command_id) continue;
      found.status = leaf.text("/detail/ended");
      found.outcome = leaf.raw("/detail/outcome");
    }
  }

  std::map<std::int64_t, std::string> leaves_;
};

class CommandEvidence : public CommandTest {
 protected:
  inline static const Submitting written{
      .entity = "note", .action = "write", .args = R"({"text":"hello"})"};
  inline static const Submitting other{
      .entity = "note", .action = "write", .args = R"({"text":"bye"})"};
  inline static const Submitting unfit{
      .entity = "note", .action = "write", .args = R"({"tex":"hello"})"};
  inline static const Submitting shipped{
      .entity = "parcel", .action = "ship", .args = R"({"to":"Kiel"})"};

  void SetUp() override {
    StoreTest::SetUp();
    commands::Declaration strict = declared("note", "write");
    strict.args = *schema::Schema::compile(R"({"type":"object","required":["text"]})");
    declare({strict, pulled("parcel", "ship", Shield::s1)});
  }

  [[nodiscard]] std::vector<std::string> exported() {
    std::vector<std::string> lines;
    auto reader = read_records(harness().name());
    EXPECT_TRUE(reader);
    const auto head = evidence::export_evidence(
        **reader, [&] { return read_records(harness().name()); }, key_, harness().now(), {},
        [&](std::string_view line) {
          lines.emplace_back(line.substr(0, line.size() - 1));
          return true;
        });
    EXPECT_TRUE(head);
    return lines;
  }

  [[nodiscard]] evidence::Verification verify(const std::vector<std::string>& lines) const {
    evidence::Verifier verifier(key_.public_key(), {});
    for (const std::string& each : lines) {
      if (!verifier.line(each)) break;
    }
    return verifier.finish();
  }

  /// Submits, and notes what an auditor must find of it.
  Answer note_down(const Submitting& what, const std::string& key, const std::string& decision) {
    Answer answer = submit(what, key);
    told_.push_back({.decision = decision,
                     .command_id = id_of(answer),
                     .key_hash = sha256(key).hex(),
                     .status = text_in(answer.document, "status")});
    const Json document(answer.document);
    const bool has_ended = document.has("/outcome") && !document.is_null("/outcome");
    if (has_ended) told_.back().outcome = document.raw("/outcome");
    return answer;
  }

  const evidence::SigningKey key_ = evidence::SigningKey::fresh();
  std::vector<Finding> told_;
};
HOLDFAST_ON_EVERY_STORE(CommandEvidence);

TEST_P(CommandEvidence, tells_an_auditor_everything_by_itself) {
  if (!harness().persistent()) GTEST_SKIP() << "only its own process could export it";
  note_down(written, "a", "first_seen");
  note_down(written, "a", "duplicate_replayed");
  note_down(unfit, "b", "first_seen");
  note_down(unfit, "b", "duplicate_replayed");
  const Answer accepted = note_down(shipped, "c", "first_seen");
  note_down(shipped, "c", "duplicate_replayed");
  lease();
  EXPECT_THAT(run(Completing{.id = id_of(accepted), .fence = 1, .result = R"({"tracking":"T1"})"}),
              done());
  note_down(shipped, "c", "duplicate_replayed");
  EXPECT_EQ(told_.back().status, "executed");
  EXPECT_EQ(told_.back().outcome, R"({"tracking":"T1"})");
  EXPECT_EQ(told_[4].status, "in_progress");
  EXPECT_EQ(told_[2].status, "rejected");

  const std::vector<std::string> lines = exported();
  EXPECT_TRUE(verify(lines).holds());
  std::vector<Finding> found = Auditor(lines).findings();
  for (Finding& each : found) {
    EXPECT_EQ(each.digest.size(), 64U);
    EXPECT_EQ(each.digest_on_record, "") << "nothing collided";
    each.digest.clear();
  }
  EXPECT_EQ(found, told_);
}

TEST_P(CommandEvidence, has_both_fingerprints_of_a_conflict_and_the_original_command) {
  if (!harness().persistent()) GTEST_SKIP() << "only its own process could export it";
  const Answer first = submit(written, "a");
  EXPECT_THAT(submit(other, "a"), conflicts());
  EXPECT_THAT(submit(shipped, "a"), conflicts());
  const std::vector<std::string> lines = exported();
  EXPECT_TRUE(verify(lines).holds());
  const std::vector<Finding> found = Auditor(lines).findings();
  ASSERT_EQ(found.size(), 3U);
  for (std::size_t i = 1; i < found.size(); ++i) {
    EXPECT_EQ(found[i].decision, "conflict_rejected");
    EXPECT_EQ(found[i].command_id, id_of(first)) << "whose the key is";
    EXPECT_EQ(found[i].key_hash, sha256("a").hex());
    EXPECT_EQ(found[i].digest_on_record, found[0].digest);
    EXPECT_NE(found[i].digest, found[0].digest);
  }
  EXPECT_NE(found[1].digest, found[2].digest);
}

/// Whatever is accepted can be proved: the deepest arguments, and the longest.
TEST_P(CommandEvidence, verifies_whatever_is_accepted) {
  if (!harness().persistent()) GTEST_SKIP() << "only its own process could export it";
  std::string deep = R"({"a":)";
  for (int i = 0; i < 30; ++i) deep += '[';
  for (int i = 0; i < 30; ++i) deep += ']';
  Submitting what = shipped;
  what.args = deep + '}';
  EXPECT_THAT(submit(what, "deep"), done());
  what.args = R"({"a":")" + std::string((std::size_t{200} << 10U) - 8, 'x') + R"("})";
  EXPECT_THAT(submit(what, "long"), done());
  what.args.insert(6, "x");
  EXPECT_THAT(submit(what, "longer"), invalid(Reason::command_text));
  const Answer leased = lease();
  EXPECT_THAT(run(Completing{.id = id_of(leased),
                             .fence = 1,
                             .result = R"({"a":")" + std::string(200'000, 'y') + R"("})"}),
              done());
  EXPECT_TRUE(verify(exported()).holds());
}

/// What a forger would change of that is found.
TEST_P(CommandEvidence, cannot_be_changed_without_being_found_out) {
  if (!harness().persistent()) GTEST_SKIP() << "only its own process could export it";
  submit(written, "a");
  submit(written, "a");
  submit(other, "a");
  const Answer accepted = submit(shipped, "c");
  lease();
  EXPECT_THAT(run(Completing{.id = id_of(accepted), .fence = 1, .result = R"({"n":1})"}), done());
  const std::vector<std::string> honest = exported();
  for (const auto& [truth, lie] : std::vector<std::pair<std::string, std::string>>{
           {"duplicate_replayed", "first_seen"},
           {"conflict_rejected", "duplicate_replayed"},
           {R"("ref":1)", R"("ref":2)"},
           {R"("outcome":{"n":1})", R"("outcome":{"n":2})"},
           {R"("ended":"executed")", R"("ended":"failed")"},
           {"\"id\":\"" + id_of(accepted), "\"id\":\"" + id_of(accepted) + "0"},
           {sha256("a").hex(), sha256("b").hex()}}) {
    std::vector<std::string> lines = honest;
    for (std::string& each : lines) {
      const std::size_t at = each.find(truth);
      if (at == std::string::npos) continue;
      each.replace(at, truth.size(), lie);
      break;
    }
    EXPECT_NE(lines, honest) << truth;
    EXPECT_FALSE(verify(lines).holds()) << lie;
  }
}

}  // namespace
}  // namespace holdfast::test

// EV-2: whatever was changed in an export is found, and where.

#include "evidence/verify.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <sstream>

#include "base/hex.hpp"
#include "evidence/export.hpp"
#include "evidence/leaf.hpp"
#include "evidence/merkle.hpp"
#include "support/journals/history.hpp"
#include "support/journals/planted.hpp"
#include "support/rules.hpp"

namespace holdfast::evidence {
namespace {

using test::good_history;
using testing::HasSubstr;

/// Records as if a store had them.
class Kept final : public RecordReader {
 public:
  explicit Kept(const std::vector<Record>& records) : records_(records) {}
  StoreResult<void> read(std::uint64_t after, std::size_t limit,
                         std::vector<Record>& out) override {
    out.clear();
    for (std::size_t i = after; i < records_.size() && out.size() < limit; ++i)
      out.push_back(records_[i]);
    return {};
  }
  const std::vector<std::uint64_t>& broken() const override { return broken_; }
  std::uint64_t last_seq() const override { return records_.size(); }
  const Rules& rules() const override { return rules_; }

 private:
  const std::vector<Record>& records_;
  const std::vector<std::uint64_t> broken_;
  const Rules rules_ = test::short_rules();
};

using Lines = std::vector<std::string>;

/// Good histories one after the other: no token, hold or name is used twice.
std::vector<Record> long_history(std::size_t rounds) {
  test::History history;
  for (std::size_t i = 0; i < rounds; ++i) {
    const auto own = [&](std::string_view what) { return fmt::format("{}-{}", what, i); };
    const HoldId id = history.place(
        own("p"), {.resource = own("room"), .requester = "ada", .duration = std::chrono::hours(1)});
    history.wait(std::chrono::seconds(1));
    history.replay(history.last_seq());
    history.collide(history.last_seq() - 1);
    history.confirm(own("c"), id);
  }
  return history.records;
}

struct Exported {
  SigningKey key = SigningKey::fresh();
  Lines lines;
  SignedHead head;

  explicit Exported(const std::vector<Record>& records, const ExportOptions& options = {}) {
    Kept reader(records);
    const auto signed_head = export_evidence(
        reader,
        [&]() -> StoreResult<std::unique_ptr<RecordReader>> {
          return std::make_unique<Kept>(records);
        },
        key, test::start, options,
        [&](std::string_view line) {
          EXPECT_TRUE(line.ends_with('\n'));
          lines.emplace_back(line.substr(0, line.size() - 1));
          return true;
        });
    EXPECT_TRUE(signed_head);
    head = *signed_head;
  }

  [[nodiscard]] Verification verify(const Lines& given,
                                    std::vector<SignedHead> published = {}) const {
    Verifier verifier(key.public_key(), std::move(published));
    for (const std::string& each : given) {
      if (!verifier.line(each)) break;
    }
    return verifier.finish();
  }
  /// The line that has that record.
  [[nodiscard]] std::size_t line_of(std::uint64_t seq) const {
    for (std::size_t i = 0; i < lines.size(); ++i) {
      if (lines[i].find(fmt::format("\"seq\":{},\"tenant\"", seq)) != std::string::npos) return i;
    }
    ADD_FAILURE() << "no record " << seq;
    return 0;
  }
};

std::string replaced(std::string text, std::string_view what, std::string_view with) {
  const std::size_t at = text.find(what);
  EXPECT_NE(at, std::string::npos) << what;
  return text.replace(at, what.size(), with);
}

TEST(EvidenceVerify, an_honest_export_holds) {
  for (const auto& records : {std::vector<Record>(), good_history().records, long_history(50)}) {
    const Exported exported(records);
    const Verification found = exported.verify(exported.lines, {exported.head});
    EXPECT_FALSE(found.defect) << found.defect->text;
    EXPECT_TRUE(found.holds());
    EXPECT_EQ(found.records, records.size());
    EXPECT_EQ(found.hidden, 0U);
    ASSERT_TRUE(found.audit);
    EXPECT_EQ(found.audit->records, records.size());
    EXPECT_EQ(found.head.head, exported.head.head);
  }
}

TEST(EvidenceVerify, every_changed_character_is_found_and_its_record_named) {
  const Exported exported(good_history().records);
  for (std::size_t i = 0; i < exported.lines.size(); ++i) {
    const std::string& line = exported.lines[i];
    const bool is_record = line.starts_with("{\"hash\"");
    for (std::size_t at = 0; at < line.size(); at += 7) {
      Lines changed = exported.lines;
      changed[i][at] = static_cast<char>(line[at] == 'a' ? 'b' : 'a');
      const Verification found = exported.verify(changed);
      ASSERT_TRUE(found.defect) << changed[i];
      EXPECT_TRUE(!is_record || found.defect->seq == i) << changed[i];  // a head is in front
    }
  }
}

TEST(EvidenceVerify, missing_moved_and_invented_records_are_named) {
  const Exported exported(long_history(40));
  const std::size_t at = exported.line_of(70);
  Lines lines = exported.lines;
  lines.erase(lines.begin() + static_cast<std::ptrdiff_t>(at));
  EXPECT_EQ(exported.verify(lines).defect->seq, 70U);
  lines = exported.lines;
  std::swap(lines[at], lines[at + 1]);
  EXPECT_EQ(exported.verify(lines).defect->seq, 70U);
  lines = exported.lines;
  lines.insert(lines.begin() + static_cast<std::ptrdiff_t>(at), lines[at]);
  EXPECT_EQ(exported.verify(lines).defect->seq, 71U);
  lines = exported.lines;
  lines.push_back(lines[at]);
  EXPECT_TRUE(exported.verify(lines).defect);
}

TEST(EvidenceVerify, a_forged_record_is_found_among_those_since_the_last_head) {
  const Exported exported(long_history(40));
  const std::size_t at = exported.line_of(70);
  // Whoever changes a record and its hash, too.
  const std::string& line = exported.lines[at];
  const std::string leaf = line.substr(line.find("\"leaf\":") + 7);
  const std::string forged =
      replaced(leaf.substr(0, leaf.size() - 1), "\"tenant\":\"default\"", "\"tenant\":\"defaulu\"");
  Lines lines = exported.lines;
  lines[at] = fmt::format("{{\"hash\":\"{}\",\"leaf\":{}}}", leaf_hash(forged).hex(), forged);
  const Verification found = exported.verify(lines);
  ASSERT_TRUE(found.defect);
  EXPECT_EQ(found.defect->seq, 65U);
  EXPECT_EQ(found.defect->last_seq, 128U);
}

TEST(EvidenceVerify, an_export_that_was_cut_off_is_found_wherever_it_was_cut) {
  const Exported exported(long_history(40));
  for (std::size_t i = 0; i < exported.lines.size(); ++i) {
    const Lines cut(exported.lines.begin(),
                    exported.lines.begin() + static_cast<std::ptrdiff_t>(i));
    EXPECT_TRUE(exported.verify(cut).defect) << i;
  }
}

/// Whoever reads the file with another program must not see what was not signed.
TEST(EvidenceVerify, nothing_is_passed_over) {
  const Exported exported(long_history(2), {.tokens = true});
  const auto defect = [&](std::size_t line, std::string_view what, std::string_view with) {
    Lines lines = exported.lines;
    lines[line] = replaced(lines[line], what, with);
    const Verification found = exported.verify(lines);
    return found.defect ? found.defect->text : std::string();
  };
  const std::size_t placed = 1;
  ASSERT_THAT(exported.lines[placed], HasSubstr(R"("kind":"placed")"));
  const std::string& line = exported.lines[placed];
  const std::size_t at = line.find(R"("requester":")") + 13;
  const std::string name = line.substr(at, line.find('"', at) - at);
  const std::string requester = fmt::format(R"("requester":"{}")", name);
  const std::string hex = fmt::format(R"("requester":{{"hex":"{}")", to_hex(name));
  for (const std::string& with : {
           requester + R"(,"requester":"eve")",
           R"("requester":"eve",)" + requester,
           hex + "}",
           hex + R"(,"name":"eve"})",
           hex + R"(,"hex":"657665"})",
           requester + R"(,"reason":0)",
           requester + R"(,"first_at":"1970-01-01T00:00:00Z")",
           requester + R"(,"note":"eve")",
       }) {
    EXPECT_NE(defect(placed, requester, with), "") << with;
  }
  EXPECT_NE(defect(placed, "Z\",\"decision", "+00:00\",\"decision"), "");
  EXPECT_NE(defect(placed, R"("decision":"first_seen")",
                   fmt::format(R"("decision":{{"hex":"{}"}})", to_hex("first_seen"))),
            "");
  EXPECT_NE(defect(placed, R"({"hash":)", R"({"extra":1,"hash":)"), "");
  EXPECT_NE(defect(0, R"("format":)", R"("consistency":"anything","format":)"), "");
  EXPECT_NE(defect(0, R"("format":)", R"("extra":1,"format":)"), "");
  // White space and order are nobody's business.
  EXPECT_EQ(defect(placed, R"({"hash":)", R"( { "hash" : )"), "");
}

TEST(EvidenceVerify, an_old_export_cannot_be_made_new) {
  const std::vector<Record> records = long_history(40);
  const Exported before(std::vector<Record>(records.begin(), records.begin() + 100));
  Lines lines = before.lines;
  Head later = before.head.head;
  later.at += std::chrono::hours(1);
  const auto with_last = [&](const Head& head) {
    std::string text;
    JsonWriter json(text);
    write_head(json, sign(head, before.key));
    lines.back() = fmt::format(R"({{"head":{}}})", text);
    return before.verify(lines).defect;
  };
  EXPECT_FALSE(with_last(before.head.head));
  ASSERT_TRUE(with_last(later));
  EXPECT_THAT(with_last(later)->text, HasSubstr("another time"));
  // As a proof against an earlier head has it.
  Head part = before.head.head;
  part.of = 160;
  EXPECT_TRUE(with_last(part));
}

TEST(EvidenceVerify, a_conflict_names_the_whole_digest_on_record) {
  std::vector<Record> records = long_history(2);
  const Exported honest(records);
  // Signed by whoever has the key: what it was in conflict with differs in the last byte.
  const std::size_t at = honest.line_of(3);
  const std::string& line = honest.lines[at];
  const std::size_t digest = line.find(R"("digest_on_record":")") + 20;
  std::string leaf = line.substr(line.find(R"("leaf":)") + 7);
  leaf.pop_back();
  const std::string on_record = line.substr(digest, 64);
  std::string other = on_record;
  other.back() = other.back() == '0' ? '1' : '0';
  leaf = replaced(leaf, on_record, other);
  Lines lines = honest.lines;
  lines[at] = fmt::format(R"({{"hash":"{}","leaf":{}}})", leaf_hash(leaf).hex(), leaf);
  ASSERT_TRUE(honest.verify(lines).defect);
  EXPECT_THAT(honest.verify(lines).defect->text, HasSubstr("is not that of record 1"));
}

TEST(EvidenceVerify, another_key_is_told) {
  const Exported exported(good_history().records);
  Exported other(good_history().records);
  EXPECT_THAT(other.verify(exported.lines).defect->text, HasSubstr("another key"));
  // One who signs it all again has another key, whatever the heads say of it.
  Lines lines = other.lines;
  for (std::string& each : lines) {
    if (each.starts_with("{\"head\""))
      each = replaced(each, other.key.public_key().hex(), exported.key.public_key().hex());
  }
  EXPECT_THAT(exported.verify(lines).defect->text, HasSubstr("signature does not hold"));
}

TEST(EvidenceVerify, what_was_published_must_be_continued) {
  std::vector<Record> records = long_history(40);
  const Exported before(std::vector<Record>(records.begin(), records.begin() + 100));
  Exported after(records);
  const Head old = before.head.head;
  const SignedHead kept = sign(old, after.key);
  EXPECT_TRUE(after.verify(after.lines, {kept}).holds());
  // History written anew, and signed by the same hand.
  records[50].requester = "eve";
  records[50].principal = "eve";
  Exported rewritten(records);
  const SignedHead kept_by_others = sign(old, rewritten.key);
  const Verification found = rewritten.verify(rewritten.lines, {kept_by_others});
  ASSERT_TRUE(found.defect);
  EXPECT_EQ(found.defect->seq, 1U);
  EXPECT_EQ(found.defect->last_seq, 100U);
  EXPECT_THAT(found.defect->text, HasSubstr("published"));
  // Records taken away from the end.
  Exported shorter(std::vector<Record>(records.begin(), records.begin() + 60));
  const Verification missing = shorter.verify(shorter.lines, {sign(old, shorter.key)});
  ASSERT_TRUE(missing.defect);
  EXPECT_EQ(missing.defect->seq, 61U);
  // Told by a head of part of them.
  Head part = old;
  part.size = 0;
  part.root = empty_root();
  part.of = 100;
  EXPECT_THAT(shorter.verify(shorter.lines, {sign(part, shorter.key)}).defect->text,
              HasSubstr("there were 100"));
  // A head somebody made up.
  SignedHead forged = kept;
  forged.signature.bytes[0] ^= 1U;
  EXPECT_THAT(after.verify(after.lines, {forged}).defect->text, HasSubstr("heads given"));
}

TEST(EvidenceVerify, of_another_tenant_only_hashes_are_told) {
  std::vector<Record> records = long_history(40);
  for (std::size_t i = 40; i < 80; ++i) records[i].tenant = "other";
  const Exported exported(records, {.tenant = "default"});
  for (const std::string& each : exported.lines)
    EXPECT_EQ(each.find("\"other\""), std::string::npos) << each;
  const Verification found = exported.verify(exported.lines);
  EXPECT_TRUE(found.holds()) << found.defect->text;
  EXPECT_EQ(found.hidden, 40U);
  EXPECT_FALSE(found.audit);
  EXPECT_EQ(found.head.head.root, Exported(records).head.head.root);
}

TEST(EvidenceVerify, tokens_in_clear_must_be_those_that_were_recorded) {
  const Exported exported(good_history().records, {.tokens = true});
  EXPECT_TRUE(exported.verify(exported.lines).holds());
  Lines lines = exported.lines;
  for (std::string& each : lines) {
    const std::size_t at = each.find("\"token\":\"");
    if (at == std::string::npos) continue;
    each.insert(at + 9, "x");
    break;
  }
  EXPECT_THAT(exported.verify(lines).defect->text, HasSubstr("token"));
}

TEST(EvidenceVerify, what_was_signed_and_still_breaks_an_invariant_is_told) {
  for (const test::Planted& each : test::planted_violations()) {
    const std::vector<Record>& records = each.history.records;
    bool without_gap = true;
    for (std::size_t i = 0; i < records.size(); ++i) without_gap &= records[i].seq == i + 1;
    if (!without_gap) continue;  // nothing is signed over such a journal
    const Exported exported(records);
    const Verification found = exported.verify(exported.lines);
    EXPECT_FALSE(found.holds()) << each.name;
  }
}

TEST(EvidenceVerify, commands_are_verified_too) {
  const Exported exported(test::history_of_commands().records);
  const Verification found = exported.verify(exported.lines);
  EXPECT_TRUE(found.holds()) << (found.defect ? found.defect->text : "");
  for (const auto& [truth, lie] : {std::pair("\"ended\":\"failed\"", "\"ended\":\"executed\""),
                                   std::pair("\"fence\":2", "\"fence\":3"),
                                   std::pair("\"status\":\"executed\"", "\"status\":\"failed\"")}) {
    Lines lines = exported.lines;
    for (std::string& each : lines) {
      const std::size_t at = each.find(truth);
      if (at == std::string::npos) continue;
      each.replace(at, std::strlen(truth), lie);
      break;
    }
    EXPECT_NE(lines, exported.lines) << truth;
    EXPECT_FALSE(exported.verify(lines).holds()) << lie;
  }
}

TEST(EvidenceVerify, holds_that_change_and_groups_are_verified_too) {
  std::vector<Record> records = test::changing_history().records;
  records[2].detail = R"({"hold":{}})";
  const Exported exported(records);
  const Verification found = exported.verify(exported.lines);
  EXPECT_TRUE(found.holds()) << (found.defect ? found.defect->text : "");
  Lines lines = exported.lines;
  for (std::string& each : lines) {
    const std::size_t at = each.find("\"detail\":{\"hold\":{}}");
    if (at != std::string::npos) each.replace(at, 20, "\"detail\":{\"hole\":{}}");
  }
  EXPECT_NE(lines, exported.lines);
  EXPECT_FALSE(exported.verify(lines).holds());
}

TEST(EvidenceVerify, no_journal_with_a_gap_is_signed) {
  std::vector<Record> records = long_history(10);
  records.erase(records.begin() + 5);
  Kept reader(records);
  const auto head = export_evidence(
      reader,
      [&]() -> StoreResult<std::unique_ptr<RecordReader>> {
        return std::make_unique<Kept>(records);
      },
      SigningKey::fresh(), test::start, {}, [](std::string_view) { return true; });
  ASSERT_FALSE(head);
  EXPECT_THAT(head.error().message, HasSubstr("record 6 is missing"));
}

}  // namespace
}  // namespace holdfast::evidence

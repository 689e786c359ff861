// EV-1: what a record is called, and that it is called one thing only.

#include "evidence/leaf.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <simdjson.h>

#include <set>

#include "domain/canonical.hpp"
#include "evidence/leaves.hpp"
#include "support/journals/history.hpp"

namespace holdfast::evidence {
namespace {

using test::good_history;
using test::History;
using testing::HasSubstr;
using testing::Not;
using testing::UnorderedElementsAre;

std::string leaf_text(const Record& record, const Hashes& hashes) {
  std::string text;
  JsonWriter json(text);
  write_leaf(json, record, hashes);
  return text;
}

std::vector<std::string> leaves_of(const History& history) {
  Leaves leaves([&](std::uint64_t after, std::size_t max) {
    std::vector<Record> found;
    for (std::size_t i = after; i < history.records.size() && found.size() < max; ++i)
      found.push_back(history.records[i]);
    return StoreResult<std::vector<Record>>(std::move(found));
  });
  std::vector<std::string> texts;
  for (const Record& each : history.records) EXPECT_TRUE(leaves.write(texts.emplace_back(), each));
  return texts;
}

TEST(EvidenceLeaf, is_canonical_json_without_token_and_nonce) {
  const History history = good_history();
  const auto leaves = leaves_of(history);
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    EXPECT_EQ(canonicalize(leaves[i]), leaves[i]);
    const Record& record = history.records[i];
    if (record.token.empty()) continue;
    EXPECT_THAT(leaves[i], Not(HasSubstr('"' + record.token + '"')));
    EXPECT_THAT(leaves[i], HasSubstr(sha256(record.token).hex()));
  }
}

/// Whoever changes this makes every head that was ever signed a lie.
TEST(EvidenceLeaf, is_written_for_ever_as_it_is_now) {
  Record record;
  record.seq = 7;
  record.kind = RecordKind::placed;
  record.at = test::start;
  record.tenant = "default";
  record.principal = "local";
  record.operation = Operation::hold_place;
  record.token = "t-1";
  record.nonce = "n-1";
  record.digest = sha256("the request");
  record.hold = {42, 0xf3c9d1e5b7a842};
  record.resource = "room \"307\"";
  record.requester = "Zoë";
  record.quantity = 2;
  record.expires_at = test::start + std::chrono::hours(1);
  EXPECT_EQ(
      leaf_text(record, hashes_of(record, {})),
      R"({"at":"2026-01-01T00:00:00.000000Z","decision":"first_seen",)"
      R"("digest":"e05da7415785d85884c1170fc1d7b1a0b87056a90a312c3c2957ed0eba9571be",)"
      R"("expires_at":"2026-01-01T01:00:00.000000Z","hold":"h2a-0f3c9d1e5b7a842",)"
      R"("kind":"placed","nonce_hash":)"
      R"("51aeea8ffa05d2620d35c87463465885e77df13171d5708746df1a9f36d47f35","operation":"hold.place",)"
      R"("principal":"local","quantity":2,"requester":"Zoë","resource":"room \"307\"",)"
      R"("seq":7,"tenant":"default","token_hash":)"
      R"("46e9bc3476c92ea24fb17adac6cd9cdacff7a34a5c753100787da5a29984f836"})");
}

TEST(EvidenceLeaf, tells_every_decision) {
  std::set<std::string> decisions;
  for (const Record& each : good_history().records) decisions.emplace(decision(each));
  EXPECT_THAT(decisions, UnorderedElementsAre("first_seen", "duplicate_replayed",
                                              "conflict_rejected", "expired_by_sweep"));
}

TEST(EvidenceLeaf, of_a_conflict_has_both_digests) {
  History history = good_history();
  const auto leaves = leaves_of(history);
  std::size_t conflicts = 0;
  for (const Record& each : history.records) {
    if (each.kind != RecordKind::collided) continue;
    ++conflicts;
    EXPECT_THAT(leaves[each.seq - 1], HasSubstr("\"digest\":\"" + each.digest.hex()));
    EXPECT_THAT(leaves[each.seq - 1],
                HasSubstr("\"digest_on_record\":\"" + history.records[each.ref - 1].digest.hex()));
  }
  EXPECT_GT(conflicts, 0U);
}

TEST(EvidenceLeaf, is_understood_as_it_was_written) {
  const History history = good_history();
  const auto leaves = leaves_of(history);
  simdjson::dom::parser parser;
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    const auto read = read_leaf(parser.parse(leaves[i]).value());
    ASSERT_TRUE(read) << leaves[i] << read.error();
    EXPECT_EQ(leaf_text(read->record, read->hashes), leaves[i]);
    Record expected = history.records[i];
    if (!expected.token.empty()) expected.token = sha256(expected.token).hex();
    if (!expected.nonce.empty()) expected.nonce = sha256(expected.nonce).hex();
    expected.key = expected.fingerprint = expected.nonce_key = {};
    EXPECT_EQ(read->record, expected);
  }
}

TEST(EvidenceLeaf, names_that_are_not_utf8_are_told_apart) {
  Record record;
  record.kind = RecordKind::declared;
  record.resource = "a\xff";
  const std::string text = leaf_text(record, {});
  EXPECT_THAT(text, HasSubstr(R"("resource":{"hex":"61ff"})"));
  simdjson::dom::parser parser;
  EXPECT_EQ(read_leaf(parser.parse(text).value())->record.resource, "a\xff");
}

TEST(EvidenceLeaf, what_is_not_understood_is_refused) {
  const std::string good = leaves_of(good_history()).front();
  simdjson::dom::parser parser;
  ASSERT_TRUE(read_leaf(parser.parse(good).value())) << good;
  const auto with = [&](std::string_view member) {
    return "{" + std::string(member) + "," + good.substr(1);
  };
  for (const std::string& wrong :
       {std::string("[]"), std::string("{}"), std::string("7"), with(R"("x":1)"),
        with(R"("seq":1)"), with(R"("count":"1")"), with(R"("count":1.5)"), with(R"("reason":99)"),
        with(R"("reason":-1)"), with(R"("ref":-1)"), with(R"("nonce_hash":"ab")"),
        with(R"("first_at":"yesterday")"), with(R"("rejection":"because")"),
        with(R"("digest_on_record":null)")})
    EXPECT_FALSE(read_leaf(parser.parse(wrong).value())) << wrong;
}

}  // namespace
}  // namespace holdfast::evidence

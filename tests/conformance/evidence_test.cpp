// The tree over a store's journal: the same on every store, and of what is durable. EV-3: a head
// continues those from before, or is seen not to.

#include <simdjson.h>

#include <future>

#include "evidence/export.hpp"
#include "evidence/notary.hpp"
#include "evidence/verify.hpp"
#include "store/sqlite/file/connection.hpp"
#include "support/stores/service_test.hpp"
#include "support/stores/store_test.hpp"

namespace holdfast::test {
namespace {

using evidence::Hindrance;
using evidence::Notary;
using evidence::SigningKey;
using testing::HasSubstr;

class Evidence : public StoreTest {
 protected:
  Notary& notary() {
    if (!notary_) {
      notary_.emplace(harness().store(),
                      Notary::Options{.key = [this] { return key_; },
                                      .warn = [this](const std::string& text) { warned_ = text; }});
    }
    return *notary_;
  }
  /// One of each: a first time, a repeated answer, a conflict, a refusal, an expiry.
  void make_history() {
    const Answer placed = harness().submit(place(room, "t-1"));
    (void)harness().submit(place(room, "t-1"));
    (void)harness().submit(declare("other", 2, "t-1"));
    (void)harness().submit(place(room, "t-2"));
    harness().advance(2h);
    EXPECT_EQ(harness().sweep(), 1U);
  }
  void place_many(int count) {
    std::vector<Call> calls;
    for (int i = 0; i < count; ++i) {
      calls.push_back(
          place({.resource = "r" + std::to_string(made_), .requester = "q", .duration = 1h},
                "many-" + std::to_string(made_)));
      ++made_;
    }
    (void)harness().submit(std::move(calls));
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

  /// Behind the store's back.
  void set_quantity(std::uint64_t seq, int quantity) {
    const std::string sql = "UPDATE journal SET quantity = " + std::to_string(quantity) +
                            " WHERE seq = " + std::to_string(seq);
    if (is_shared(harness().name())) {
      (void)SqlConnection(harness().name()).execute(sql);
    } else {
      auto connection = sqlite::Connection::open(harness().name(), SQLITE_OPEN_READWRITE);
      ASSERT_TRUE(connection && connection->run(sql.c_str()));
    }
  }

  const SigningKey key_ = SigningKey::fresh();
  std::optional<Notary> notary_;
  std::string warned_;
  int made_ = 0;
};

TEST_P(Evidence, of_nothing_is_a_head_of_nothing) {
  const auto head = notary().head();
  ASSERT_TRUE(head) << head.error().text;
  EXPECT_EQ(head->head.size, 0U);
  EXPECT_EQ(head->head.root, evidence::empty_root());
  EXPECT_TRUE(is_signed_by(*head, key_.public_key()));
  EXPECT_EQ(notary().proof("default", 1, {}).error().kind, Hindrance::Kind::unknown);
  EXPECT_EQ(notary().head_since(1).error().kind, Hindrance::Kind::beyond);
}

TEST_P(Evidence, every_record_is_proved_and_an_export_agrees) {
  make_history();
  place_many(80);
  const auto head = notary().head();
  ASSERT_TRUE(head) << head.error().text;
  EXPECT_EQ(head->head.size, harness().records());
  for (std::uint64_t seq = 1; seq <= harness().records(); ++seq) {
    const auto proof = notary().proof("default", seq, {});
    ASSERT_TRUE(proof) << proof.error().text;
    EXPECT_TRUE(evidence::proves_inclusion(proof->path, evidence::leaf_hash(proof->leaf), seq - 1,
                                           head->head.size, head->head.root));
  }
  EXPECT_EQ(notary().proof("stranger", 1, {}).error().kind, Hindrance::Kind::unknown);
  if (!harness().persistent()) return;
  evidence::Verifier verifier(key_.public_key(), {*head});
  for (const std::string& each : exported()) EXPECT_TRUE(verifier.line(each)) << each;
  const auto found = verifier.finish();
  EXPECT_TRUE(found.holds());
  EXPECT_EQ(found.records, harness().records());
  ASSERT_TRUE(found.audit);
}

TEST_P(Evidence, heads_continue_each_other_also_after_a_restart) {
  std::vector<evidence::SignedHead> heads;
  for (const int more : {1, 2, 60, 700, 900, 1}) {
    place_many(more);
    if (harness().persistent()) {
      notary_.reset();
      harness().reopen();
    }
    const auto head = notary().head();
    ASSERT_TRUE(head) << head.error().text;
    heads.push_back(*head);
    for (const auto& before : heads) {
      const auto extension = notary().head_since(before.head.size);
      ASSERT_TRUE(extension) << extension.error().text;
      EXPECT_TRUE(evidence::proves_consistency(extension->path, before.head.size, before.head.root,
                                               head->head.size, head->head.root));
    }
  }
  // Also against an old head.
  const auto& old = heads[2].head;
  const auto proof = notary().proof("default", 3, old.size);
  ASSERT_TRUE(proof) << proof.error().text;
  EXPECT_EQ(proof->head.head.root, old.root);
  EXPECT_EQ(notary().proof("default", old.size + 1, old.size).error().kind,
            Hindrance::Kind::unknown);
  EXPECT_TRUE(warned_.empty());
}

TEST_P(Evidence, nothing_is_told_of_or_signed_over_a_record_that_was_altered) {
  if (!harness().persistent()) GTEST_SKIP() << "only its own process could";
  place_many(3);
  set_quantity(2, 7);
  const Store& store = harness().store();
  EXPECT_TRUE(store.records(0, 1));
  EXPECT_TRUE(store.records(2, 1));  // the checksum it goes on from is as it was
  for (const auto& records : {store.records(0, 3), store.records(1, 1)}) {
    ASSERT_FALSE(records);
    EXPECT_THAT(records.error().message, HasSubstr("damaged at record 2"));
  }
  ASSERT_FALSE(notary().head());
  EXPECT_EQ(notary().head().error().kind, Hindrance::Kind::store);
  set_quantity(2, 1);
  EXPECT_TRUE(notary().head());
}

HOLDFAST_ON_EVERY_STORE(Evidence);

class EvidenceMeanwhile : public ServiceTest {
 protected:
  const SigningKey key_ = SigningKey::fresh();
};
HOLDFAST_ON_EVERY_STORE(EvidenceMeanwhile);

TEST_P(EvidenceMeanwhile, heads_are_of_what_is_durable_while_callers_go_on) {
  Notary notary(store(), {.key = [this] { return key_; }});
  std::optional<evidence::SignedHead> last = *notary.head();
  on_threads(4, [&](std::size_t i) {
    for (int round = 0; round < 20; ++round) {
      const std::string name = std::to_string(i) + "-" + std::to_string(round);
      if (i > 0) {
        (void)submit(place({.resource = name, .requester = "q", .duration = 1h}, name));
        continue;
      }
      const auto next = notary.head_since(last->head.size);
      ASSERT_TRUE(next) << next.error().text;
      EXPECT_TRUE(evidence::proves_consistency(next->path, last->head.size, last->head.root,
                                               next->head.head.size, next->head.head.root));
      last = next->head;
    }
  });
  EXPECT_EQ(notary.head()->head.size, 60U);
}

TEST_P(EvidenceMeanwhile, who_comes_too_late_gets_further_all_the_same) {
  std::vector<std::future<Answer>> answers;
  for (int i = 0; i < 5000; ++i) {
    const std::string name = "r" + std::to_string(i);
    answers.push_back(ask(place({.resource = name, .requester = "q", .duration = 1h}, name)));
  }
  for (auto& each : answers) EXPECT_THAT(each.get(), done());
  Notary notary(store(), {.key = [this] { return key_; }});
  int asked = 1;
  auto head = notary.head(evidence::Deadline::min());
  for (; !head && asked < 10; ++asked) {
    EXPECT_EQ(head.error().kind, Hindrance::Kind::busy);
    EXPECT_THAT(head.error().text, HasSubstr("of 5000 records so far. Ask again."));
    head = notary.head(evidence::Deadline::min());
  }
  ASSERT_TRUE(head);
  EXPECT_EQ(head->head.size, 5000U);
  EXPECT_EQ(asked, 3);
}

}  // namespace
}  // namespace holdfast::test

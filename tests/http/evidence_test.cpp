// Evidence as callers get it: their own decisions, heads, proofs that need no trust in us.

#include <fmt/format.h>

#include <filesystem>
#include <fstream>

#include "base/whole_file.hpp"
#include "evidence/documents.hpp"
#include "evidence/leaf.hpp"
#include "evidence/merkle.hpp"
#include "evidence/verify.hpp"
#include "store/sqlite/file/connection.hpp"
#include "support/http/http_server.hpp"

namespace holdfast::test {
namespace {

using evidence::SignedHead;
using http::Role;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

class EvidenceOverHttp : public HttpTest {
 protected:
  [[nodiscard]] evidence::PublicKey key() const {
    const auto key = evidence::SigningKeyFile(settings_.store + "-evidence-key").read();
    EXPECT_TRUE(key && *key);
    return (**key).public_key();
  }
  [[nodiscard]] SignedHead head(const Headers& headers = {}) const {
    const Answered answer = get("/v1/evidence/head", headers);
    EXPECT_EQ(answer.status, 200) << answer.body;
    const auto read = evidence::head_from(answer.body);
    EXPECT_TRUE(read) << read.error();
    return *read;
  }
  [[nodiscard]] std::string defect_of(const std::string& target,
                                      const std::vector<SignedHead>& published = {}) const {
    const Answered answer = get(target);
    EXPECT_EQ(answer.status, 200) << answer.body;
    return evidence::verify_document(answer.body, key(), published).defect;
  }
  /// As somebody does who has the file.
  void alter(std::uint64_t seq) const {
    auto connection = sqlite::Connection::open(settings_.store, SQLITE_OPEN_READWRITE);
    ASSERT_TRUE(connection);
    ASSERT_TRUE(connection->run(
        fmt::format("UPDATE journal SET requester = 'eve' WHERE seq = {}", seq).c_str()));
  }
};

TEST_F(EvidenceOverHttp, TellsEveryDecision) {
  start();
  EXPECT_EQ(place("k-1", holding("room_307")).status, 201);
  EXPECT_EQ(place("k-1", holding("room_307")).status, 201);
  EXPECT_EQ(place("k-1", holding("room_308")).status, 409);
  EXPECT_EQ(place("k-2", holding("room_307")).status, 409);
  clock_->advance(std::chrono::hours(1));
  server_->service().sweep();
  ASSERT_TRUE(eventually([&] { return records() == 5; }));
  const Answered answer = get("/v1/evidence");
  const Json page(answer.body);
  EXPECT_THAT(page.texts("/items", "decision"),
              testing::UnorderedElementsAre("first_seen", "duplicate_replayed", "conflict_rejected",
                                            "first_seen", "expired_by_sweep"));
  EXPECT_EQ(page.text("/next"), "5");
  EXPECT_FALSE(page.truth("/more"));
  EXPECT_THAT(answer.body, Not(HasSubstr("\"k-1\"")));
  EXPECT_THAT(answer.body, HasSubstr(sha256("k-1").hex()));
  const std::string first = page.raw("/items/0");
  EXPECT_EQ(Json(get("/v1/evidence/1/proof").body).text("/leaf_hash"),
            evidence::leaf_hash(first).hex());
  for (std::size_t i = 0; i < 5; ++i) {
    if (page.text(fmt::format("/items/{}/decision", i)) != "conflict_rejected") continue;
    EXPECT_EQ(page.text(fmt::format("/items/{}/digest_on_record", i)),
              page.text("/items/0/digest"));
    EXPECT_NE(page.text(fmt::format("/items/{}/digest", i)), page.text("/items/0/digest"));
  }
}

TEST_F(EvidenceOverHttp, PagesGoOnWhereTheLastEnded) {
  start();
  for (int i = 0; i < 7; ++i)
    ASSERT_EQ(place(fmt::format("k-{}", i), holding(fmt::format("r-{}", i))).status, 201);
  std::string next = "0";
  std::vector<std::int64_t> seen;
  do {
    const Json page(get("/v1/evidence?limit=3&after=" + next).body);
    for (std::size_t i = 0; i < page.size("/items"); ++i)
      seen.push_back(page.number(fmt::format("/items/{}/seq", i)));
    next = page.text("/next");
  } while (seen.size() < 7);
  EXPECT_THAT(seen, ElementsAre(1, 2, 3, 4, 5, 6, 7));
  EXPECT_EQ(get("/v1/evidence?after=8").status, 400);
  EXPECT_EQ(get("/v1/evidence?before=8").status, 400);
}

TEST_F(EvidenceOverHttp, ProofsHoldForWhoeverHasThePublicKey) {
  start();
  for (int i = 0; i < 20; ++i)
    ASSERT_EQ(place(fmt::format("k-{}", i), holding(fmt::format("r-{}", i))).status, 201);
  const SignedHead early = head();
  for (int i = 20; i < 50; ++i)
    ASSERT_EQ(place(fmt::format("k-{}", i), holding(fmt::format("r-{}", i))).status, 201);
  const SignedHead late = head();
  EXPECT_EQ(late.head.size, 50U);
  EXPECT_EQ(defect_of("/v1/evidence/head?since=20", {early}), "");
  EXPECT_EQ(defect_of("/v1/evidence/7/proof"), "");
  EXPECT_EQ(defect_of("/v1/evidence/7/proof?size=20", {early}), "");
  EXPECT_NE(defect_of("/v1/evidence/7/proof?size=19", {early}), "");
  EXPECT_NE(defect_of("/v1/evidence/head", {early}), "");

  // What was tampered with on its way does not.
  const std::string proof = get("/v1/evidence/7/proof").body;
  for (std::size_t at = 0; at < proof.size(); at += 5) {
    std::string changed = proof;
    changed[at] = changed[at] == '1' ? '2' : '1';
    EXPECT_NE(evidence::verify_document(changed, key(), {}).defect, "") << changed;
  }
  const evidence::PublicKey other = evidence::SigningKey::fresh().public_key();
  EXPECT_THAT(evidence::verify_document(proof, other, {}).defect, HasSubstr("another key"));
}

/// Whoever reads it with another program must see what was proved.
TEST_F(EvidenceOverHttp, NothingCanBePutBesideAProof) {
  start();
  ASSERT_EQ(place("k-1", holding("room_307")).status, 201);
  const std::string proof = get("/v1/evidence/1/proof").body;
  const std::string head = get("/v1/evidence/head").body;
  const std::string leaf = Json(proof).raw("/leaf");
  std::string forged_leaf = leaf;
  forged_leaf.replace(forged_leaf.find("guest_g91"), 9, "guest_k22");
  const auto defect = [&](const std::string& text) {
    return evidence::verify_document(text, key(), {}).defect;
  };
  ASSERT_EQ(defect(proof), "");
  ASSERT_EQ(defect(head), "");
  const std::string inner = proof.substr(1, proof.size() - 2);
  const std::string inner_head = head.substr(1, head.size() - 2);
  for (const std::string& forged : {
           "{" + inner + R"(,"leaf":)" + forged_leaf + "}",
           R"({"leaf":)" + forged_leaf + "," + inner + "}",
           R"({"leaf":)" + forged_leaf + R"(,"answer":)" + proof + "}",
           R"({"answer":)" + proof + R"(,"status":200})",
           R"({"answer":)" + proof + R"(,"status":200,"replayed":false,"token":null,"leaf":1})",
           "{" + inner + R"(,"note":"of everything"})",
           "{" + inner + R"(,"head":)" + head + "}",
           "{" + inner_head + R"(,"size":9999})",
           R"({"size":9999,"answer":)" + head + "}",
           R"({"size":9999,"head":)" + head + "}",
       }) {
    EXPECT_NE(defect(forged), "") << forged;
    EXPECT_FALSE(evidence::head_from(forged)) << forged;
  }
  // As the command line wraps it.
  EXPECT_EQ(defect(R"({"answer":)" + head + R"(,"status":200,"replayed":false,"token":null})"), "");
  EXPECT_EQ(evidence::verify_document(proof, key(), {}).leaf, leaf);
}

TEST_F(EvidenceOverHttp, AHeadOfLessThanEverythingSaysSo) {
  start();
  for (int i = 0; i < 3; ++i)
    ASSERT_EQ(place(fmt::format("k-{}", i), holding(fmt::format("r-{}", i))).status, 201);
  EXPECT_FALSE(head().head.of);
  EXPECT_FALSE(evidence::head_from(get("/v1/evidence/1/proof").body)->head.of);
  EXPECT_FALSE(evidence::head_from(get("/v1/evidence/1/proof?size=3").body)->head.of);
  EXPECT_EQ(evidence::head_from(get("/v1/evidence/1/proof?size=2").body)->head.of, 3U);
}

TEST_F(EvidenceOverHttp, TheKeyIsMadeOnceAndOutlivesARestart) {
  start();
  ASSERT_EQ(place("k-1", holding("room_307")).status, 201);
  EXPECT_FALSE(std::ifstream(settings_.store + "-evidence-key").is_open());
  const SignedHead before = head();
  EXPECT_EQ(before.key, key());
  restart();
  ASSERT_EQ(place("k-2", holding("room_308")).status, 201);
  EXPECT_EQ(head().key, before.key);
  EXPECT_EQ(defect_of("/v1/evidence/head?since=1", {before}), "");
}

TEST_F(EvidenceOverHttp, AFileThatIsNoKeyStopsTheStart) {
  start();
  stop();
  std::ofstream(settings_.store + "-evidence-key") << "not a key";
  const auto again = http::Server::start(settings_);
  ASSERT_FALSE(again);
  EXPECT_THAT(again.error(), HasSubstr("no Ed25519 private key"));
}

TEST_F(EvidenceOverHttp, TenantsSeeTheirOwnAndProveAgainstOneHead) {
  const std::string alice = new_key("north", "alice", Role::client);
  const std::string bob = new_key("south", "bob", Role::auditor);
  const std::string carl = new_key("south", "carl", Role::client);
  start();
  ASSERT_EQ(place("k-1", holding("north_room"), with_key(alice)).status, 201);
  ASSERT_EQ(place("k-1", holding("south_room"), with_key(carl)).status, 201);
  const Answered north = get("/v1/evidence", with_key(alice));
  const Answered south = get("/v1/evidence", with_key(bob));
  EXPECT_THAT(north.body, HasSubstr("north_room"));
  EXPECT_THAT(north.body, Not(HasSubstr("south")));
  EXPECT_THAT(south.body, HasSubstr("south_room"));
  EXPECT_THAT(south.body, Not(HasSubstr("north")));
  const Answered theirs = get("/v1/evidence/1/proof", with_key(bob));
  const Answered nobodys = get("/v1/evidence/99/proof", with_key(bob));
  EXPECT_EQ(theirs.status, 404);
  EXPECT_EQ(nobodys.status, 404);
  EXPECT_EQ(Json(theirs.body).text("/title"), Json(nobodys.body).text("/title"));
  EXPECT_EQ(get("/v1/evidence/2/proof", with_key(bob)).status, 200);
  EXPECT_EQ(head(with_key(alice)).head, head(with_key(bob)).head);
  EXPECT_EQ(get("/v1/evidence/head").status, 401);
}

TEST_F(EvidenceOverHttp, ARecordAlteredBehindOurBackIsNoticed) {
  start();
  for (int i = 0; i < 3; ++i)
    ASSERT_EQ(place(fmt::format("k-{}", i), holding(fmt::format("r-{}", i))).status, 201);
  (void)head();
  alter(2);
  const Answered proof = get("/v1/evidence/2/proof");
  EXPECT_EQ(proof.status, 503) << proof.body;
  EXPECT_THAT(proof.body, HasSubstr("damaged at record 2"));
  EXPECT_EQ(get("/v1/evidence/1/proof").status, 200);
  for (const char* target : {"/v1/evidence", "/v1/events"}) {
    const Answered page = get(target);
    EXPECT_EQ(page.status, 503) << target;
    EXPECT_THAT(page.body, Not(HasSubstr("eve\"")));
  }
  // The checksums of the journal tell it, too: such a store is not opened again.
  stop();
  EXPECT_FALSE(http::Server::start(settings_));
}

TEST_F(EvidenceOverHttp, NothingIsSignedOverARecordThatWasAltered) {
  for (const std::uint64_t which : {1U, 2U, 3U}) {
    for (const bool known : {false, true}) {  // whether a head was over it before
      start();
      for (int i = 0; i < 3; ++i)
        ASSERT_EQ(place(fmt::format("k-{}", i), holding(fmt::format("r-{}", i))).status, 201);
      if (known) (void)head();
      alter(which);
      if (!known || which == 3) {
        const Answered answer = get("/v1/evidence/head");
        EXPECT_EQ(answer.status, 503) << which << answer.body;
        EXPECT_THAT(answer.body, HasSubstr(fmt::format("damaged at record {}", which)));
      }
      EXPECT_EQ(get(fmt::format("/v1/evidence/{}/proof", which)).status, 503) << which;
      stop();
      for (const char* end : {"", "-wal", "-shm"}) std::filesystem::remove(settings_.store + end);
    }
  }
}

TEST_F(EvidenceOverHttp, DoesNotStandInTheWayOfOtherReads) {
  start();
  ASSERT_EQ(place("k-1", holding("room_307")).status, 201);
  auto lock = FileLock::acquire(settings_.store + "-evidence-key");  // as whoever makes the key
  ASSERT_TRUE(lock);
  std::vector<RawConnection> waiting;
  for (int i = 0; i < 8; ++i) {
    waiting.push_back(connect());
    ASSERT_TRUE(waiting.back().send(request_text("GET", "/v1/evidence/head")));
  }
  EXPECT_FALSE(waiting.front().read(std::chrono::milliseconds(100)));
  EXPECT_EQ(get("/v1/holds").status, 200);
  EXPECT_EQ(get("/v1/evidence").status, 200);
  EXPECT_EQ(get("/v1/audit").status, 200);
  { const FileLock gone = std::move(*lock); }
  for (RawConnection& each : waiting) {
    const auto answer = each.read();
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->status, 200) << answer->body;
  }
}

}  // namespace
}  // namespace holdfast::test

#include <sqlite3.h>

#include "cli/runner.hpp"
#include "domain/invariants.hpp"

namespace holdfast::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class AuditCommand : public CliTest {
 protected:
  /// Does to the records what no program of ours would.
  void tamper(const char* sql) const {
    sqlite3* database = nullptr;
    ASSERT_EQ(sqlite3_open(store().c_str(), &database), SQLITE_OK);
    char* message = nullptr;
    ASSERT_EQ(sqlite3_exec(database, sql, nullptr, nullptr, &message), SQLITE_OK) << message;
    sqlite3_close(database);
  }

  void make_history() const {
    const std::string id = placed("room");
    json({"confirm", id, "--token", "pay"});
    json({"confirm", id, "--token", "pay"});
    json({"release", placed("other")});
  }
};

TEST_F(AuditCommand, IsCleanAfterAnHonestHistory) {
  make_history();
  const Json json = this->json({"audit"});
  EXPECT_TRUE(json.truth("/answer/clean"));
  EXPECT_EQ(json.number("/answer/holds"), 2);
  EXPECT_EQ(json.number("/answer/violations_total"), 0);
  EXPECT_EQ(json.size("/answer/violations"), 0U);
  EXPECT_EQ(json.size("/answer/checksums/broken"), 0U);
  EXPECT_EQ(json.number("/answer/checksums/checked"), json.number("/answer/records"));
  ASSERT_EQ(json.size("/answer/invariants"), invariants().size());
  for (std::size_t i = 0; i < invariant_count; ++i) {
    const std::string at = "/answer/invariants/" + std::to_string(i);
    EXPECT_EQ(json.text(at + "/id"), invariant_table[i].id);
    EXPECT_EQ(json.text(at + "/statement"), invariant_table[i].statement);
    EXPECT_EQ(json.number(at + "/violations"), 0);
  }
  const Ran ran = run({"audit"});
  EXPECT_EQ(ran.exit_code, 0);
  EXPECT_THAT(ran.out,
              AllOf(HasSubstr("CAP-2"), HasSubstr("unbroken"), HasSubstr("Everything holds")));
}

TEST_F(AuditCommand, TakesTheStoreAsAnArgumentToo) {
  make_history();
  std::filesystem::create_directory(folder.file("sub"));
  EXPECT_EQ(run({"audit", store()}).exit_code, 0);
  EXPECT_EQ(run({"audit", "--store", store()}).exit_code, 0);
  EXPECT_EQ(run({"audit", "elsewhere.db"}).exit_code, 1);
}

TEST_F(AuditCommand, ReportsAPlantedViolation) {
  make_history();
  tamper("UPDATE journal SET quantity = 7 WHERE kind = 1 AND resource = 'room'");
  const Json json = this->json({"audit"}, 1);
  EXPECT_FALSE(json.truth("/answer/clean"));
  EXPECT_GT(json.number("/answer/violations_total"), 0);
  EXPECT_THAT(json.raw("/answer/violations"), HasSubstr(R"("invariant":"CAP-1")"));
  EXPECT_GT(json.size("/answer/checksums/broken"), 0U);
  const Ran ran = run({"audit"});
  EXPECT_EQ(ran.exit_code, 1);
  EXPECT_THAT(ran.out, AllOf(HasSubstr("Violations"), HasSubstr("CAP-1"), HasSubstr("record 1"),
                             HasSubstr("broken at")));
}

TEST_F(AuditCommand, NoticesWhatOnlyTheChecksumsShow) {
  make_history();
  tamper("UPDATE journal SET requester = 'somebody else' WHERE kind = 1 AND resource = 'other'");
  const Json json = this->json({"audit"}, 1);
  EXPECT_FALSE(json.truth("/answer/clean"));
  EXPECT_GT(json.size("/answer/checksums/broken"), 0U);
}

TEST_F(AuditCommand, BoundsWhatItPrints) {
  {
    const Json ignored = json({"resource", "hall", "--capacity", "100"});
    for (int i = 0; i < 30; ++i) placed("hall");
  }
  tamper("UPDATE journal SET expires_us = at_us - 1 WHERE kind = 1");
  const Ran ran = run({"audit"});
  EXPECT_EQ(ran.exit_code, 1);
  EXPECT_THAT(ran.out, testing::ContainsRegex("and [0-9]+ more"));
}

}  // namespace
}  // namespace holdfast::test

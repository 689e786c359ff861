// A disk that is full: callers are told what did not happen, the operator is told, and the load
// balancer is told to look elsewhere until there is room.

#include <sqlite3.h>

#include <thread>

#include "support/disks/faulty_vfs.hpp"
#include "support/http/http_server.hpp"

namespace holdfast::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

/// What every store opened meanwhile is on.
class DefaultDisk {
 public:
  DefaultDisk() { sqlite3_vfs_register(sqlite3_vfs_find(disk.vfs().c_str()), 1); }
  ~DefaultDisk() { sqlite3_vfs_register(usual_, 1); }
  DefaultDisk(const DefaultDisk&) = delete;
  DefaultDisk& operator=(const DefaultDisk&) = delete;

  FaultyDisk disk;

 private:
  sqlite3_vfs* const usual_ = sqlite3_vfs_find(nullptr);
};

class FullDisk : public HttpTest {
 protected:
  FullDisk() { start(); }
  ~FullDisk() override {
    full_.disk.clear_fault();
    stop();
  }

  void fill() {
    full_.disk.set_fault([](const DiskCall& call) {
      return call.action == DiskAction::write ? SQLITE_FULL : SQLITE_OK;
    });
  }

  /// As a load balancer asks: again and again.
  [[nodiscard]] bool becomes_ready() const {
    for (int i = 0; i < 50; ++i) {
      if (get("/readyz").status == 200) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
    return false;
  }

  static std::size_t times(const std::string& text, const std::string& words) {
    std::size_t count = 0;
    for (std::size_t at = text.find(words); at != std::string::npos; at = text.find(words, at + 1))
      ++count;
    return count;
  }

  DefaultDisk full_;
};

TEST_F(FullDisk, IsSaidToEverybody) {
  EXPECT_EQ(get("/readyz").status, 200);
  fill();
  const Answered refused = place("k-1", holding("room_1"));
  EXPECT_EQ(refused.status, 503);
  EXPECT_THAT(refused.body, AllOf(HasSubstr("disk is full"), HasSubstr("This call did nothing")));
  EXPECT_EQ(refused.header("idempotency-key"), "k-1");
  EXPECT_EQ(refused.header("idempotent-replayed"), "false");
  const Answered ready = get("/readyz");
  EXPECT_EQ(ready.status, 503);
  EXPECT_THAT(ready.body, HasSubstr("disk is full"));
  for (int i = 0; i < 20; ++i) EXPECT_EQ(place("k-1", holding("room_1")).status, 503);
  EXPECT_THAT(logged(), AllOf(HasSubstr("a change could not be stored"), HasSubstr("warning"),
                              HasSubstr("disk is full")));
  EXPECT_LE(times(logged(), "a change could not be stored"), 5U) << "not once a request";
}

/// Where the store is, and what it is, is nobody's business but the operator's.
TEST_F(FullDisk, IsSaidToStrangersWithoutDetails) {
  const std::string key = new_key("north", "alice", http::Role::operator_role);
  ASSERT_EQ(place("k-0", holding("room_0"), with_key(key)).status, 201);
  fill();
  const std::string batch =
      R"({"operations":[{"token":"k-2","operation":"hold.place","params":)" + holding("r") + "}]}";
  for (const Answered& each : {place("k-1", holding("room_1"), with_key(key)), get("/readyz"),
                               call("POST", "/v1/batch", with_key(key), batch)}) {
    EXPECT_THAT(each.body, AllOf(HasSubstr("The store cannot be used now"),
                                 Not(HasSubstr("holdfast.db")), Not(HasSubstr("SQLite"))));
  }
  EXPECT_THAT(logged(), HasSubstr("disk is full"));
}

TEST_F(FullDisk, IsOverWithTheNextChange) {
  fill();
  ASSERT_EQ(place("k-1", holding("room_1")).status, 503);
  full_.disk.clear_fault();
  EXPECT_EQ(place("k-1", holding("room_1")).status, 201);
  EXPECT_EQ(get("/readyz").status, 200);
}

/// What could not be stored has spent nothing.
TEST_F(FullDisk, SpendsNoNonce) {
  fill();
  const Headers nonce{{"X-Nonce", "n-1"}};
  ASSERT_EQ(place("k-1", holding("room_1"), nonce).status, 503);
  ASSERT_EQ(place("k-2", holding("room_2"), {{"X-Nonce", "n-2"}}).status, 503);
  full_.disk.clear_fault();
  EXPECT_EQ(place("k-1", holding("room_1"), nonce).status, 201);
  EXPECT_EQ(place("k-3", holding("room_2"), {{"X-Nonce", "n-2"}}).status, 201) << "another key";
  const Answered seen = place("k-4", holding("room_4"), nonce);
  EXPECT_EQ(Json(seen.body).text("/code"), "protocol.nonce_replay");
}

TEST_F(FullDisk, IsOverWhenThereIsRoomAlthoughNobodyAsks) {
  fill();
  ASSERT_EQ(place("k-1", holding("room_1")).status, 503);
  std::this_thread::sleep_for(std::chrono::milliseconds(1200));
  EXPECT_EQ(get("/readyz").status, 503) << "still full";
  full_.disk.clear_fault();
  EXPECT_TRUE(becomes_ready());
}

TEST_F(FullDisk, IsSaidOfEveryCallOfABatch) {
  fill();
  const Answered batch = call(
      "POST", "/v1/batch", {},
      R"({"operations":[{"token":"t","operation":"hold.place","params":)" + holding("a") + "}]}");
  EXPECT_THAT(batch.body,
              AllOf(HasSubstr("store-unavailable"), HasSubstr("This call did nothing")));
  EXPECT_EQ(Json(batch.body).text("/results/0/body/effect"), "none");
  EXPECT_THAT(logged(), HasSubstr("a change could not be stored"));
}

TEST_F(FullDisk, AFailedSyncMayHaveHappened) {
  full_.disk.set_fault([](const DiskCall& call) {
    return call.action == DiskAction::sync && call.file == DiskFile::log ? SQLITE_IOERR_FSYNC
                                                                         : SQLITE_OK;
  });
  const Answered refused = place("k-1", holding("room_1"));
  EXPECT_EQ(refused.status, 503);
  EXPECT_THAT(refused.body, HasSubstr("if the call did happen"));
  EXPECT_EQ(Json(refused.body).text("/effect"), "unknown");
  EXPECT_THAT(logged(), HasSubstr(R"("effect":"unknown")"));
  EXPECT_EQ(get("/readyz").status, 503);
  full_.disk.clear_fault();
}

}  // namespace
}  // namespace holdfast::test

// A store moves from engine to engine and nobody notices: ids, tokens, numbers and checksums stay.

#include <gmock/gmock.h>

#include "engine/copying.hpp"
#include "support/journals/audit.hpp"
#include "support/servers/mariadb_server.hpp"
#include "support/servers/postgres_server.hpp"
#include "support/stores/harness.hpp"
#include "support/temp_dir.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::IsEmpty;

const CopyProgress nobody_watches = [](CopyStage, std::uint64_t, std::uint64_t) {};

std::unique_ptr<Store> look_at(const std::string& store) {
  auto opened = open_store({.store = store, .read_only = true});
  if (!opened) throw std::runtime_error(opened.error().message);
  return std::move(*opened);
}

/// A history with everything in it: replays, collisions, refusals, lapses, nonces, tokens used
/// again after their window.
void live_in(Harness& on) {
  on.submit(declare("hall", 4000, on.next_token()));
  for (int i = 0; i < 400; ++i) {
    const std::string number = std::to_string(i % 90);
    on.submit(
        place({.resource = "room " + number, .requester = "guest é " + number, .duration = 3min},
              "t" + number));
    const Hold hold = on.must_place({.resource = "hall", .requester = "choir", .duration = 2min});
    if (i % 3 == 0) on.submit(confirm(hold.id, on.next_token()));
    if (i % 3 != 0) on.submit(release(hold.id, on.next_token()));
    if (i % 50 == 0)
      on.submit(place({.resource = "other", .requester = "x", .duration = 1h}, "t1"));
    if (i % 11 == 0) on.sweep();
    if (i % 3 == 0 && i > 100) continue;
    on.advance(20s);
  }
}

class Copy : public testing::Test {
 protected:
  Copy()
      : postgres_(PostgresServer::shared().create_database()),
        mariadb_(MariadbServer::shared().create_database()) {}

  TempDir dir_;
  TestDatabase postgres_;
  TestDatabase mariadb_;
};

TEST_F(Copy, goes_round_every_engine_and_comes_back_the_same) {
  const std::string file = dir_.file("first.db");
  std::vector<Record> original;
  {
    Harness on("sqlite");
    live_in(on);
    original = all_records(on.store());
    const auto copied = copy_store(on.name(), file, nobody_watches);
    EXPECT_FALSE(copied) << "its owner is still there";
    on.close();
    const auto kept = copy_store(on.name(), file, nobody_watches);
    ASSERT_TRUE(kept) << kept.error().message;
  }
  ASSERT_GT(original.size(), 900U);
  const std::vector<std::string> stores{file, postgres_.url(), mariadb_.url(),
                                        dir_.file("last.db")};
  for (std::size_t i = 1; i < stores.size(); ++i) {
    const auto copied = copy_store(stores[i - 1], stores[i], nobody_watches);
    ASSERT_TRUE(copied) << copied.error().message;
    EXPECT_TRUE(copied->clean());
    EXPECT_EQ(copied->records, original.size());
    EXPECT_EQ(copied->resumed, 0U);
  }
  for (const std::string& each : stores) {
    const auto store = look_at(each);
    EXPECT_EQ(all_records(*store), original) << each;
    EXPECT_THAT(violations(*store), IsEmpty()) << each;
  }
}

TEST_F(Copy, has_a_secret_of_its_own) {
  Harness on("sqlite");
  on.submit(declare("hall", 4, "t"));
  on.close();
  for (TestDatabase* to : {&postgres_, &mariadb_}) {
    const auto copied = copy_store(on.name(), to->url(), nobody_watches);
    ASSERT_TRUE(copied) << copied.error().message;
    const SqlRows secrets =
        to->connect().execute("SELECT number FROM meta WHERE name LIKE 'confirmation_secret%'");
    ASSERT_EQ(secrets.size(), 2U);
    EXPECT_TRUE(secrets[0].at(0) != "0" && secrets[1].at(0) != "0") << "codes could be made up";
  }
}

TEST_F(Copy, goes_on_where_it_was_interrupted) {
  Harness on("sqlite");
  live_in(on);
  on.close();
  std::uint64_t told = 0;
  const auto stop_half_way = [&](CopyStage stage, std::uint64_t done, std::uint64_t all) {
    if (stage != CopyStage::copy) return;
    told = done;
    if (done > all / 2) throw std::runtime_error("interrupted");
  };
  EXPECT_THROW((void)copy_store(on.name(), postgres_.url(), stop_half_way), std::runtime_error);
  const auto half = open_store({.store = postgres_.url()});
  ASSERT_FALSE(half) << "tokens that are still to come would be taken for unused";
  EXPECT_THAT(half.error().message, HasSubstr("has begun and not ended"));
  const auto copied = copy_store(on.name(), postgres_.url(), nobody_watches);
  ASSERT_TRUE(copied) << copied.error().message;
  EXPECT_EQ(copied->resumed, told);
  EXPECT_TRUE(copied->clean());
}

TEST_F(Copy, into_a_store_of_another_history_is_refused) {
  Harness on("sqlite");
  on.must_place({.resource = "room", .requester = "guest", .duration = 1h});
  on.close();
  {
    auto other = open_store({.store = postgres_.url(), .window = on.rules().window});
    ASSERT_TRUE(other) << other.error().message;
    const auto random = system_random();
    Engine engine(**other, *random, {});
    Batch batch;
    batch.work.push_back(Work{.request = make_request(declare("hall", 2, "x")), .done = {}});
    ASSERT_TRUE(engine.execute(batch));
  }
  const auto copied = copy_store(on.name(), postgres_.url(), nobody_watches);
  ASSERT_FALSE(copied);
  EXPECT_THAT(copied.error().message, HasSubstr("not the beginning"));
  EXPECT_EQ(look_at(postgres_.url())->counts().records, 1U);
}

TEST_F(Copy, into_itself_is_refused_and_leaves_it_as_it_was) {
  for (const std::string& url : {postgres_.url(), mariadb_.url()}) {
    ASSERT_TRUE(make_store(url, {}));
    std::string other = url;
    other.replace(other.find("127.0.0.1"), 9, "localhost");
    for (const std::string& to : {url, other}) {
      const auto copied = copy_store(url, to, nobody_watches);
      ASSERT_FALSE(copied);
      EXPECT_THAT(copied.error().message, HasSubstr("into itself"));
    }
    EXPECT_EQ(store_status(url)->trouble, "");
  }
}

TEST_F(Copy, keeps_every_token_good) {
  Harness on("sqlite");
  const Answer first =
      on.submit(place({.resource = "room", .requester = "guest", .duration = 1h}, "kept"));
  on.close();
  const auto copied = copy_store(on.name(), mariadb_.url(), nobody_watches);
  ASSERT_TRUE(copied) << copied.error().message;
  auto store = open_store({.store = mariadb_.url(), .clock = on.clock()});
  ASSERT_TRUE(store) << store.error().message;
  const auto random = system_random();
  Engine engine(**store, *random, {});
  Batch batch;
  batch.work.push_back(Work{
      .request =
          make_request(place({.resource = "room", .requester = "guest", .duration = 1h}, "kept")),
      .done = {}});
  ASSERT_TRUE(engine.execute(batch));
  EXPECT_TRUE(batch.work.front().answer.replayed);
  EXPECT_EQ(batch.work.front().answer.hold, first.hold);
}

}  // namespace
}  // namespace holdfast::test

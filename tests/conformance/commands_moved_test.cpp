// Stores with commands that are copied to other engines, and stores that were made before there
// were commands.

#include <gmock/gmock.h>

#include <future>

#include "engine/copying.hpp"
#include "engine/service.hpp"
#include "store/sqlite/file/connection.hpp"
#include "store/sqlite/file/description.hpp"
#include "support/journals/audit.hpp"
#include "support/servers/sql_connection.hpp"
#include "support/stores/command_test.hpp"

namespace holdfast::test {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

class CommandsMoved : public CommandTest {
 protected:
  void SetUp() override {
    StoreTest::SetUp();
    declare({declared("note", "write"), pulled("parcel", "ship", commands::Shield::s1),
             pulled("parcel", "weigh", commands::Shield::s3)});
  }
};
HOLDFAST_ON_EVERY_STORE(CommandsMoved);

const Submitting parcel_to_ship{.entity = "parcel", .action = "ship", .args = R"({"n":1.5})"};

TEST_P(CommandsMoved, copies_go_on_where_the_store_stopped) {
  if (!harness().persistent()) GTEST_SKIP() << "nobody finds it again";
  const Answer written = submit({.entity = "note", .action = "write"}, "w");
  const std::string id = id_of(submit(parcel_to_ship, "s"));
  lease();
  run(Failing{.id = id, .fence = 1});
  const std::string lost = id_of(submit({.entity = "parcel", .action = "weigh"}, "t"));
  lease();
  harness().advance(30s);
  EXPECT_EQ(harness().sweep(), 1U);
  const Answer shipped = submit(parcel_to_ship, "s");
  const auto records = all_records(harness().store());
  const auto before = command(lost);
  harness().close();
  std::string from = harness().name();
  for (const char* const engine : {"postgres", "mariadb", "sqlite"}) {
    StoreUnderTest to(engine, {});
    to.clock()->set(start + 1min);
    const auto copied = copy_store(from, to.name(), [](CopyStage, std::uint64_t, std::uint64_t) {});
    ASSERT_TRUE(copied) << copied.error().message;
    EXPECT_TRUE(copied->clean());
    {
      Service service(to.open(), system_random(), {.sweep_every = Duration::zero()});
      const auto ask = [&](Call made) {
        std::promise<Answer> promise;
        service.submit(std::move(made), [&](Answer answer) { promise.set_value(answer); });
        return promise.get_future().get();
      };
      EXPECT_EQ(all_records(service.store()), records);
      EXPECT_THAT(ask(call({.entity = "note", .action = "write"}, "w")), replay_of(written));
      EXPECT_THAT(ask(call(parcel_to_ship, "s")), replay_of(shipped));
      EXPECT_EQ(command_in(service.store(), lost)->args, before->args);
      EXPECT_EQ(effect_in(service.store(), lost)->stage, commands::Stage::probe);
      const Answer leased =
          ask({.command = Command(Leasing{.kinds = {"warehouse"}}), .token = Token("l")});
      EXPECT_EQ(id_of(leased), id);
      EXPECT_THAT(leased.document, HasSubstr(R"("fence":2)"));
      EXPECT_THAT(ask({.command = Command(Completing{.id = id, .fence = 2}), .token = Token("c")}),
                  done());
      EXPECT_THAT(violations(service.store()), IsEmpty());
    }
  }
  harness().reopen();
}

TEST_P(CommandsMoved, stores_from_before_there_were_commands_say_what_to_do) {
  if (!harness().persistent()) GTEST_SKIP() << "nobody finds it again";
  harness().must_place(room);
  harness().close();
  const std::string store = harness().name();
  const bool file = GetParam() == "sqlite";
  const std::string forget = std::string("DELETE FROM meta WHERE ") + (file ? "key" : "name") +
                             " LIKE 'window_us.command.%' OR " + (file ? "key" : "name") +
                             " LIKE 'window_us.effect.%'";
  if (file) {
    auto connection = sqlite::Connection::open(store, SQLITE_OPEN_READWRITE);
    ASSERT_TRUE(connection && connection->run("BEGIN IMMEDIATE"));
    ASSERT_TRUE(connection->run(forget.c_str()));
    ASSERT_TRUE(sqlite::seal_description(*connection));
    ASSERT_TRUE(connection->run("COMMIT"));
  } else {
    (void)SqlConnection(store).execute(forget);
  }
  const auto refused = open_store({.store = store, .clock = harness().clock()});
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("made before there were all the operations"));
  EXPECT_THAT(refused.error().message, HasSubstr("`holdfast store upgrade`"));
  const auto upgraded = upgrade_store({.store = store});
  ASSERT_TRUE(upgraded) << upgraded.error().message;
  harness().reopen();
  const Answer accepted = submit(parcel_to_ship, "s");
  EXPECT_THAT(accepted, done());
  lease();
  EXPECT_THAT(run(Completing{.id = id_of(accepted), .fence = 1}), done());
  EXPECT_EQ(submit(parcel_to_ship, "s").status, 0);
}

}  // namespace
}  // namespace holdfast::test

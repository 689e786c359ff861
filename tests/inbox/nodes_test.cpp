// Two nodes on one database: whichever a webhook is sent to, and both at once, it is one.

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <future>
#include <map>

#include "inbox/inbox_node.hpp"
#include "modules/commands/kinds.hpp"
#include "support/journals/audit.hpp"
#include "support/servers/scripted_provider.hpp"
#include "support/stores/store_under_test.hpp"

namespace holdfast::test {
namespace {

class InboxShared : public testing::TestWithParam<std::string> {};

INSTANTIATE_TEST_SUITE_P(on, InboxShared, testing::Values("postgres", "mariadb"),
                         [](const auto& engine) { return engine.param; });

TEST_P(InboxShared, by_two_nodes_has_each_event_once_and_what_follows_happens_once) {
  ScriptedProvider receiver;
  const StoreUnderTest place(GetParam(), {});
  InboxNode one(place.name(), inbox_registry(receiver.url()));
  InboxNode two(place.name(), inbox_registry(receiver.url()));
  constexpr int count = 30;
  const auto take_all = [&](InboxNode& node, bool backwards) {
    std::map<std::string, std::string> ids;
    for (int i = 0; i < count; ++i) {
      const std::string event = fmt::format("evt_{}", backwards ? count - 1 - i : i);
      for (const char* const source : {"bank", "mirror"})
        ids[source + (" " + event)] = node.take(source, event);
    }
    return ids;
  };
  auto others = std::async(std::launch::async, [&] { return take_all(two, true); });
  const auto ids = take_all(one, false);
  EXPECT_EQ(others.get(), ids);
  for (const auto& [what, id] : ids) {
    EXPECT_TRUE(two.becomes(id, webhooks::Status::done)) << what;
    if (!what.starts_with("mirror")) continue;
    EXPECT_EQ(receiver.calls(id), 1) << what;
    EXPECT_EQ(receiver.effects(id), 1) << what;
  }
  EXPECT_EQ(one.count(webhooks::kinds::received), 2U * count);
  EXPECT_EQ(one.count(webhooks::kinds::completed), 2U * count);
  EXPECT_EQ(one.count(commands::kinds::executed), std::size_t{count});
  EXPECT_THAT(violations(one.store()), testing::IsEmpty());
}

}  // namespace
}  // namespace holdfast::test

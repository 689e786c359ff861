// A change of the window that is killed before each of its steps. What is left has the old window
// or the new one, whole: window, record, tokens. Asked for again, it is done.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>

#include "engine/auditing.hpp"
#include "holdfast/holdfast.hpp"
#include "store/open.hpp"
#include "support/paths.hpp"
#include "support/processes/child_process.hpp"
#include "support/stores/every_store.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;
using testing::AnyOf;

/// On one store: the next change begins with what the one before has left.
class KilledWindow : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (GetParam() == "memory") GTEST_SKIP() << "there is nothing to change";
    auto store = holdfast::open({.store = place_.name(), .window = 1h}).value();
    for (int i = 0; i < tokens; ++i) {
      const std::string token = "t" + std::to_string(i);
      ASSERT_TRUE(
          store.place({.resource = token, .requester = "g", .duration = 1h}, Token(token)).ok());
    }
  }

  struct Found {
    Duration window;
    std::uint64_t records;
    std::uint64_t live;
  };
  [[nodiscard]] Found look() const {
    const auto reader = read_records(place_.name());
    EXPECT_TRUE(reader) << reader.error().message;
    const auto verdict = audit_records(**reader);
    EXPECT_TRUE(verdict && verdict->clean());
    const auto opened = open_store({.store = place_.name()});
    EXPECT_TRUE(opened) << opened.error().message;
    std::uint64_t live = 0;
    for (int i = 0; i < tokens; ++i) {
      const auto token = (*opened)->token("default", "t" + std::to_string(i));
      EXPECT_TRUE(token) << token.error().message;
      if (*token) ++live;
    }
    return {(*opened)->rules().window, (*opened)->counts().records, live};
  }

  static constexpr int tokens = 5;
  const StoreUnderTest place_{GetParam(), Rules{}};
};
HOLDFAST_ON_EVERY_STORE(KilledWindow);

TEST_P(KilledWindow, is_the_old_one_or_the_new_one) {
  const std::uint64_t before = look().records;
  int kills = 0;
  for (int step = 1;; ++step) {
    ChildProcess worker({HOLDFAST_WORKER("upgrade"), place_.name(), std::to_string(step), "1"});
    const auto said = worker.read_line();
    const int end = worker.wait();
    ASSERT_THAT(end, AnyOf(0, SIGKILL)) << said.value_or("");
    const Found found = look();
    if (found.window == Duration(1)) {
      EXPECT_EQ(found.records, before + 1);
      EXPECT_EQ(found.live, 0U);
      break;
    }
    ASSERT_EQ(end, SIGKILL);
    ASSERT_EQ(found.window, 1h) << "after step " << step;
    ASSERT_EQ(found.records, before) << "after step " << step;
    ASSERT_EQ(found.live, static_cast<std::uint64_t>(tokens)) << "after step " << step;
    ++kills;
  }
  EXPECT_GE(kills, 4);
  const auto again = change_store_window({.store = place_.name(), .window = Duration(1)});
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(again->seq, 0U) << "it is done";
}

}  // namespace
}  // namespace holdfast::test

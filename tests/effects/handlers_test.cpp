// Effects that are C++ functions, through the public surface.

#include <gmock/gmock.h>

#include <fstream>
#include <thread>

#include "holdfast/commands.hpp"
#include "holdfast/effects.hpp"
#include "support/temp_dir.hpp"

namespace holdfast::test {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string declared(const std::string& shield) {
  return "[[command]]\nentity = \"mail\"\naction = \"" + shield +
         "\"\nclass = \"I3\"\n"
         "[command.args]\ntype = \"object\"\n"
         "[command.args.properties.card]\ntype = \"string\"\nsecret = true\n"
         "[command.effect]\nkind = \"handler\"\nshield = \"" +
         (shield == "s1" ? "S1" : "S2") +
         "\"\nprovider = \"mailer\"\nattempts = 3\nbackoff = \"1ms\"\nbackoff_max = \"5ms\"\n"
         "lease = \"1s\"\n";
}

class EffectHandlers : public testing::Test {
 protected:
  EffectHandlers() { std::ofstream(registry_) << declared("s1") << declared("s2"); }

  Holdfast open_with(EffectHandler handler, const std::string& store = ":memory:") {
    EffectOptions effects{.registry = registry_};
    effects.handlers["mailer"] = std::move(handler);
    Options options{.store = store};
    auto made = make_effects(std::move(effects));
    EXPECT_TRUE(made) << made.error().message;
    options.companion = *made;
    auto opened = open(std::move(options));
    EXPECT_TRUE(opened) << opened.error().message;
    return std::move(*opened);
  }

  static Answer submit(Holdfast& store, const std::string& shield, const std::string& key) {
    return store.submit(
        {.command = Command(Submitting{
             .entity = "mail", .action = shield, .args = R"({"card":"4242","to":"you"})"}),
         .token = Token(key)});
  }
  /// What is answered once the command has ended.
  static Answer outcome(Holdfast& store, const std::string& shield, const std::string& key) {
    while (true) {
      Answer answer = submit(store, shield, key);
      if (!answer.ok() || answer.document.find("in_progress") == std::string::npos) return answer;
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
  }

  const TempDir dir_;
  const std::string registry_ = dir_.file("registry.toml");
};

TEST_F(EffectHandlers, are_called_once_with_everything_they_need) {
  std::vector<EffectCall> calls;  // by the one handler at a time, then read
  Holdfast store = open_with([&](const EffectCall& call) {
    calls.push_back(call);
    return HandlerResult{.result = R"({"sent": true, "with": "4242"})"};
  });
  const Answer answer = outcome(store, "s1", "k");
  EXPECT_THAT(answer.document, HasSubstr(R"("status":"executed")"));
  EXPECT_THAT(answer.document, HasSubstr(R"("outcome":{"sent":true,"with":"[secret]"})"));
  EXPECT_THAT(answer.document, Not(HasSubstr("4242")));
  ASSERT_EQ(calls.size(), 1U);
  EXPECT_EQ(calls[0].key, "k");
  EXPECT_EQ(calls[0].args, R"({"card":"4242","to":"you"})");
  EXPECT_EQ(calls[0].entity + calls[0].action + calls[0].tenant, "mails1default");
  EXPECT_EQ(calls[0].attempt, 1U);
}

TEST_F(EffectHandlers, say_how_it_ended) {
  std::atomic<int> calls{0};
  Holdfast store = open_with([&](const EffectCall& call) -> HandlerResult {
    ++calls;
    if (call.key == "refused") return {.verdict = Handled::refused, .error = "no such address"};
    if (call.attempt < 3) return {.verdict = Handled::retry, .error = "later"};
    return {};
  });
  EXPECT_THAT(outcome(store, "s2", "refused").document, HasSubstr("no such address"));
  EXPECT_EQ(calls, 1);
  EXPECT_THAT(outcome(store, "s2", "retried").document, HasSubstr(R"("status":"executed")"));
  EXPECT_EQ(calls, 4);
}

TEST_F(EffectHandlers, that_throw_leave_it_to_the_shield) {
  std::map<std::string, int> calls;
  std::mutex mutex;
  Holdfast store = open_with([&](const EffectCall& call) -> HandlerResult {
    const std::lock_guard lock(mutex);
    if (++calls[call.key] == 1) throw std::runtime_error("torn");
    EXPECT_TRUE(call.uncertain);
    return {};
  });
  EXPECT_THAT(outcome(store, "s1", "first").document, HasSubstr(R"("status":"executed")"));
  const Answer second = outcome(store, "s2", "second");
  EXPECT_THAT(second.document, HasSubstr("outcome_unknown"));
  EXPECT_THAT(second.document, HasSubstr("the handler threw: torn"));
  EXPECT_EQ(calls["first"], 2);
  EXPECT_EQ(calls["second"], 1);
}

TEST_F(EffectHandlers, that_take_longer_than_their_lease_keep_it) {
  std::atomic<int> calls{0};
  Holdfast store = open_with([&](const EffectCall&) {
    ++calls;
    std::this_thread::sleep_for(std::chrono::milliseconds(1500));
    return HandlerResult{};
  });
  EXPECT_THAT(outcome(store, "s2", "k").document, HasSubstr(R"("status":"executed")"));
  EXPECT_EQ(calls, 1);
}

TEST_F(EffectHandlers, that_are_not_there_are_waited_for) {
  const std::string file = dir_.file("store.db");
  {
    EffectOptions effects{.registry = registry_};
    Options options{.store = file};
    options.companion = *make_effects(std::move(effects));
    auto opened = open(std::move(options));
    ASSERT_TRUE(opened) << opened.error().message;
    EXPECT_THAT(submit(*opened, "s2", "k").document, HasSubstr("in_progress"));
  }
  Holdfast store = open_with(
      [](const EffectCall& call) {
        EXPECT_EQ(call.attempt, 1U) << "nobody tried before";
        return HandlerResult{};
      },
      file);
  EXPECT_THAT(outcome(store, "s2", "k").document, HasSubstr(R"("status":"executed")"));
}

TEST_F(EffectHandlers, need_a_registry_and_a_store_that_can_be_changed) {
  const auto none = make_effects({.registry = dir_.file("nothing.toml")});
  ASSERT_FALSE(none);
  EXPECT_THAT(none.error().message, HasSubstr("nothing.toml"));
  EXPECT_FALSE(make_effects({.registry = registry_, .handlers = {{"mailer", {}}}}));
  Options options{.store = dir_.file("store.db"), .read_only = true};
  options.companion = *make_effects({.registry = registry_});
  EXPECT_FALSE(open(std::move(options)));
  auto twice = *make_effects({.registry = registry_});
  Options first{.store = ":memory:"};
  first.companion = twice;
  Options second{.store = ":memory:"};
  second.companion = twice;
  const auto opened = open(std::move(first));
  EXPECT_TRUE(opened);
  EXPECT_FALSE(open(std::move(second)));
}

}  // namespace
}  // namespace holdfast::test

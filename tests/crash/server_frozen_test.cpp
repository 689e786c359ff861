// The real program, frozen with the lease of an effect and woken when the effect is another node's.

#include <atomic>

#include "crash/command_server.hpp"

namespace holdfast::test {
namespace {

using std::chrono::milliseconds;

class CommandServerFrozen : public CommandServer {
 protected:
  /// Refusals on record of what dispatchers reported.
  [[nodiscard]] std::size_t refused_reports() const {
    const auto opened = open_store({.store = place_.name(), .rules = {}, .read_only = true});
    EXPECT_TRUE(opened) << opened.error().message;
    std::size_t found = 0;
    for (const Record& each : all_records(**opened)) {
      found +=
          each.rejection == Rejection::stale_fence || each.rejection == Rejection::effect_not_open
              ? 1U
              : 0U;
    }
    return found;
  }
};

INSTANTIATE_TEST_SUITE_P(on, CommandServerFrozen, testing::Values("postgres", "mariadb"),
                         [](const auto& engine) { return engine.param; });

/// The provider answers the first node while that stands still: it has its answer when it wakes,
/// and by then the effect is another node's.
TEST_P(CommandServerFrozen, with_its_lease_is_refused_when_it_wakes_and_the_effect_is_one) {
  for (const std::string_view each : shields) {
    const std::string shield(each);
    const std::string key = shield + "_k";
    ServiceProcess first = serve();
    std::atomic<bool> told{false};
    std::atomic<bool> frozen{false};
    provider_.set_script([&](const std::string& of, int call) {
      if (of == key && call == 1) {
        while (!told) std::this_thread::sleep_for(milliseconds(1));
        first.freeze();
        frozen = true;
      }
      return Trouble::none;
    });
    const Answered accepted = until_definite(first.port(), submission(shield, key));
    told = true;
    const std::string id = Json(accepted.body).text("/command_id");
    while (!frozen) std::this_thread::sleep_for(milliseconds(1));
    ServiceProcess second = serve();
    const Ended before = ended(second.port(), id);
    const std::string outcome = get(second.port(), "/v1/commands/" + id).body;
    const int calls = provider_.calls(key);
    const std::size_t refused_before = refused_reports();
    first.thaw();
    EXPECT_EQ(get(first.port(), "/v1/commands/" + id).body, outcome);
    EXPECT_EQ(first.terminate(), 0);  // which reports what is under way
    EXPECT_EQ(get(second.port(), "/v1/commands/" + id).body, outcome) << "it was believed";
    EXPECT_GT(refused_reports(), refused_before) << "it had nothing to say";
    EXPECT_EQ(provider_.calls(key), calls) << "it called again";
    EXPECT_EQ(provider_.effects(key), 1) << shield;
    EXPECT_EQ(calls, shield == "s1" || shield == "s4" ? 2 : 1) << shield;
    expect_kept(shield, key, before);
    EXPECT_EQ(second.terminate(), 0);
  }
  const auto opened = open_store({.store = place_.name(), .rules = {}, .read_only = true});
  ASSERT_TRUE(opened) << opened.error().message;
  EXPECT_THAT(violations(**opened), testing::IsEmpty());
}

}  // namespace
}  // namespace holdfast::test

// Many callers and many workers at once: one execution, one holder of each effect.

#include <map>
#include <mutex>
#include <set>

#include "modules/commands/kinds.hpp"
#include "support/stores/command_test.hpp"
#include "support/stores/service_test.hpp"

namespace holdfast::test {
namespace {

using commands::Shield;

namespace kinds = commands::kinds;

class CommandsAtOnce : public ServiceTest {
 protected:
  void SetUp() override {
    preparer_.put_in_force(
        registry_of({declared("note", "write"), pulled("parcel", "ship", Shield::s1)}));
    ServiceOptions options = quiet();
    options.prepare = [this](Call& call) { preparer_(call); };
    service({}, options);
  }

  template <typename P>
  static Call call(P parameters, std::string token) {
    return {.command = Command(std::move(parameters)), .token = Token(std::move(token))};
  }

  std::size_t count(RecordKind kind) {
    std::size_t found = 0;
    for (const Record& each : all_records(store())) found += each.kind == kind ? 1U : 0U;
    return found;
  }

 private:
  commands::Preparer preparer_{HashKey{1, 2}};
};
HOLDFAST_ON_EVERY_STORE(CommandsAtOnce);

const Submitting a_note{.entity = "note", .action = "write", .args = R"({"text":"hello"})"};
const Submitting a_parcel{.entity = "parcel", .action = "ship"};

TEST_P(CommandsAtOnce, concurrent_duplicates_converge_to_one_execution) {
  constexpr std::size_t callers = 50;
  std::vector<Answer> answers(callers);
  std::vector<Answer> accepted(callers);
  on_threads(callers, [&](std::size_t i) {
    answers[i] = submit(call(a_note, "note"));
    accepted[i] = submit(call(a_parcel, "ship"));
  });
  std::size_t firsts = 0;
  for (std::size_t i = 0; i < callers; ++i) {
    EXPECT_THAT(answers[i], done());
    EXPECT_EQ(words(answers[i]), words(answers.front()));
    EXPECT_EQ(accepted[i].status, 202);
    EXPECT_EQ(words(accepted[i]), words(accepted.front()));
    firsts += answers[i].replayed ? 0U : 1U;
  }
  EXPECT_EQ(firsts, 1U);
  EXPECT_EQ(count(kinds::executed), 1U);
  EXPECT_EQ(count(kinds::accepted), 1U);
}

TEST_P(CommandsAtOnce, bodies_that_differ_have_one_winner_and_else_collisions) {
  const auto with = [](std::size_t i) {
    Submitting what = a_note;
    what.args = R"({"n":)" + std::to_string(i % 5) + "}";
    return what;
  };
  std::vector<Answer> answers(50);
  on_threads(answers.size(), [&](std::size_t i) { answers[i] = submit(call(with(i), "n")); });
  std::size_t won = 0;
  std::size_t firsts = 0;
  for (const Answer& each : answers) {
    won += each.ok() ? 1U : 0U;
    firsts += each.ok() && !each.replayed ? 1U : 0U;
    EXPECT_TRUE(each.ok() || each.collided) << words(each);
  }
  EXPECT_EQ(won, 10U);
  EXPECT_EQ(firsts, 1U);
  EXPECT_EQ(count(kinds::executed), 1U);
}

TEST_P(CommandsAtOnce, two_workers_never_get_the_same_effect) {
  constexpr std::size_t effects = 500;
  std::vector<std::future<Answer>> submitted;
  for (std::size_t i = 0; i < effects; ++i)
    submitted.push_back(ask(call(a_parcel, "ship" + std::to_string(i))));
  std::set<std::string> ids;
  for (auto& each : submitted) ids.insert(id_of(each.get()));
  ASSERT_EQ(ids.size(), effects);

  std::mutex mutex;
  std::map<std::string, int> holders;
  std::size_t completed = 0;
  on_threads(8, [&](std::size_t worker) {
    for (int turn = 0;; ++turn) {
      const std::string token = std::to_string(worker) + "/" + std::to_string(turn);
      const Answer leased = submit(call(
          Leasing{.kinds = {"warehouse"}, .max = static_cast<std::int64_t>(1 + worker)}, token));
      std::vector<std::string> mine;
      const std::string head = R"("command_id":")";
      for (std::size_t at = leased.document.find(head); at != std::string::npos;
           at = leased.document.find(head, at + 1)) {
        const std::size_t from = at + head.size();
        mine.push_back(leased.document.substr(from, leased.document.find('"', from) - from));
      }
      if (mine.empty()) return;
      for (const std::string& id : mine) {
        const Answer done = submit(call(Completing{.id = id, .fence = 1}, "done " + id));
        const std::lock_guard lock(mutex);
        ++holders[id];
        completed += done.ok() && !done.replayed ? 1U : 0U;
      }
    }
  });
  EXPECT_EQ(completed, effects);
  EXPECT_EQ(holders.size(), effects);
  for (const auto& [id, times] : holders) EXPECT_EQ(times, 1) << id;
}

TEST_P(CommandsAtOnce, completion_and_the_loss_of_its_lease_have_one_winner) {
  for (int round = 0; round < 20; ++round) {
    const std::string token = "ship" + std::to_string(round);
    const std::string id = id_of(submit(call(a_parcel, token)));
    (void)submit(call(Leasing{.kinds = {"warehouse"}, .lease = 1s}, "l" + token));
    clock().advance(1s);
    Answer completed;
    on_threads(2, [&](std::size_t which) {
      if (which == 0) completed = submit(call(Completing{.id = id, .fence = 1}, "c" + token));
      if (which == 1) service().sweep();
    });
    const auto row = command_in(store(), id);
    ASSERT_TRUE(row);
    EXPECT_EQ(completed.ok(), !row->open());
    if (!completed.ok()) {
      EXPECT_THAT(completed, refused(Rejection::stale_fence));
      EXPECT_THAT(submit(call(CancellingEffect{.id = id}, "x" + token)), done());
    }
  }
}

/// Two nodes on one database: what one is told holds on the other.
class CommandsOnTwoNodes : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    preparer_.put_in_force(registry_of({pulled("parcel", "ship", Shield::s1)}));
    for (auto& each : nodes_) {
      ServiceOptions options;
      options.sweep_every = Duration::zero();
      options.prepare = [this](Call& call) { preparer_(call); };
      each = std::make_unique<Service>(place_.open(), system_random(), std::move(options));
    }
  }

  void TearDown() override {
    EXPECT_THAT(violations(nodes_[0]->store()), testing::IsEmpty());
    EXPECT_THAT(violations(nodes_[1]->store()), testing::IsEmpty());
  }

  template <typename P>
  Answer on(std::size_t node, P parameters, std::string token) {
    std::promise<Answer> promise;
    nodes_[node]->submit(
        {.command = Command(std::move(parameters)), .token = Token(std::move(token))},
        [&](Answer answer) { promise.set_value(std::move(answer)); });
    return promise.get_future().get();
  }

  StoreUnderTest place_{GetParam(), {}};
  commands::Preparer preparer_{HashKey{1, 2}};
  std::unique_ptr<Service> nodes_[2];
};
INSTANTIATE_TEST_SUITE_P(on, CommandsOnTwoNodes, testing::Values("postgres", "mariadb"),
                         [](const auto& engine) { return engine.param; });

TEST_P(CommandsOnTwoNodes, are_told_the_same_whichever_is_asked) {
  const Answer accepted = on(0, a_parcel, "a");
  const std::string id = id_of(accepted);
  EXPECT_THAT(on(1, a_parcel, "a"), replay_of(accepted));
  EXPECT_THAT(on(0, a_parcel, "a"), replay_of(accepted));
  const Answer leased = on(1, Leasing{.kinds = {"warehouse"}}, "l");
  EXPECT_EQ(id_of(leased), id);
  EXPECT_THAT(on(0, Leasing{.kinds = {"warehouse"}}, "l"), replay_of(leased));
  EXPECT_EQ(id_of(on(0, Leasing{.kinds = {"warehouse"}}, "m")), "");
  place_.clock()->advance(30s);
  EXPECT_EQ(nodes_[0]->sweep(), 1U);
  place_.clock()->advance(1s);
  const Answer again = on(0, Leasing{.kinds = {"warehouse"}}, "n");
  EXPECT_EQ(id_of(again), id);
  EXPECT_THAT(on(1, Completing{.id = id, .fence = 1}, "c1"), refused(Rejection::stale_fence))
      << "a node that slept on its lease";
  const Answer completed = on(0, Completing{.id = id, .fence = 2}, "c2");
  EXPECT_THAT(completed, done());
  EXPECT_THAT(on(1, Completing{.id = id, .fence = 2}, "c2"), replay_of(completed));
  const Answer executed = on(0, a_parcel, "a");
  EXPECT_EQ(executed.status, 0);
  EXPECT_EQ(text_in(executed.document, "status"), "executed");
  EXPECT_THAT(on(1, a_parcel, "a"), replay_of(executed));
}

TEST_P(CommandsOnTwoNodes, never_lease_the_same_effect) {
  constexpr std::size_t effects = 60;
  for (std::size_t i = 0; i < effects; ++i)
    EXPECT_THAT(on(i % 2, a_parcel, "p" + std::to_string(i)), done());
  std::mutex mutex;
  std::map<std::string, int> holders;
  on_threads(4, [&](std::size_t worker) {
    for (int turn = 0;; ++turn) {
      const std::string id = id_of(on(worker % 2, Leasing{.kinds = {"warehouse"}},
                                      "w" + std::to_string(worker) + "/" + std::to_string(turn)));
      if (id.empty()) return;
      EXPECT_THAT(on(worker % 2, Completing{.id = id, .fence = 1}, "c" + id), done());
      const std::lock_guard lock(mutex);
      ++holders[id];
    }
  });
  EXPECT_EQ(holders.size(), effects);
  for (const auto& [id, times] : holders) EXPECT_EQ(times, 1) << id;
}

}  // namespace
}  // namespace holdfast::test

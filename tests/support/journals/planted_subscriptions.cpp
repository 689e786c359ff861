// What can be wrong with subscriptions.

#include <gtest/gtest.h>

#include <functional>

#include "holdfast/subscriptions.hpp"
#include "modules/subscriptions/subscription_row.hpp"
#include "support/journals/audit.hpp"
#include "support/journals/plants.hpp"
#include "support/stores/harness.hpp"

namespace holdfast::test {
namespace {

using subscriptions::SubscriptionRow;

/// Writes a history of subscriptions by running them.
class SubscriptionWriter {
 public:
  template <typename P>
  std::string run(P parameters) {
    const Answer answer =
        on.submit({.command = Command(std::move(parameters)), .token = Token(on.next_token())});
    EXPECT_TRUE(answer.ok()) << test::words(answer);
    const auto row = SubscriptionRow::read(answer.document);
    return row ? row->id : std::string();
  }

  void advance(const std::string& id, std::int64_t fence, std::int64_t cursor,
               const std::string& verdict) {
    (void)run(Advancing{.id = id, .fence = fence, .cursor = cursor, .verdict = verdict});
  }

  Harness on{"memory"};
};

/// The record's subscription, changed.
void change_row(Record& record, const std::function<void(SubscriptionRow&)>& change) {
  auto row = SubscriptionRow::read(record.detail);
  ASSERT_TRUE(row) << record.detail;
  change(*row);
  record.detail.clear();
  JsonWriter json(record.detail);
  row->write(json);
}

/// The record once more, as the last one and under another token.
Record& once_more(History& history, std::size_t seq) {
  Record copy = history.records.at(seq - 1);
  copy.seq = history.records.back().seq + 1;
  copy.at = history.records.back().at;
  copy.token = "once more";
  history.records.push_back(std::move(copy));
  return history.records.back();
}

}  // namespace

History history_of_subscriptions() {
  SubscriptionWriter writer;
  const std::string url = "https://example.com/hook";
  const std::string one = writer.run(Subscribing{.url = url, .events = {"hold."}});  // 1
  (void)writer.on.must_place(room);                                                  // 2
  (void)writer.run(Serving{.id = one});                                              // 3
  writer.advance(one, 1, 2, "on");                                                   // 4
  writer.advance(one, 1, 2, "failed");                                               // 5
  writer.on.advance(1s);
  (void)writer.run(Serving{.id = one});                                             // 6
  writer.advance(one, 2, 6, "done");                                                // 7
  (void)writer.run(RotatingSecret{.id = one});                                      // 8
  (void)writer.run(Serving{.id = one});                                             // 9
  writer.advance(one, 3, 6, "gone");                                                // 10
  (void)writer.run(Resending{.id = one, .after = 0});                               // 11
  (void)writer.run(Serving{.id = one});                                             // 12
  writer.advance(one, 5, 12, "done");                                               // 13
  const std::string two = writer.run(Subscribing{.url = url, .description = "b"});  // 14
  (void)writer.run(Unsubscribing{.id = one});                                       // 15
  (void)writer.run(Serving{.id = two});                                             // 16
  writer.advance(two, 1, 15, "on");                                                 // 17
  History history;
  history.records = all_records(writer.on.store());
  history.now = writer.on.now();
  return history;
}

namespace {

void plant_one(Plants& plants, std::string name, std::string broken,
               const std::function<void(History&)>& change) {
  plants.add(std::move(name), {std::move(broken)}, [&](History& history) {
    history = history_of_subscriptions();
    change(history);
  });
}

/// The subscription that is there at the end.
std::string second_id(const History& history) {
  return SubscriptionRow::read(history.records.at(16).detail)->id;
}

void plant_unknown_subscriptions(Plants& plants) {
  plant_one(plants, "a_subscription_made_twice", "SUB-1", [](History& h) {
    Record& again = once_more(h, 14);
    change_row(again, [&](SubscriptionRow& row) {
      row.cursor = 17;
      row.fence = 1;
    });
  });
  plant_one(plants, "a_subscription_that_nobody_made", "SUB-1", [](History& h) {
    change_row(once_more(h, 17), [](SubscriptionRow& row) { row.id = "s-0"; });
  });
  plant_one(plants, "a_subscription_that_goes_on_after_its_end", "SUB-1",
            [](History& h) { (void)once_more(h, 13); });
  plant_one(plants, "a_subscription_that_ends_twice", "SUB-1",
            [](History& h) { (void)once_more(h, 15); });
  plant_one(plants, "a_subscription_of_another_tenant", "SUB-1", [](History& h) {
    Record& record = once_more(h, 17);
    record.tenant = "acme";
    change_row(record, [](SubscriptionRow& row) { row.tenant = "acme"; });
  });
  plant_one(plants, "a_record_of_another_tenant_than_its_subscription", "SUB-1",
            [](History& h) { once_more(h, 17).tenant = "acme"; });
  plant_one(plants, "a_record_that_names_no_subscription", "SUB-1",
            [](History& h) { once_more(h, 17).detail = "{}"; });
}

void plant_subscription_cursors(Plants& plants) {
  plant_one(plants, "a_cursor_that_goes_back_by_itself", "SUB-2", [](History& h) {
    change_row(once_more(h, 17), [](SubscriptionRow& row) { row.cursor = 14; });
  });
  plant_one(plants, "a_cursor_beyond_the_journal", "SUB-2", [](History& h) {
    change_row(h.records.at(16), [](SubscriptionRow& row) { row.cursor = 18; });
  });
  plant_one(plants, "a_cursor_asked_for_beyond_the_journal", "SUB-2", [](History& h) {
    change_row(once_more(h, 11), [&](SubscriptionRow& row) {
      row.id = second_id(h);
      row.cursor = 99;
      row.fence = 2;
    });
  });
}

void plant_subscription_fences(Plants& plants) {
  plant_one(plants, "a_lease_under_the_fence_before", "SUB-3", [](History& h) {
    change_row(once_more(h, 16), [](SubscriptionRow& row) { row.cursor = 15; });
  });
  plant_one(plants, "a_fence_of_a_subscription_that_falls", "SUB-3", [](History& h) {
    change_row(once_more(h, 17), [](SubscriptionRow& row) { row.fence = 0; });
  });
  plant_one(plants, "a_fence_that_grows_without_a_lease", "SUB-3", [](History& h) {
    change_row(once_more(h, 17), [](SubscriptionRow& row) { row.fence = 2; });
  });
  plant_one(plants, "a_replay_that_leaves_the_lease", "SUB-3", [](History& h) {
    change_row(once_more(h, 11), [&](SubscriptionRow& row) {
      row.id = second_id(h);
      row.fence = 1;
    });
  });
}

}  // namespace

void plant_subscriptions(Plants& plants) {
  plant_unknown_subscriptions(plants);
  plant_subscription_cursors(plants);
  plant_subscription_fences(plants);
}

}  // namespace holdfast::test

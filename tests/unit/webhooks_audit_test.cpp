// The invariants of webhooks are judged by books and by views, and both find what was planted.

#include <gmock/gmock.h>

#include "holdfast/webhooks.hpp"
#include "modules/webhooks/details.hpp"
#include "modules/webhooks/kinds.hpp"
#include "support/journals/audit.hpp"
#include "support/journals/journal_file.hpp"
#include "support/stores/harness.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;
using testing::Contains;
using testing::IsEmpty;
using webhooks::Completed;

Call bank_webhook(const std::string& id) {
  auto source = std::make_shared<webhooks::Source>();
  source->name = "bank";
  source->target = "invoices";
  source->attempts_max = 2;
  return {.command = Command(Receiving{
              .source = "bank", .event_id = id, .body = "{}", .headers = "{}", .declared = source}),
          .token = Token(webhooks::event_token("bank", id)),
          .caller = {.tenant = "default", .principal = "webhook:bank"}};
}

/// 1: received, 2: leased, 3: postponed, 4: leased, 5: lost or died, 6: reopened, 7: leased,
/// 8: completed, 9: another one received.
std::vector<Record> inbox_history() {
  Harness on("memory");
  const auto run = [&](auto what) {
    return on.submit(Call{.command = Command(std::move(what)), .token = Token(on.next_token())});
  };
  const Answer taken = on.submit(bank_webhook("evt_1"));
  const std::string id = taken.document.substr(7, taken.document.size() - 9);
  run(InboxLeasing{.kinds = {"invoices"}});
  run(InboxFailing{.id = id, .fence = 1});
  on.advance(1min);
  run(InboxLeasing{.kinds = {"invoices"}});
  on.advance(1min);
  on.sweep();
  run(InboxRetrying{.id = id});
  run(InboxLeasing{.kinds = {"invoices"}});
  run(InboxCompleting{.id = id, .fence = 3});
  on.submit(bank_webhook("evt_2"));
  return all_records(on.store());
}

struct Broken {
  std::set<std::string> books;
  std::set<std::string> views;
};

Broken judged(const std::vector<Record>& records) {
  JournalFile file;
  file.write(records);
  return {file.broken_by_audit(), file.broken_by_views()};
}

TEST(WebhooksAudit, finds_nothing_in_a_good_history) {
  const auto records = inbox_history();
  ASSERT_EQ(records.size(), 9U);
  EXPECT_EQ(records[4].kind, webhooks::kinds::died);
  const Broken found = judged(records);
  EXPECT_THAT(found.books, IsEmpty());
  EXPECT_THAT(found.views, IsEmpty());
}

TEST(WebhooksAudit, finds_an_event_that_was_taken_in_twice) {
  auto records = inbox_history();
  records[8].token = records[0].token;
  records[8].detail = records[0].detail;
  const Broken found = judged(records);
  EXPECT_THAT(found.books, Contains("WH-1"));
  EXPECT_THAT(found.views, Contains("WH-1"));
}

TEST(WebhooksAudit, finds_an_entry_that_nobody_took_in) {
  auto records = inbox_history();
  Completed said = *Completed::read(records[7].detail);
  said.id.back() = '7';
  records[7].detail = said.text();
  const Broken found = judged(records);
  EXPECT_THAT(found.books, Contains("WH-2"));
  EXPECT_THAT(found.views, Contains("WH-2"));
}

TEST(WebhooksAudit, finds_an_entry_that_was_done_twice) {
  auto records = inbox_history();
  const Completed said = *Completed::read(records[7].detail);
  records[2].kind = webhooks::kinds::completed;
  records[2].detail = Completed{.id = said.id, .fence = 1, .attempts = 1}.text();
  const Broken found = judged(records);
  EXPECT_THAT(found.books, Contains("WH-3"));
  EXPECT_THAT(found.views, Contains("WH-3"));
}

TEST(WebhooksAudit, finds_a_fence_that_falls) {
  auto records = inbox_history();
  Completed said = *Completed::read(records[7].detail);
  said.fence = 1;
  records[7].detail = said.text();
  const Broken found = judged(records);
  EXPECT_THAT(found.books, Contains("WH-4"));
  EXPECT_THAT(found.views, Contains("WH-4"));
}

TEST(WebhooksAudit, of_what_says_nothing_fails_no_view) {
  for (const char* detail : {"", "{}", "no JSON", "{\"id\":5}"}) {
    for (std::size_t at = 0; at < 8; ++at) {
      auto records = inbox_history();
      records[at].detail = detail;
      EXPECT_FALSE(judged(records).books.empty()) << at << detail;
    }
  }
}

}  // namespace
}  // namespace holdfast::test

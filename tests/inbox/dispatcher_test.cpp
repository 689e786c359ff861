// What follows from webhooks: commands run once, forwards arrive, and nothing is lost on the way.

#include "inbox/dispatcher.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <atomic>
#include <future>
#include <thread>

#include "holdfast/commands.hpp"
#include "holdfast/webhooks.hpp"
#include "inbox/following.hpp"
#include "modules/commands/declaration.hpp"
#include "modules/commands/prepare.hpp"
#include "modules/webhooks/inbox_rows.hpp"
#include "modules/webhooks/kinds.hpp"
#include "store/open.hpp"
#include "support/servers/scripted_provider.hpp"
#include "support/temp_dir.hpp"

namespace holdfast::test {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::HasSubstr;
using webhooks::Follows;
using webhooks::Source;
using webhooks::Status;
using webhooks::WorkRow;

std::shared_ptr<const Source> source(std::string name, Follows follows, std::string target) {
  auto made = std::make_shared<Source>();
  made->name = std::move(name);
  made->follows = follows;
  made->target = std::move(target);
  made->timeout = milliseconds(500);
  made->lease = seconds(1);
  made->attempts_max = 4;
  made->backoff = milliseconds(1);
  made->backoff_max = milliseconds(20);
  return made;
}

std::shared_ptr<const commands::Registry> registry_of(const std::string& url) {
  auto registry = std::make_shared<commands::Registry>();
  auto book = std::make_shared<commands::Declaration>();
  book->entity = "payment";
  book->action = "book";
  auto pull = std::make_shared<commands::Declaration>();
  pull->entity = "parcel";
  pull->action = "ship";
  pull->command_class = commands::CommandClass::i3;
  pull->effect.kind = commands::EffectKind::pull;
  pull->effect.shield = commands::Shield::s2;
  pull->effect.provider = "warehouse";
  registry->commands = {{"payment.book", book}, {"parcel.ship", pull}};
  registry->digest = "0123";
  auto sources = std::make_shared<webhooks::Sources>();
  for (const auto& each : {source("bank", Follows::command, "payment.book"),
                           source("shop", Follows::command, "parcel.ship"),
                           source("lost", Follows::command, "no.command"),
                           source("mirror", Follows::forward, url + "/charges")})
    sources->by_name.emplace(each->name, each);
  registry->webhooks = sources;
  return registry;
}

constexpr const char* a_trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

/// One node: a service on a store, and the dispatcher of its inbox.
class InboxNode {
 public:
  InboxNode(const std::string& store, std::shared_ptr<const commands::Registry> registry,
            Duration stop_limit = seconds(10))
      : registry_(std::move(registry)), preparer_(HashKey{1, 2}) {
    preparer_.put_in_force(registry_);
    auto opened = open_store({.store = store});
    EXPECT_TRUE(opened) << (opened ? "" : opened.error().message);
    ServiceOptions options{.sweep_every = milliseconds(5)};
    options.prepare = [this](Call& call) { preparer_(call); };
    options.on_batch = [this](const BatchReport& batch) {
      if (inbox::Dispatcher* const told = told_) told->note(batch);
    };
    service_ = std::make_unique<Service>(std::move(*opened), system_random(), std::move(options));
    client_ = *outbound::Client::make({.allowed = {"127.0.0.1"}});
    inbox::DispatcherOptions how;
    how.look_every = milliseconds(10);
    how.stop_limit = stop_limit;
    dispatcher_ = std::make_unique<inbox::Dispatcher>(
        *service_, *client_, [this] { return registry_->webhooks; }, std::move(how));
    told_ = dispatcher_.get();
  }
  ~InboxNode() {
    dispatcher_->stop();
    client_->stop();
    service_->stop();
  }

  Answer submit(Call call) {
    auto promise = std::make_shared<std::promise<Answer>>();
    auto answer = promise->get_future();
    service_->submit(std::move(call),
                     [promise](Answer given) { promise->set_value(std::move(given)); });
    return answer.get();
  }
  template <typename P>
  Answer run(P what) {
    return submit({.command = Command(std::move(what)), .token = Token::fresh()});
  }

  /// The entry's id.
  std::string take(const std::string& from, const std::string& event,
                   std::string body = R"({"amount":"1"})") {
    const auto declared = registry_->webhooks->find(from);
    const Answer answer = submit(
        {.command = Command(Receiving{
             .source = from,
             .event_id = event,
             .body = std::move(body),
             .headers = fmt::format(R"({{"Content-Type":"text/x","traceparent":"{}"}})", a_trace),
             .declared = declared}),
         .token = Token(webhooks::event_token(from, event)),
         .caller = {.tenant = "default", .principal = webhooks::principal_of(from)}});
    EXPECT_FALSE(answer.rejection) << answer.text();
    return answer.document.substr(7, answer.document.size() - 9);
  }

  template <typename Row>
  [[nodiscard]] std::optional<Row> row(std::string_view tenant, const std::string& id) const {
    const auto page = service_->store().rows(
        tenant, {.space = Row::space, .key = std::string(webhooks::row_key_in(id))});
    if (!page || page->items.empty()) return std::nullopt;
    return *row_of<Row>(&page->items.front().row);
  }
  [[nodiscard]] std::optional<WorkRow> work(const std::string& id) const {
    return row<WorkRow>("", id);
  }
  [[nodiscard]] Status status(const std::string& id) const {
    const auto left = work(id);
    return left ? left->status() : Status::done;
  }
  [[nodiscard]] bool becomes(const std::string& id, Status wanted) const {
    for (int i = 0; i < 3000; ++i) {
      if (status(id) == wanted) return true;
      std::this_thread::sleep_for(milliseconds(10));
    }
    return false;
  }
  [[nodiscard]] std::size_t count(RecordKind kind) const {
    const auto records = service_->store().records(0, 100000);
    return static_cast<std::size_t>(std::count_if(
        records->begin(), records->end(), [&](const Record& each) { return each.kind == kind; }));
  }

 private:
  const std::shared_ptr<const commands::Registry> registry_;
  commands::Preparer preparer_;
  std::atomic<inbox::Dispatcher*> told_{nullptr};
  std::unique_ptr<Service> service_;
  std::unique_ptr<outbound::Client> client_;
  std::unique_ptr<inbox::Dispatcher> dispatcher_;
};

constexpr RecordKind command_executed{2002};
constexpr RecordKind command_accepted{2001};

TEST(Inbox, submits_a_command_once) {
  InboxNode node(":memory:", registry_of("http://127.0.0.1:1"));
  const std::string id = node.take("bank", "evt_1");
  EXPECT_TRUE(node.becomes(id, Status::done));
  EXPECT_EQ(node.take("bank", "evt_1"), id);
  EXPECT_EQ(node.count(command_executed), 1U);
}

TEST(Inbox, waits_until_its_command_has_settled) {
  InboxNode node(":memory:", registry_of("http://127.0.0.1:1"));
  const std::string id = node.take("shop", "evt_1");
  std::string leased;
  for (int i = 0; i < 1000 && leased.find("command_id") == std::string::npos; ++i) {
    leased = node.run(Leasing{.kinds = {"warehouse"}, .lease = seconds(60)}).document;
    std::this_thread::sleep_for(milliseconds(5));
  }
  const std::size_t at = leased.find("\"command_id\":\"");
  ASSERT_NE(at, std::string::npos);
  const std::string command = leased.substr(at + 14, leased.find('"', at + 14) - at - 14);
  EXPECT_NE(node.status(id), Status::done);
  EXPECT_FALSE(node.run(Completing{.id = command, .fence = 1, .result = "{}"}).rejection);
  EXPECT_TRUE(node.becomes(id, Status::done));
  EXPECT_EQ(node.count(command_accepted), 1U);
}

TEST(Inbox, gives_up_what_makes_no_command_and_keeps_it) {
  InboxNode node(":memory:", registry_of("http://127.0.0.1:1"));
  const std::string id = node.take("bank", "evt_1", "[]");
  EXPECT_TRUE(node.becomes(id, Status::dead));
  EXPECT_THAT(node.work(id)->lease.error, HasSubstr("not an object"));
  const std::string other = node.take("lost", "evt_1");
  EXPECT_TRUE(node.becomes(other, Status::dead));
  EXPECT_EQ(node.work(other)->lease.attempts, 4U);  // the registry might have been mended
  EXPECT_EQ(node.row<webhooks::PayloadRow>("default", id)->body, "[]");
}

TEST(Inbox, sends_a_webhook_on_as_it_came) {
  ScriptedProvider provider;
  InboxNode node(":memory:", registry_of(provider.url()));
  const std::string body("\x00\xff raw \r\n", 9);
  const std::string id = node.take("mirror", "evt_1", body);
  EXPECT_TRUE(node.becomes(id, Status::done));
  ASSERT_EQ(provider.seen().size(), 1U);
  const auto seen = provider.seen().front();
  EXPECT_EQ(seen.body, body);
  EXPECT_EQ(seen.headers.at("idempotency-key"), id);
  EXPECT_EQ(seen.headers.at("webhook-id"), id);
  EXPECT_EQ(seen.headers.at("x-webhook-source"), "mirror");
  EXPECT_EQ(seen.headers.at("content-type"), "text/x");
  EXPECT_EQ(seen.headers.at("traceparent"), a_trace);
}

TEST(Inbox, tries_again_until_it_arrives_with_one_key) {
  ScriptedProvider provider([](const std::string&, int call) {
    return call == 1 ? Trouble::fails_before : call == 2 ? Trouble::acts_and_dies : Trouble::none;
  });
  InboxNode node(":memory:", registry_of(provider.url()));
  const std::string id = node.take("mirror", "evt_1");
  EXPECT_TRUE(node.becomes(id, Status::done));
  EXPECT_EQ(provider.calls(id), 3);
  EXPECT_EQ(provider.effects(id), 1);
}

TEST(Inbox, gives_up_in_the_end_and_goes_on_when_it_is_told_to) {
  ScriptedProvider provider([](const std::string&, int) { return Trouble::fails_before; });
  InboxNode node(":memory:", registry_of(provider.url()));
  const std::string id = node.take("mirror", "evt_1");
  EXPECT_TRUE(node.becomes(id, Status::dead));
  EXPECT_EQ(provider.calls(id), 4);
  EXPECT_THAT(node.work(id)->lease.error, HasSubstr("500"));
  provider.set_script([](const std::string&, int) { return Trouble::none; });
  EXPECT_FALSE(node.run(InboxRetrying{.id = id}).rejection);
  EXPECT_TRUE(node.becomes(id, Status::done));
  EXPECT_EQ(provider.effects(id), 1);
}

/// The dispatcher is gone before it has said what came of it; another one goes on.
TEST(Inbox, that_is_stopped_in_between_loses_nothing) {
  const TempDir folder;
  const std::string store = (folder.path() / "inbox.db").string();
  ScriptedProvider provider([](const std::string&, int call) {
    return call == 1 ? Trouble::acts_and_hangs : Trouble::none;
  });
  std::string forwarded;
  std::string waiting;
  {
    InboxNode node(store, registry_of(provider.url()), milliseconds(1));
    forwarded = node.take("mirror", "evt_1");
    waiting = node.take("shop", "evt_1");
    provider.wait_for_calls(1);
  }
  provider.release();
  InboxNode node(store, registry_of(provider.url()));
  EXPECT_TRUE(node.becomes(forwarded, Status::done));
  EXPECT_EQ(provider.effects(forwarded), 1);
  EXPECT_EQ(provider.calls(forwarded), 2);
  for (int i = 0; i < 500 && node.count(command_accepted) == 0; ++i)
    std::this_thread::sleep_for(milliseconds(10));
  EXPECT_EQ(node.count(command_accepted), 1U);
  EXPECT_NE(node.status(waiting), Status::done);
}

TEST(Inbox, makes_arguments_of_places_in_the_body) {
  Source from;
  from.args = {{"amount", "/data/amount"}, {"all", "/data"}};
  EXPECT_EQ(*webhooks::arguments_of(from, R"({"data": {"amount": 1.50, "b": [1, "x"]}})"),
            R"({"all":{"amount":1.5,"b":[1,"x"]},"amount":1.5})");
  EXPECT_THAT(webhooks::arguments_of(from, R"({"data": 1})").error(), HasSubstr("/data/amount"));
  EXPECT_FALSE(webhooks::arguments_of(from, "{\"data\":"));
  from.args.clear();
  EXPECT_EQ(*webhooks::arguments_of(from, "{\"b\":1, \"a\":2}"), R"({"a":2,"b":1})");
  EXPECT_FALSE(webhooks::arguments_of(from, "7"));
}

TEST(Inbox, knows_what_an_answer_means) {
  using What = inbox::Ending::What;
  const auto answered = [](int status) {
    return inbox::ending_of(outbound::Result(outbound::Response{.status = status})).what;
  };
  EXPECT_EQ(answered(200), What::done);
  EXPECT_EQ(answered(299), What::done);
  for (const int status : {199, 301, 400, 410, 429, 500, 503})
    EXPECT_EQ(answered(status), What::retry) << status;
}

}  // namespace
}  // namespace holdfast::test

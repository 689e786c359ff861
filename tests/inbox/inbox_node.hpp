#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <memory>
#include <string>
#include <thread>

#include "holdfast/commands.hpp"
#include "holdfast/webhooks.hpp"
#include "inbox/dispatcher.hpp"
#include "modules/commands/declaration.hpp"
#include "modules/commands/prepare.hpp"
#include "modules/webhooks/inbox_rows.hpp"
#include "modules/webhooks/kinds.hpp"
#include "store/open.hpp"

namespace holdfast::test {

[[nodiscard]] inline std::shared_ptr<const webhooks::Source> inbox_source(
    std::string name, webhooks::Follows follows, std::string target, std::uint32_t attempts_max) {
  auto made = std::make_shared<webhooks::Source>();
  made->name = std::move(name);
  made->follows = follows;
  made->target = std::move(target);
  made->timeout = std::chrono::milliseconds(500);
  made->lease = std::chrono::seconds(1);
  made->attempts_max = attempts_max;
  made->backoff = std::chrono::milliseconds(1);
  made->backoff_max = std::chrono::milliseconds(20);
  return made;
}

/// Sources whose webhooks become a command, one whose effect a worker does, one that is not
/// declared, one that is sent on, and one whose entries are pulled.
[[nodiscard]] inline std::shared_ptr<const commands::Registry> inbox_registry(
    const std::string& url, std::uint32_t attempts_max = 4,
    commands::Shield shield = commands::Shield::s2) {
  auto registry = std::make_shared<commands::Registry>();
  auto book = std::make_shared<commands::Declaration>();
  book->entity = "payment";
  book->action = "book";
  auto pull = std::make_shared<commands::Declaration>();
  pull->entity = "parcel";
  pull->action = "ship";
  pull->command_class = commands::CommandClass::i3;
  pull->effect.kind = commands::EffectKind::pull;
  pull->effect.shield = shield;
  pull->effect.attempts_max = attempts_max;
  pull->effect.backoff = std::chrono::milliseconds(1);
  pull->effect.backoff_max = std::chrono::milliseconds(20);
  pull->effect.provider = "warehouse";
  registry->commands = {{"payment.book", book}, {"parcel.ship", pull}};
  registry->digest = "0123";
  auto sources = std::make_shared<webhooks::Sources>();
  using webhooks::Follows;
  const auto add = [&](const char* name, Follows follows, const std::string& target) {
    sources->by_name.emplace(name, inbox_source(name, follows, target, attempts_max));
  };
  add("bank", Follows::command, "payment.book");
  add("shop", Follows::command, "parcel.ship");
  add("lost", Follows::command, "no.command");
  add("mirror", Follows::forward, url + "/charges");
  add("desk", Follows::pull, "invoices");
  registry->webhooks = sources;
  return registry;
}

/// One node: a service on a store, and the dispatcher of its inbox.
class InboxNode {
 public:
  struct Options {
    Duration stop_limit = std::chrono::seconds(10);
    StageObserver observer{};
  };

  InboxNode(const std::string& store, std::shared_ptr<const commands::Registry> registry)
      : InboxNode(store, std::move(registry), Options{}) {}
  InboxNode(const std::string& store, std::shared_ptr<const commands::Registry> registry,
            const Options& given)
      : registry_(std::move(registry)), preparer_(HashKey{1, 2}) {
    preparer_.put_in_force(registry_);
    auto opened = open_store({.store = store, .observer = given.observer});
    EXPECT_TRUE(opened) << (opened ? "" : opened.error().message);
    ServiceOptions options{.sweep_every = std::chrono::milliseconds(5)};
    options.observer = given.observer;
    options.prepare = [this](Call& call) { preparer_(call); };
    options.on_batch = [this](const BatchReport& batch) {
      if (inbox::Dispatcher* const told = told_) told->note(batch);
    };
    service_ = std::make_unique<Service>(std::move(*opened), system_random(), std::move(options));
    client_ = *outbound::Client::make({.allowed = {"127.0.0.1"}});
    inbox::DispatcherOptions how;
    how.look_every = std::chrono::milliseconds(10);
    how.stop_limit = given.stop_limit;
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
                   std::string body = R"({"amount":"1"})",
                   std::string headers = R"({"Content-Type":"text/x"})") {
    const auto declared = registry_->webhooks->find(from);
    const Answer answer =
        submit({.command = Command(Receiving{.source = from,
                                             .event_id = event,
                                             .body = std::move(body),
                                             .headers = std::move(headers),
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
  [[nodiscard]] std::optional<webhooks::WorkRow> work(const std::string& id) const {
    return row<webhooks::WorkRow>("", id);
  }
  [[nodiscard]] webhooks::Status status(const std::string& id) const {
    const auto left = work(id);
    return left ? left->status() : webhooks::Status::done;
  }
  [[nodiscard]] bool becomes(const std::string& id, webhooks::Status wanted) const {
    for (int i = 0; i < 3000; ++i) {
      if (status(id) == wanted) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return false;
  }
  [[nodiscard]] const Store& store() const { return service_->store(); }
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

}  // namespace holdfast::test

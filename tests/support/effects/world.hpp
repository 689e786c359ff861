#pragma once

#include <fmt/format.h>

#include <atomic>
#include <future>
#include <memory>
#include <string>
#include <vector>

#include "effects/dispatcher.hpp"
#include "effects/push.hpp"
#include "effects/secrets_file.hpp"
#include "modules/commands/command_row.hpp"
#include "support/servers/scripted_provider.hpp"

/// Commands with effects, a service, and a dispatcher, in one process.
namespace holdfast::test {

/// `pay.s1` to `pay.s4`, each a push to that provider behind the shield of its name, `refund.do`,
/// which compensates, and `free.do` without an effect. Pauses and leases are short. Arguments may
/// have `card`, which is secret.
struct Pays {
  std::string url{};
  std::uint32_t attempts_max = 4;
  Duration timeout = std::chrono::seconds(1);
  Duration lease = std::chrono::seconds(5);
  std::size_t concurrency_max = 64;
  std::uint32_t circuit_failures = 1'000'000;
  Duration circuit_pause = std::chrono::milliseconds(50);
};
[[nodiscard]] std::shared_ptr<commands::Registry> registry_of(const Pays& pays);

/// A submission of `pay.<shield>` with that key.
[[nodiscard]] Call pay(const std::string& shield, const std::string& key, std::string tenant = {});

/// What a dispatcher needs, and the dispatcher, beside a service.
class Hands {
 public:
  /// Wraps what calls providers.
  using Wrap =
      std::function<std::shared_ptr<effects::Performer>(std::shared_ptr<effects::Performer>)>;

  Hands(Service& service, std::shared_ptr<const commands::Preparer> preparer,
        const std::string& secrets_file, const Wrap& wrap = {},
        Duration stop_limit = std::chrono::seconds(5));
  ~Hands() { stop(); }
  Hands(const Hands&) = delete;
  Hands& operator=(const Hands&) = delete;

  [[nodiscard]] effects::Dispatcher& dispatcher() { return *dispatcher_; }
  [[nodiscard]] std::vector<std::string> log() const;
  void stop();

 private:
  effects::SecretsFile secrets_;
  std::unique_ptr<outbound::Client> client_;
  mutable std::mutex mutex_;
  std::vector<std::string> log_;  // guarded by mutex_
  std::unique_ptr<effects::Dispatcher> dispatcher_;
};

/// With the key that every node of these tests seals with.
[[nodiscard]] std::shared_ptr<commands::Preparer> preparer_of(
    std::shared_ptr<const commands::Registry> registry);

/// One node: a service on a store, and a dispatcher.
class Node {
 public:
  struct Options {
    Duration sweep_every = std::chrono::milliseconds(5);
    std::string secrets_file{};
    StageObserver observer{};
    Hands::Wrap wrap{};
    Duration stop_limit = std::chrono::seconds(5);
    bool dispatches = true;
  };

  /// On the store of that name, with the system's clock.
  Node(const std::string& store, std::shared_ptr<const commands::Registry> registry,
       Options options);
  Node(const std::string& store, std::shared_ptr<const commands::Registry> registry)
      : Node(store, std::move(registry), Options{}) {}
  ~Node();

  Answer submit(Call call);
  /// How the command of that key stands; nothing if there is none.
  [[nodiscard]] std::optional<commands::CommandRow> command(
      const std::string& key, const std::string& tenant = "default") const;
  /// The same, once it is in progress no more.
  [[nodiscard]] commands::CommandRow outcome(const std::string& key,
                                             const std::string& tenant = "default") const;
  /// Submits a command and waits for its outcome.
  commands::CommandRow run(const std::string& shield, const std::string& key);

  void put_in_force(std::shared_ptr<const commands::Registry> registry);
  [[nodiscard]] Service& service() { return *service_; }
  [[nodiscard]] effects::Dispatcher& dispatcher() { return hands_->dispatcher(); }
  [[nodiscard]] std::vector<std::string> log() const { return hands_->log(); }
  /// Every word of every record.
  [[nodiscard]] std::string journal() const;
  void stop();

 private:
  const std::shared_ptr<commands::Preparer> preparer_;
  std::atomic<effects::Dispatcher*> told_{nullptr};
  std::unique_ptr<Service> service_;
  std::unique_ptr<Hands> hands_;
};

}  // namespace holdfast::test

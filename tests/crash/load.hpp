#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <mutex>
#include <random>
#include <thread>
#include <vector>

#include "crash/opening.hpp"

namespace holdfast::test {

/// Hears what clients know: what they asked, and what they were told. Called by their threads.
class Listener {
 public:
  virtual ~Listener() = default;
  /// Before the call is made. The number stands for it in `told`.
  virtual std::uint64_t sent(const Call& call) = 0;
  /// After the answer was received.
  virtual void told(std::uint64_t number, const Answer& answer) = 0;
};

struct LoadOptions {
  std::uint64_t seed = 1;
  std::size_t clients = 4;
  std::uint64_t calls_each = std::numeric_limits<std::uint64_t>::max();
};

/// Clients that do a bit of everything: place, confirm, extend, cancel, release, expire, all of it
/// in groups, too, and declare; repeat themselves, click twice, and use a token for something else.
/// Holds last from a millisecond to an hour, and the few resources are fought over. Which calls are
/// made follows from the seed, but for the ids of holds; how they interleave does not.
class Load {
 public:
  Load(Service& service, LoadOptions options, Listener& listener)
      : service_(service), options_(options), listener_(listener) {
    HoldQuery query;
    query.state = HoldState::held;
    if (const auto page = service.store().holds("default", query)) {
      for (const HoldDetails& each : page->items) holds_.push_back(each.hold.id);
    }
  }

  /// Returns when every client has made its calls, or the store takes no more.
  void run() {
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < options_.clients; ++i)
      threads.emplace_back([this, i] { client(i); });
    for (std::thread& thread : threads) thread.join();
  }

 private:
  using Dice = std::mt19937_64;

  struct Client {
    std::size_t number;
    Dice dice;
    std::uint64_t tokens = 0;
    std::vector<Call> past{};
  };

  static std::uint64_t draw(Dice& dice, std::uint64_t most) { return dice() % (most + 1); }

  void client(std::size_t number) {
    Client self{number, Dice(options_.seed * 1000 + number)};
    for (std::uint64_t i = 0; i < options_.calls_each; ++i) {
      std::vector<Call> calls = next(self);
      if (!make(calls)) return;
      for (Call& call : calls) self.past.push_back(std::move(call));
    }
  }

  /// All of them at once. False when the store has no answer any more.
  bool make(const std::vector<Call>& calls) {
    std::vector<std::pair<std::uint64_t, std::future<Answer>>> asked;
    for (const Call& call : calls) {
      const std::uint64_t number = listener_.sent(call);
      asked.emplace_back(number, ask(service_, call));
    }
    bool answered = true;
    for (auto& [number, future] : asked) {
      const Answer answer = future.get();
      listener_.told(number, answer);
      if (answer.rejection == Rejection::store_unavailable) answered = false;
      learn(answer);
    }
    return answered;
  }

  void learn(const Answer& answer) {
    if (!answer.ok()) return;
    const std::lock_guard lock(mutex_);
    if (answer.operation == Operation::hold_place) holds_.push_back(answer.hold->id);
    if (answer.operation != Operation::group_place) return;
    const auto group = group_in(answer);
    groups_.push_back(group->id);
    for (const Hold& each : group->holds) holds_.push_back(each.id);
  }

  std::vector<Call> next(Client& self) {
    const std::uint64_t roll = draw(self.dice, 99);
    if (self.past.empty() || roll < 27) return {fresh(self, place(self))};
    if (roll < 60) return {fresh(self, change(self))};
    if (roll < 66) return {fresh(self, Command::confirm(some_hold(self)))};
    if (roll < 72) return {fresh(self, Command::release(some_hold(self)))};
    if (roll < 78) return {fresh(self, Command::expire(some_hold(self)))};
    if (roll < 83) return {fresh(self, Command::declare(resource(self), capacity(self)))};
    if (roll < 90) return {earlier(self)};
    if (roll < 95) {
      Call twice = fresh(self, place(self));
      return {twice, twice};
    }
    return {another_body(self)};
  }

  /// What a hold can go through while it stands, and all of it together.
  Command change(Client& self) {
    const Duration duration = lasting(self);
    std::optional<std::int64_t> part;
    if (draw(self.dice, 3) != 0) part = 1;
    switch (draw(self.dice, 9)) {
      case 0:
        return Command(Extending{.hold = some_hold(self), .duration = duration});
      case 1:
      case 2:
        return Command(Confirming{.hold = some_hold(self), .quantity = 1});
      case 3:
        return Command(Confirming{.hold = some_hold(self), .quantity = 1, .final = true});
      case 4:
        return Command(Cancelling{.hold = some_hold(self), .quantity = part});
      case 5:
        return Command(GroupConfirming{some_group(self)});
      case 6:
        return Command(GroupReleasing{some_group(self)});
      case 7:
        return Command(GroupExtending{.group = some_group(self), .duration = duration});
      default:
        return Command(Grouping{.requester = fmt::format("client-{}", self.number),
                                .duration = duration,
                                .holds = {{resource(self), 1}, {resource(self), 1}}});
    }
  }

  Call fresh(Client& self, Command command) const {
    std::string token = fmt::format("{}-{}-{}", options_.seed, self.number, ++self.tokens);
    Call call;
    call.command = std::move(command);
    call.token = Token(std::move(token));
    return call;
  }

  Command place(Client& self) const {
    const Duration duration = lasting(self);
    return Command::place({.resource = resource(self),
                           .requester = fmt::format("client-{}", self.number),
                           .duration = duration,
                           .quantity = static_cast<std::int64_t>(1 + draw(self.dice, 1))});
  }

  static Duration lasting(Client& self) {
    const bool brief = draw(self.dice, 1) == 0;
    return brief ? std::chrono::microseconds(1000 + draw(self.dice, 29'000))
                 : std::chrono::hours(1);
  }

  static std::string resource(Client& self) { return fmt::format("r{}", draw(self.dice, 11)); }
  static std::int64_t capacity(Client& self) {
    return static_cast<std::int64_t>(1 + draw(self.dice, 19));
  }

  /// Anybody's: two clients may well want opposite things of one hold.
  HoldId some_hold(Client& self) {
    const std::lock_guard lock(mutex_);
    if (holds_.empty()) return {.ordinal = 1, .salt = 1};
    const std::uint64_t recent = std::min<std::uint64_t>(holds_.size(), 64);
    return holds_[holds_.size() - 1 - draw(self.dice, recent - 1)];
  }

  GroupId some_group(Client& self) {
    const std::lock_guard lock(mutex_);
    if (groups_.empty()) return {{.ordinal = 1, .salt = 1}};
    const std::uint64_t recent = std::min<std::uint64_t>(groups_.size(), 16);
    return groups_[groups_.size() - 1 - draw(self.dice, recent - 1)];
  }

  static Call earlier(Client& self) { return self.past[draw(self.dice, self.past.size() - 1)]; }

  Call another_body(Client& self) {
    Call call = earlier(self);
    if (draw(self.dice, 1) == 0) {
      call.caller.principal = "stranger";
    } else {
      call.command = Command::declare("r-other", 3);
    }
    return call;
  }

  Service& service_;
  const LoadOptions options_;
  Listener& listener_;
  std::mutex mutex_;
  std::vector<HoldId> holds_;    // guarded by mutex_
  std::vector<GroupId> groups_;  // guarded by mutex_
};

}  // namespace holdfast::test

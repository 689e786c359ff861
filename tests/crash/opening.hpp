#pragma once

#include <future>
#include <memory>
#include <string>

#include "engine/service.hpp"
#include "store/open.hpp"

namespace holdfast::test {

/// How the crash tests, and the processes they kill, open a store.
struct Opening {
  std::string store;
  std::shared_ptr<Clock> clock = system_clock();
  std::string vfs{};
  StageObserver observer{};
  Duration sweep_every{};  ///< zero: never
  int log_pages = 16'384;  ///< few: the log is moved into the database all the time
  Rules rules{};
  std::function<void(Call&)> prepare{};  ///< see `ServiceOptions`
  /// Longer than any test: a token that was ever answered must still be known.
  Duration window = std::chrono::hours(24);
};

[[nodiscard]] inline StoreResult<std::unique_ptr<Service>> open_service(const Opening& opening) {
  StoreOptions options;
  options.store = opening.store;
  options.rules = opening.rules;
  options.window = opening.window;
  options.clock = opening.clock;
  options.observer = opening.observer;
  options.vfs = opening.vfs;
  options.log_pages = opening.log_pages;
  auto store = open_store(std::move(options));
  if (!store) return tl::unexpected(store.error());
  ServiceOptions service;
  service.sweep_every = opening.sweep_every;
  service.observer = opening.observer;
  service.prepare = opening.prepare;
  return std::make_unique<Service>(std::move(*store), system_random(), std::move(service));
}

[[nodiscard]] inline std::future<Answer> ask(Service& service, Call call) {
  auto promise = std::make_shared<std::promise<Answer>>();
  std::future<Answer> answer = promise->get_future();
  service.submit(std::move(call),
                 [promise](Answer given) { promise->set_value(std::move(given)); });
  return answer;
}

[[nodiscard]] inline Answer submit(Service& service, Call call) {
  return ask(service, std::move(call)).get();
}

}  // namespace holdfast::test

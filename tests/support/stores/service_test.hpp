#pragma once

#include <gtest/gtest.h>

#include <condition_variable>
#include <functional>
#include <future>
#include <mutex>
#include <optional>

#include "engine/service.hpp"
#include "support/calls.hpp"
#include "support/journals/audit.hpp"
#include "support/stores/every_store.hpp"
#include "support/stores/store_under_test.hpp"

namespace holdfast::test {

/// Stops whoever comes to a stage of the main path, until it is opened.
class Gate {
 public:
  explicit Gate(Stage stage) : stage_(stage) {}
  void close();
  void open();
  /// Waits until somebody stands before the closed gate.
  void wait_until_somebody_waits();
  void pass(Stage stage);

 private:
  const Stage stage_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool closed_ = false;  // guarded by mutex_
  bool waits_ = false;   // guarded by mutex_
};

/// Runs `what(0)` to `what(count - 1)` on as many threads, which set off together.
void on_threads(std::size_t count, const std::function<void(std::size_t)>& what);

/// A test of the service, queue and threads included, on one embedded store after the other.
/// The invariants must hold of the records it leaves behind.
class ServiceTest : public ::testing::TestWithParam<std::string> {
 protected:
  /// Opened at first use. The sweeper is off unless asked for.
  Service& service(const Rules& rules = {}, ServiceOptions options = quiet());
  [[nodiscard]] static ServiceOptions quiet() {
    ServiceOptions options;
    options.sweep_every = Duration::zero();
    return options;
  }

  std::future<Answer> ask(Call call);
  Answer submit(Call call) { return ask(std::move(call)).get(); }
  [[nodiscard]] SettableClock& clock() { return *place_->clock(); }
  [[nodiscard]] const Store& store() { return service().store(); }

  void TearDown() override;

  Gate gate_{Stage::decide};     ///< closed, it stops the writer: whoever asks meanwhile must queue
  Gate answers_{Stage::answer};  ///< closed, it is a disk that does not come back

 private:
  std::optional<StoreUnderTest> place_;
  std::unique_ptr<Service> service_;
};

}  // namespace holdfast::test

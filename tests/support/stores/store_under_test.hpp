#pragma once

#include <memory>
#include <string>
#include <vector>

#include "holdfast/clock.hpp"
#include "store/open.hpp"
#include "support/calls.hpp"
#include "support/servers/database_server.hpp"
#include "support/temp_dir.hpp"

namespace holdfast::test {

/// Every engine of the product, by name. Every test of stores runs on each.
[[nodiscard]] const std::vector<std::string>& engines();
/// Those that keep everything in the process itself.
[[nodiscard]] bool is_embedded(std::string_view engine);

/// A place for one store, with a clock of its own: opens it, and opens it again.
class StoreUnderTest {
 public:
  /// `engine` is one of `engines()`; tokens are kept as `short_rules` says. A shared one gets an
  /// empty database on a real server.
  StoreUnderTest(std::string engine, Rules rules);

  /// Fails the test, and stops it, if the store cannot be opened.
  [[nodiscard]] std::unique_ptr<Store> open() const;

  /// Whether a store is found again after it was closed.
  [[nodiscard]] bool persistent() const { return engine_ != "memory"; }
  /// Whether it is in a database that other nodes may use as well.
  [[nodiscard]] bool shared() const { return !is_embedded(engine_); }
  /// What `Options::store` has to be for it.
  [[nodiscard]] std::string name() const;
  [[nodiscard]] const Rules& rules() const { return rules_; }
  /// Opens it with another window from now on: the one it has by now.
  void expect_window(Duration window) { rules_.window = window; }
  [[nodiscard]] const std::shared_ptr<SettableClock>& clock() const { return clock_; }

 private:
  const std::string engine_;
  Rules rules_;
  const std::unique_ptr<TempDir> dir_;  // where it is kept, if it is
  const std::unique_ptr<TestDatabase> database_;
  const std::shared_ptr<SettableClock> clock_ = std::make_shared<SettableClock>(start);
};

}  // namespace holdfast::test

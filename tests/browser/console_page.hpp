#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "keys/keys.hpp"
#include "support/http/http_server.hpp"
#include "support/processes/browser.hpp"
#include "support/processes/service_process.hpp"
#include "support/temp_dir.hpp"

namespace holdfast::test {

/// The operator's page of a real service, in a real browser. The browser is the same for all tests
/// of a run; each has a service and a store of its own.
class ConsolePage : public testing::Test {
 protected:
  static void TearDownTestSuite() { shared_browser().reset(); }
  /// Skips the test where there is no browser.
  void SetUp() override;
  /// The records keep every promise, whatever was clicked.
  void TearDown() override;

  [[nodiscard]] Browser& browser() const { return *shared_browser(); }
  [[nodiscard]] std::string store() const { return dir_.file("holdfast.db"); }
  [[nodiscard]] std::string url() const;
  /// The same store under other flags.
  void restart(std::vector<std::string> flags);
  /// Opens the page and waits until it has read what it shows.
  void open(const std::string& address = {}) const;

  /// Asks as another client of the same service.
  [[nodiscard]] Answered call(const std::string& method, const std::string& target,
                              Headers headers = {}, const std::string& body = {}) const;
  /// The id of a hold that another client places.
  [[nodiscard]] std::string placed(const std::string& resource,
                                   const std::string& requester = "guest_k22",
                                   const std::string& duration = "PT15M") const;
  /// What happened so far, such as `hold.placed`, in order.
  [[nodiscard]] std::vector<std::string> events() const;
  /// A key, and from now on only whoever has one is let in.
  [[nodiscard]] std::string new_key(http::Role role, const std::string& tenant = "default");

  /// Fills the form and leaves the button alone.
  void fill_placing(const std::string& resource, const std::string& requester) const;
  /// Waits for what the page says of the newest action: `done`, `replayed`, `refused`, `not known`.
  void wait_for_action(const std::string& state) const;

  std::optional<ServiceProcess> service_;

 private:
  static std::unique_ptr<Browser>& shared_browser();

  TempDir dir_;
  std::string audit_key_;
};

}  // namespace holdfast::test

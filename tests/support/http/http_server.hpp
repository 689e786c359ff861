#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "http/server.hpp"
#include "keys/keys.hpp"
#include "support/http/raw_connection.hpp"
#include "support/json.hpp"
#include "support/temp_dir.hpp"

namespace holdfast::test {

struct Header {
  std::string name;
  std::string value;
};
using Headers = std::vector<Header>;

/// A request as it goes over the wire.
[[nodiscard]] std::string request_text(const std::string& method, const std::string& target,
                                       const Headers& headers = {}, const std::string& body = {});

/// Holds the engine at a stage until it is let go, at the latest when it goes. What the observer
/// looks at lives on: the server outlives a test's body.
class HeldStage {
 public:
  HeldStage() = default;
  ~HeldStage() { let_go(); }
  HeldStage(const HeldStage&) = delete;
  HeldStage& operator=(const HeldStage&) = delete;

  void let_go() { *held_ = false; }
  [[nodiscard]] StageObserver at(Stage where) const {
    return [held = held_, where](Stage stage) {
      while (stage == where && *held) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    };
  }

 private:
  const std::shared_ptr<std::atomic<bool>> held_ = std::make_shared<std::atomic<bool>>(true);
};

/// The service, in this process, on a free port, with a store and a clock of its own.
class HttpTest : public testing::Test {
 protected:
  HttpTest();
  ~HttpTest() override;

  /// Starts it with these settings; the store and the address are filled in.
  void start(http::Settings settings = {});
  void stop();
  /// Stops it and starts it again on the same store.
  void restart();

  [[nodiscard]] std::uint16_t port() const { return server_->port(); }
  [[nodiscard]] RawConnection connect() const { return RawConnection(port()); }

  /// One request on a connection of its own.
  [[nodiscard]] Answered call(const std::string& method, const std::string& target,
                              const Headers& headers = {}, const std::string& body = {}) const;
  [[nodiscard]] Answered get(const std::string& target, const Headers& headers = {}) const {
    return call("GET", target, headers);
  }
  /// Places a hold with that key.
  [[nodiscard]] Answered place(const std::string& key, const std::string& body,
                               Headers headers = {}) const;
  /// The body that holds a resource for a quarter of an hour.
  [[nodiscard]] static std::string holding(const std::string& resource,
                                           const std::string& requester = "guest_g91");

  [[nodiscard]] std::string new_key(const std::string& tenant, const std::string& principal,
                                    http::Role role) const;
  [[nodiscard]] static Headers with_key(const std::string& credential) {
    return {{"Authorization", "Bearer " + credential}};
  }

  /// Events there are, of the default tenant.
  [[nodiscard]] std::size_t events() const;
  [[nodiscard]] std::uint64_t records() const {
    return server_->service().store().counts().records;
  }
  /// Whether the token has an outcome.
  [[nodiscard]] bool is_used(const std::string& token) const {
    return get("/v1/tokens/" + token).status == 200;
  }
  /// Whether it comes true within half a minute.
  [[nodiscard]] static bool eventually(const std::function<bool()>& condition);

  /// Everything the service logged so far.
  [[nodiscard]] std::string logged() const;

  TempDir dir_;
  std::shared_ptr<SettableClock> clock_;
  http::Settings settings_;
  std::unique_ptr<http::Server> server_;
  StageObserver observer_;

 private:
  struct Lines;
  std::shared_ptr<Lines> lines_;
};

}  // namespace holdfast::test

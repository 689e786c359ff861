#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <mutex>
#include <string>
#include <vector>

#include "holdfast/client.hpp"
#include "support/calls.hpp"
#include "support/servers/fake_server.hpp"

namespace holdfast::test {

/// Time that passes only by waiting, which takes none.
class SimulatedPace final : public Pace {
 public:
  [[nodiscard]] Duration elapsed() const override;
  void wait(Duration time) override;
  [[nodiscard]] std::vector<Duration> waits() const;

 private:
  mutable std::mutex mutex_;
  std::vector<Duration> waits_;  // guarded by mutex_
};

/// The body of a hold on room_307, just placed.
[[nodiscard]] std::string held_body();
inline const HoldId held_id{0x2a, 0x0f3c9d1e5b7a842};
inline const Placing stay{.resource = "room_307", .requester = "guest_g91", .duration = 24h};

/// A client of a server with a script.
class FakeServerTest : public testing::Test {
 protected:
  /// Options that suit the server. Sockets are real and time is not, so what hangs is cut off soon.
  [[nodiscard]] ClientOptions options() const;
  [[nodiscard]] Client client() const { return client(options()); }
  [[nodiscard]] static Client client(ClientOptions options);

  void script(std::vector<ServerStep> steps) {
    for (ServerStep& each : steps) server_.then(std::move(each));
  }
  /// The tokens the server saw, in order.
  [[nodiscard]] std::vector<std::string> tokens() const;

  FakeServer server_;
  std::shared_ptr<SimulatedPace> pace_ = std::make_shared<SimulatedPace>();
};

/// Of a Reply.
MATCHER(is_unknown, "is an unknown outcome") {
  return !arg && arg.error().effect == Effect::unknown;
}
MATCHER_P2(is_refused, status, code, "is refused") {
  return !arg && arg.error().effect == Effect::none && arg.error().trouble.status == status &&
         arg.error().trouble.code == code;
}
MATCHER(is_done, "is done") { return arg.has_value() && arg->ok(); }

}  // namespace holdfast::test

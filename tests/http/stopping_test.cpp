// A stop: nothing more is accepted, what was accepted is answered, and nobody can hold it up.

#include <future>
#include <thread>

#include "support/http/http_server.hpp"

namespace holdfast::test {
namespace {

class Stopping : public HttpTest {
 protected:
  /// Whether somebody new is still let in.
  [[nodiscard]] static bool is_served(std::uint16_t port) {
    try {
      RawConnection another(port);
      (void)another.send(request_text("GET", "/livez"));
      return another.read().has_value();
    } catch (const std::exception&) {
      return false;  // refused
    }
  }
};

TEST_F(Stopping, AnswersWhatWasAcceptedAndAcceptsNothingMore) {
  HeldStage held;
  observer_ = held.at(Stage::write);
  start();
  RawConnection accepted = connect();
  ASSERT_TRUE(accepted.send(
      request_text("POST", "/v1/holds", {{"Idempotency-Key", "k-1"}}, holding("room_307"))));
  ASSERT_TRUE(eventually([&] { return server_->service().is_under_way("default", "k-1"); }));
  RawConnection idle = connect();
  ASSERT_TRUE(idle.send(request_text("GET", "/livez")));
  ASSERT_TRUE(idle.read());
  std::thread stopping([&, server = server_.get()] { server->stop(); });
  EXPECT_EQ(idle.read_to_end(), "") << "closed at once";
  EXPECT_TRUE(eventually([port = port()] { return !is_served(port); }));
  held.let_go();
  const Answered answered = accepted.read().value_or(Answered{});
  EXPECT_EQ(answered.status, 201);
  EXPECT_EQ(answered.header("connection"), "close");
  EXPECT_EQ(accepted.read_to_end(), "");
  stopping.join();
}

TEST_F(Stopping, DoesNotWaitForWhoeverDoesNotRead) {
  http::Settings settings;
  settings.limits.stop_deadline = std::chrono::milliseconds(300);
  settings.limits.write_deadline = std::chrono::hours(1);
  settings.limits.batch_body_bytes_max = std::size_t{64} * 1024 * 1024;
  start(settings);
  RawConnection connection = connect();
  std::string all;
  for (int i = 0; i < 120; ++i) all += request_text("GET", "/openapi.json");
  ASSERT_TRUE(connection.send(all));
  const auto answered = [&] {
    return get("/metrics").body.find(R"(route="/openapi.json",status="200"} 120)") !=
           std::string::npos;
  };
  ASSERT_TRUE(eventually(answered));
  std::future<void> stopped = std::async(std::launch::async, [&] { server_->stop(); });
  const bool in_time = stopped.wait_for(std::chrono::seconds(30)) == std::future_status::ready;
  EXPECT_TRUE(in_time) << "it would have waited for an hour";
  connection.reset();
}

TEST_F(Stopping, EndsStreams) {
  http::Settings settings;
  settings.limits.stop_deadline = std::chrono::hours(1);  // nothing is cut
  start(settings);
  RawConnection connection = connect();
  ASSERT_TRUE(
      connection.send(request_text("GET", "/v1/events", {{"Accept", "text/event-stream"}})));
  ASSERT_NE(connection.read_until("retry:"), "");
  std::future<void> stopped = std::async(std::launch::async, [&] { server_->stop(); });
  EXPECT_THAT(connection.read_to_end(), testing::EndsWith("0\r\n\r\n")) << "in good order";
  EXPECT_EQ(stopped.wait_for(std::chrono::seconds(30)), std::future_status::ready);
}

}  // namespace
}  // namespace holdfast::test

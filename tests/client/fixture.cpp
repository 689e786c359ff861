#include "client/fixture.hpp"

#include <numeric>

#include "wire/body.hpp"

namespace holdfast::test {

Duration SimulatedPace::elapsed() const {
  const std::lock_guard lock(mutex_);
  return std::accumulate(waits_.begin(), waits_.end(), Duration::zero());
}

void SimulatedPace::wait(Duration time) {
  const std::lock_guard lock(mutex_);
  waits_.push_back(time);
}

std::vector<Duration> SimulatedPace::waits() const {
  const std::lock_guard lock(mutex_);
  return waits_;
}

std::string held_body() {
  Answer answer;
  answer.operation = Operation::hold_place;
  answer.hold = Hold{.id = held_id,
                     .resource = stay.resource,
                     .requester = stay.requester,
                     .quantity = 1,
                     .state = HoldState::held,
                     .placed_at = start,
                     .expires_at = start + 24h,
                     .resolved_at = std::nullopt};
  return answer_body(answer);
}

ClientOptions FakeServerTest::options() const {
  return {.url = server_.url(),
          .answer_timeout = 10s,
          .clock = std::make_shared<SettableClock>(start),
          .random = seeded_random(1),
          .pace = pace_};
}

Client FakeServerTest::client(ClientOptions options) {
  auto client = connect(std::move(options));
  EXPECT_TRUE(client) << client.error().message;
  return std::move(*client);
}

std::vector<std::string> FakeServerTest::tokens() const {
  std::vector<std::string> tokens;
  for (const Seen& each : server_.seen()) tokens.push_back(each.header("idempotency-key"));
  return tokens;
}

}  // namespace holdfast::test

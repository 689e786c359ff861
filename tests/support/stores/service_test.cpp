#include "support/stores/service_test.hpp"

#include <gmock/gmock.h>

#include <latch>
#include <thread>
#include <vector>

namespace holdfast::test {

void Gate::close() {
  const std::lock_guard lock(mutex_);
  closed_ = true;
}

void Gate::open() {
  const std::lock_guard lock(mutex_);
  closed_ = false;
  changed_.notify_all();
}

void Gate::wait_until_somebody_waits() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return waits_; });
}

void Gate::pass(Stage stage) {
  if (stage != stage_) return;
  std::unique_lock lock(mutex_);
  if (!closed_) return;
  waits_ = true;
  changed_.notify_all();
  changed_.wait(lock, [&] { return !closed_; });
  waits_ = false;
}

void on_threads(std::size_t count, const std::function<void(std::size_t)>& what) {
  std::latch together(static_cast<std::ptrdiff_t>(count));
  std::vector<std::thread> threads;
  threads.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    threads.emplace_back([&, i] {
      together.arrive_and_wait();
      what(i);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

Service& ServiceTest::service(const Rules& rules, ServiceOptions options) {
  if (!service_) {
    place_.emplace(GetParam(), rules);
    options.observer = [this](Stage stage) {
      gate_.pass(stage);
      answers_.pass(stage);
    };
    service_ = std::make_unique<Service>(place_->open(), seeded_random(1), std::move(options));
  }
  return *service_;
}

std::future<Answer> ServiceTest::ask(Call call) {
  auto promise = std::make_shared<std::promise<Answer>>();
  std::future<Answer> answer = promise->get_future();
  service().submit(std::move(call),
                   [promise](Answer given) { promise->set_value(std::move(given)); });
  return answer;
}

void ServiceTest::TearDown() {
  gate_.open();
  answers_.open();
  if (!service_) return;
  service_->stop();
  EXPECT_THAT(violations(service_->store()), ::testing::IsEmpty());
  service_.reset();
  if (!place_->persistent()) return;
  EXPECT_THAT(violations(*place_->open()), ::testing::IsEmpty()) << "after opening it again";
}

}  // namespace holdfast::test

// A log is never a reason to wait.

#include <fcntl.h>
#include <gmock/gmock.h>
#include <poll.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <array>
#include <csignal>

#include "holdfast/clock.hpp"
#include "http/monitoring/background_sink.hpp"
#include "http/monitoring/log.hpp"

namespace holdfast::test {
namespace {

using testing::EndsWith;
using testing::HasSubstr;

class PipedLog : public testing::Test {
 protected:
  PipedLog() {
    std::signal(SIGPIPE, SIG_IGN);  // as the program does
    EXPECT_EQ(::pipe2(ends_.data(), O_CLOEXEC), 0);
  }
  /// The end that is written to stays open, as it must.
  ~PipedLog() override {
    log_.reset();
    ::close(ends_.front());
  }

  void open() {
    log_ =
        std::make_unique<http::Log>(http::LogLevel::info, system_clock(),
                                    std::make_shared<spdlog::logger>(
                                        "t", std::make_shared<http::BackgroundSink>(ends_.back())));
  }

  /// What comes until `wanted` is among it; less if nothing comes for long.
  std::string read_until(const std::string& wanted) {
    std::string all;
    std::array<char, 65536> bytes{};
    while (all.find(wanted) == std::string::npos) {
      pollfd wanted_end{ends_.front(), POLLIN, 0};
      if (::poll(&wanted_end, 1, 30'000) <= 0) break;
      const ssize_t count = ::read(ends_.front(), bytes.data(), bytes.size());
      if (count <= 0) break;
      all.append(bytes.data(), static_cast<std::size_t>(count));
    }
    return all;
  }

  std::array<int, 2> ends_{};
  std::unique_ptr<http::Log> log_;
};

TEST_F(PipedLog, LinesComeInOrder) {
  open();
  for (int i = 0; i < 100; ++i) log_->write(http::LogLevel::info, "line " + std::to_string(i));
  const std::string all = read_until("line 99\"");
  EXPECT_LT(all.find("line 1\""), all.find("line 98\""));
  EXPECT_THAT(all, EndsWith("}\n"));
}

/// It would hang here otherwise: the pipe holds less than that.
TEST_F(PipedLog, NobodyWaitsForAReaderThatDoesNotRead) {
  open();
  const std::string long_message(1000, 'x');
  for (int i = 0; i < 5000; ++i) log_->write(http::LogLevel::info, long_message);
  EXPECT_THAT(read_until("were dropped"), HasSubstr("lines of the log were dropped"));
}

TEST_F(PipedLog, NorDoesTheEnd) {
  open();
  for (int i = 0; i < 5000; ++i) log_->write(http::LogLevel::info, std::string(1000, 'x'));
  log_.reset();
}

TEST_F(PipedLog, WhatWasLoggedIsThereInTheEnd) {
  open();
  log_->write(http::LogLevel::info, "last words");
  log_.reset();
  EXPECT_THAT(read_until("last words"), HasSubstr("last words"));
}

}  // namespace
}  // namespace holdfast::test

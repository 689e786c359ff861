#include "support/processes/child_process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "base/assert.hpp"

extern char** environ;

namespace holdfast::test {

ChildProcess::ChildProcess(const std::vector<std::string>& arguments) {
  std::array<int, 2> ends{};
  HOLDFAST_ASSERT(::pipe2(ends.data(), O_CLOEXEC) == 0);
  posix_spawn_file_actions_t actions;
  HOLDFAST_ASSERT(::posix_spawn_file_actions_init(&actions) == 0);
  HOLDFAST_ASSERT(::posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO) == 0);
  std::vector<std::string> copies = arguments;
  std::vector<char*> pointers;
  for (std::string& each : copies) pointers.push_back(each.data());
  pointers.push_back(nullptr);
  HOLDFAST_ASSERT(::posix_spawn(&pid_, pointers[0], &actions, nullptr, pointers.data(), environ) ==
                  0);
  ::posix_spawn_file_actions_destroy(&actions);
  ::close(ends[1]);
  output_ = ends[0];
}

ChildProcess::~ChildProcess() {
  if (!ended_) {
    kill();
    wait();
  }
  ::close(output_);
}

std::optional<std::string> ChildProcess::read_line(
    std::optional<std::chrono::microseconds> patience) {
  using std::chrono::steady_clock;
  const auto until = steady_clock::now() + patience.value_or(std::chrono::microseconds::zero());
  while (true) {
    if (const std::size_t end = read_.find('\n', at_); end != std::string::npos) {
      std::string line = read_.substr(at_, end - at_);
      at_ = end + 1;
      return line;
    }
    read_.erase(0, at_);
    at_ = 0;
    timespec left{};
    if (patience) {
      const auto time = std::max(until - steady_clock::now(), steady_clock::duration::zero());
      left = {.tv_sec = time / std::chrono::seconds(1),
              .tv_nsec = (time % std::chrono::seconds(1)) / std::chrono::nanoseconds(1)};
    }
    pollfd waiting{.fd = output_, .events = POLLIN, .revents = 0};
    const int ready = ::ppoll(&waiting, 1, patience ? &left : nullptr, nullptr);
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) return std::nullopt;
    std::array<char, 65536> buffer{};
    const ssize_t size = ::read(output_, buffer.data(), buffer.size());
    if (size <= 0) return std::nullopt;
    read_.append(buffer.data(), static_cast<std::size_t>(size));
  }
}

void ChildProcess::kill() const { ::kill(pid_, SIGKILL); }

int ChildProcess::wait() {
  if (ended_) return *ended_;
  int status = 0;
  while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
  ended_ = WIFSIGNALED(status) ? WTERMSIG(status) : -WEXITSTATUS(status);
  return *ended_;
}

}  // namespace holdfast::test

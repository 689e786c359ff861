#include "provider.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdio>
#include <cstdlib>

#include "limit_server.hpp"

namespace holdfast::bench {

Provider::Provider() {
  std::array<int, 2> ends{};
  if (::pipe(ends.data()) != 0 || (pid_ = ::fork()) < 0) {
    std::perror("provider");
    std::exit(1);
  }
  if (pid_ == 0) {
    ::dup2(ends[1], STDOUT_FILENO);
    ::close(ends[0]);
    serve_limit(200);
  }
  ::close(ends[1]);
  char c = 0;
  while (::read(ends[0], &c, 1) == 1 && c != '\n') url_ += c;
  ::close(ends[0]);
}

Provider::~Provider() {
  ::kill(pid_, SIGKILL);
  ::waitpid(pid_, nullptr, 0);
}

}  // namespace holdfast::bench

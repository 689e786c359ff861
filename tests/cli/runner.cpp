#include "cli/runner.hpp"
#include "support/paths.hpp"

#include <fcntl.h>
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <fstream>
#include <sstream>

namespace holdfast::test {
namespace {

std::string slurp(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::vector<char*> pointers(std::vector<std::string>& words) {
  std::vector<char*> list;
  for (std::string& word : words) list.push_back(word.data());
  list.push_back(nullptr);
  return list;
}

void redirect(int fd, const std::string& path) {
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  ::dup2(file, fd);
}

/// A pipe without a reader.
void make_deaf(int fd) {
  std::array<int, 2> ends{};
  if (::pipe(ends.data()) != 0) return;
  ::dup2(ends[1], fd);
  ::close(ends[0]);
  ::close(ends[1]);
}

[[noreturn]] void become_cli(const std::string& folder, const std::vector<std::string>& arguments,
                             const RunOptions& options) {
  std::vector<std::string> words{HOLDFAST_BUILD_DIR "/holdfast"};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<std::string> environment{"PATH=/usr/bin:/bin"};
  for (const auto& [name, value] : options.environment) environment.push_back(name + "=" + value);
  std::signal(SIGPIPE, SIG_DFL);
  if (::chdir(folder.c_str()) == 0) {
    ::execve(words.front().c_str(), pointers(words).data(), pointers(environment).data());
  }
  ::_exit(127);
}

std::string read_all(int fd) {
  std::string text;
  std::array<char, 4096> chunk{};
  ssize_t size = 0;
  while ((size = ::read(fd, chunk.data(), chunk.size())) > 0) {
    text.append(chunk.data(), static_cast<std::size_t>(size));
  }
  return text;
}

int wait_for(pid_t child) {
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace

Ran run_cli(const std::string& folder, const std::vector<std::string>& arguments,
            const RunOptions& options) {
  Ran ran;
  if (options.terminal) {
    int terminal = -1;
    const pid_t child = ::forkpty(&terminal, nullptr, nullptr, nullptr);
    if (child == 0) become_cli(folder, arguments, options);
    ran.out = read_all(terminal);
    ::close(terminal);
    ran.exit_code = wait_for(child);
    return ran;
  }
  const TempDir scratch;
  const std::string out = options.out_to.empty() ? scratch.file("out") : options.out_to;
  const std::string err = scratch.file("err");
  const pid_t child = ::fork();
  if (child == 0) {
    redirect(2, err);
    if (options.deaf) {
      make_deaf(1);
    } else {
      redirect(1, out);
    }
    become_cli(folder, arguments, options);
  }
  ran.exit_code = wait_for(child);
  if (options.out_to.empty()) ran.out = slurp(out);
  ran.err = slurp(err);
  return ran;
}

Json CliTest::json(std::vector<std::string> arguments, int exit_code) const {
  arguments.insert(arguments.begin(), "--json");
  const Ran ran = run(arguments);
  EXPECT_EQ(ran.exit_code, exit_code) << ran.out << ran.err;
  EXPECT_EQ(std::count(ran.out.begin(), ran.out.end(), '\n'), 1) << ran.out;
  EXPECT_EQ(ran.err, "");
  return Json(ran.out);
}

std::string CliTest::placed(const std::string& resource, const std::string& duration) const {
  return json({"hold", resource, "guest", duration}).text("/answer/id");
}

}  // namespace holdfast::test

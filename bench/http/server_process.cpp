#include "server_process.hpp"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <fstream>
#include <regex>
#include <sstream>
#include <stdexcept>

namespace holdfast::bench {
namespace {

struct Started {
  pid_t pid;
  int output;
};

Started start(const std::vector<std::string>& command) {
  std::array<int, 2> ends{};
  if (::pipe(ends.data()) != 0) throw std::runtime_error("cannot make a pipe");
  const pid_t pid = ::fork();
  if (pid == 0) {
    ::dup2(ends[1], 1);
    ::close(ends[0]);
    std::vector<char*> words;
    for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
    words.push_back(nullptr);
    ::execvp(words[0], words.data());
    ::_exit(127);
  }
  ::close(ends[1]);
  return {pid, ends[0]};
}

}  // namespace

ServerProcess::ServerProcess(const std::vector<std::string>& command) {
  const Started started = start(command);
  pid_ = started.pid;
  output_ = started.output;
  std::string line;
  for (char c = 0; ::read(output_, &c, 1) == 1 && c != '\n';) line += c;
  std::smatch found;
  if (!std::regex_search(line, found, std::regex("http://[0-9.:]+")))
    throw std::runtime_error(command.front() + " did not start: " + line);
  address_ = found[0];
}

ServerProcess::~ServerProcess() {
  ::kill(pid_, SIGTERM);
  ::waitpid(pid_, nullptr, 0);
  ::close(output_);
}

std::uint16_t ServerProcess::port() const {
  return static_cast<std::uint16_t>(std::stoi(address_.substr(address_.rfind(':') + 1)));
}

double ServerProcess::cpu_seconds() const {
  std::ifstream file(fmt::format("/proc/{}/stat", pid_));
  std::string text((std::istreambuf_iterator<char>(file)), {});
  std::istringstream rest(text.substr(text.rfind(')') + 2));
  std::string word;
  for (int i = 0; i < 11; ++i) rest >> word;
  double user = 0;
  double system = 0;
  rest >> user >> system;
  return (user + system) / static_cast<double>(::sysconf(_SC_CLK_TCK));
}

std::uint64_t ServerProcess::resident_bytes() const {
  std::ifstream file(fmt::format("/proc/{}/statm", pid_));
  std::uint64_t all = 0;
  std::uint64_t resident = 0;
  file >> all >> resident;
  return resident * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

std::string output_of(const std::vector<std::string>& command) {
  const Started started = start(command);
  std::string text;
  std::array<char, 4096> bytes{};
  for (ssize_t count = 0; (count = ::read(started.output, bytes.data(), bytes.size())) > 0;)
    text.append(bytes.data(), static_cast<std::size_t>(count));
  ::close(started.output);
  int status = 0;
  ::waitpid(started.pid, &status, 0);
  if (status != 0) throw std::runtime_error(command.front() + " failed: " + text);
  return text;
}

}  // namespace holdfast::bench

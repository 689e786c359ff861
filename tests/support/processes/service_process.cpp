#include "support/processes/service_process.hpp"
#include "support/paths.hpp"

#include <sys/wait.h>

#include <chrono>
#include <csignal>
#include <regex>
#include <stdexcept>

namespace holdfast::test {

ServiceProcess::ServiceProcess(std::string store, std::vector<std::string> arguments)
    : store_(std::move(store)), arguments_(std::move(arguments)) {
  start();
}

void ServiceProcess::start() {
#ifdef HOLDFAST_CLI
  std::vector<std::string> command{HOLDFAST_CLI, "serve",    "--store",
                                   store_,       "--listen", "127.0.0.1:" + std::to_string(port_)};
  command.insert(command.end(), arguments_.begin(), arguments_.end());
  process_.emplace(command);
  const std::string line = process_->read_line(std::chrono::seconds(30)).value_or("");
  std::smatch found;
  if (!std::regex_search(line, found, std::regex(R"(http://127\.0\.0\.1:(\d+))"))) {
    throw std::runtime_error("the service did not start: " + line);
  }
  port_ = static_cast<std::uint16_t>(std::stoi(found[1]));
#else
  throw std::runtime_error("the program is not part of this build");
#endif
}

void ServiceProcess::kill() {
  process_->kill();
  (void)process_->wait();
}

void ServiceProcess::freeze() const {
  ::kill(process_->pid(), SIGSTOP);
  // One thread takes the signal, and stops the others: until then they go on.
  siginfo_t stopped{};
  (void)::waitid(P_PID, static_cast<id_t>(process_->pid()), &stopped, WSTOPPED | WNOWAIT);
}
void ServiceProcess::thaw() const { ::kill(process_->pid(), SIGCONT); }

int ServiceProcess::terminate() {
  ::kill(process_->pid(), SIGTERM);
  return process_->wait();
}

}  // namespace holdfast::test

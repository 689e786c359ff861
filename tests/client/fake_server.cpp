#include "client/fake_server.hpp"

#include <fmt/format.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <sstream>

namespace holdfast::test {
namespace {

/// Reads until `size` bytes are there; false if the peer ends before.
bool fill(int socket, std::string& read, std::size_t size) {
  while (read.size() < size) {
    std::array<char, 4096> chunk{};
    const ssize_t got = ::recv(socket, chunk.data(), chunk.size(), 0);
    if (got <= 0) return false;
    read.append(chunk.data(), static_cast<std::size_t>(got));
  }
  return true;
}

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

Seen parse_header(const std::string& text) {
  Seen seen;
  std::istringstream lines(text);
  lines >> seen.method >> seen.target;
  std::string line;
  std::getline(lines, line);
  while (std::getline(lines, line) && line != "\r") {
    const std::size_t colon = line.find(": ");
    seen.headers[lower(line.substr(0, colon))] = line.substr(colon + 2, line.size() - colon - 3);
  }
  return seen;
}

std::optional<Seen> read_request(int socket, std::string& read) {
  constexpr std::string_view end_of_header = "\r\n\r\n";
  while (read.find(end_of_header) == std::string::npos) {
    if (!fill(socket, read, read.size() + 1)) return std::nullopt;
  }
  const std::size_t header = read.find(end_of_header) + end_of_header.size();
  Seen seen = parse_header(read.substr(0, header));
  const std::string length = seen.header("content-length");
  const std::size_t body = length.empty() ? 0 : std::stoul(length);
  if (!fill(socket, read, header + body)) return std::nullopt;
  seen.body = read.substr(header, body);
  read.erase(0, header + body);
  return seen;
}

}  // namespace

Step answer(int status, std::string body, std::string headers) {
  return {.bytes = [=](const Seen&) {
    return fmt::format("HTTP/1.1 {} X\r\nContent-Length: {}\r\n{}\r\n{}", status, body.size(),
                       headers, body);
  }};
}

Step blurt(std::string bytes) {
  return {.bytes = [=](const Seen&) { return bytes; }, .then = Step::Then::close};
}

Step problem(int status, const std::string& code, bool retryable, const std::string& token_action,
             std::string headers) {
  std::string effect;  // as the server says it of this code
  for (const RejectionRow& each : rejection_table) {
    if (each.code != code || !effect_of(each.id)) continue;
    effect = effect_of(each.id) == Effect::none ? R"("effect":"none",)" : R"("effect":"unknown",)";
  }
  const std::string body = fmt::format(
      R"({{"type":"x","title":"T","status":{},"detail":"D.","code":"{}","retryable":{},)"
      R"("token_action":"{}",{}"request_id":"r1"}})",
      status, code, retryable, token_action, effect);
  return answer(status, body, std::move(headers));
}

Step hang_up() { return {.then = Step::Then::close}; }
Step hang() { return {.then = Step::Then::hang}; }
Step refuse() { return {.then = Step::Then::refuse}; }

void FakeServer::then(Step step) {
  const std::lock_guard lock(mutex_);
  script_.push_back(std::move(step));
}

std::vector<Seen> FakeServer::seen() const {
  const std::lock_guard lock(mutex_);
  return seen_;
}

void FakeServer::serve(int socket) {
  std::string read;
  while (true) {
    // Whether a connection is worth reading from has to be known before.
    const bool refused = [&] {
      const std::lock_guard lock(mutex_);
      return !script_.empty() && script_.front().then == Step::Then::refuse;
    }();
    if (refused) {
      (void)next_step();
      break;
    }
    const auto request = read_request(socket, read);
    if (!request) break;
    const Step step = next_step();
    {
      const std::lock_guard lock(mutex_);
      seen_.push_back(*request);
    }
    const std::string bytes = step.bytes ? step.bytes(*request) : "";
    ::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (step.then == Step::Then::hang) return;
    if (step.then == Step::Then::close) break;
  }
  ::shutdown(socket, SHUT_RDWR);
}

Step FakeServer::next_step() {
  const std::lock_guard lock(mutex_);
  if (script_.empty()) return hang_up();
  Step step = std::move(script_.front());
  script_.pop_front();
  return step;
}

}  // namespace holdfast::test

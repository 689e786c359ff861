#include "support/servers/fake_server.hpp"

#include <fmt/format.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <sstream>
#include <thread>

#include "holdfast/types.hpp"

namespace holdfast::test {
namespace {

/// Reads until `size` bytes are there; false if the peer ends before.
bool fill(const ServerWire& wire, std::string& read, std::size_t size) {
  while (read.size() < size) {
    std::array<char, 4096> chunk{};
    const std::size_t got = wire.receive(chunk.data(), chunk.size());
    if (got == 0) return false;
    read.append(chunk.data(), got);
  }
  return true;
}

std::string in_lower_case(std::string text) {
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
    seen.headers[in_lower_case(line.substr(0, colon))] =
        line.substr(colon + 2, line.size() - colon - 3);
  }
  return seen;
}

std::optional<Seen> read_request(const ServerWire& wire, std::string& read) {
  constexpr std::string_view end_of_header = "\r\n\r\n";
  while (read.find(end_of_header) == std::string::npos) {
    if (!fill(wire, read, read.size() + 1)) return std::nullopt;
  }
  const std::size_t header = read.find(end_of_header) + end_of_header.size();
  Seen seen = parse_header(read.substr(0, header));
  const std::string length = seen.header("content-length");
  const std::size_t body = length.empty() ? 0 : std::stoul(length);
  if (!fill(wire, read, header + body)) return std::nullopt;
  seen.body = read.substr(header, body);
  read.erase(0, header + body);
  return seen;
}

}  // namespace

ServerStep answer(int status, std::string body, std::string headers) {
  return {.bytes = [=](const Seen&) {
    return fmt::format("HTTP/1.1 {} X\r\nContent-Length: {}\r\n{}\r\n{}", status, body.size(),
                       headers, body);
  }};
}

ServerStep blurt(std::string bytes) {
  return {.bytes = [=](const Seen&) { return bytes; }, .then = ServerStep::Then::close};
}

ServerStep problem(int status, const std::string& code, bool retryable,
                   const std::string& token_action, std::string headers) {
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

ServerStep trickle(std::string bytes, std::chrono::milliseconds between) {
  return {.bytes = [=](const Seen&) { return bytes; }, .between = between};
}

ServerStep hang_up() { return {.then = ServerStep::Then::close}; }
ServerStep hang() { return {.then = ServerStep::Then::hang}; }
ServerStep refuse() { return {.then = ServerStep::Then::refuse}; }

void FakeServer::then(ServerStep step) {
  const std::lock_guard lock(mutex_);
  script_.push_back(std::move(step));
}

std::vector<Seen> FakeServer::seen() const {
  const std::lock_guard lock(mutex_);
  return seen_;
}

void FakeServer::always(ServerStep step) {
  const std::lock_guard lock(mutex_);
  always_ = std::move(step);
}

std::string FakeServer::url(const std::string& host) const {
  return fmt::format("{}://{}:{}", tls_ == nullptr ? "http" : "https", host, listener_.port());
}

/// Whether a connection is worth reading from has to be known before.
bool FakeServer::refuses() const {
  const std::lock_guard lock(mutex_);
  return !script_.empty() && script_.front().then == ServerStep::Then::refuse;
}

void FakeServer::serve(int socket) {
  std::optional<ServerWire> wire;
  std::string read;
  while (true) {
    if (refuses()) {
      (void)next_step();
      break;
    }
    if (!wire) wire.emplace(socket, tls_.get());
    const auto request = read_request(*wire, read);
    if (!request) break;
    const ServerStep::Then then = act(*wire, *request);
    if (then == ServerStep::Then::hang) return;
    if (then == ServerStep::Then::close) break;
  }
  ::shutdown(socket, SHUT_RDWR);
}

ServerStep::Then FakeServer::act(const ServerWire& wire, const Seen& request) {
  const ServerStep step = next_step();
  {
    const std::lock_guard lock(mutex_);
    seen_.push_back(request);
  }
  const std::string bytes = step.bytes ? step.bytes(request) : "";
  const bool slow = step.between.count() > 0;
  if (!slow) (void)wire.send(bytes);
  for (std::size_t i = 0; slow && i < bytes.size(); ++i) {
    if (!wire.send(std::string_view(bytes).substr(i, 1))) break;
    std::this_thread::sleep_for(step.between);
  }
  return step.then;
}

ServerStep FakeServer::next_step() {
  const std::lock_guard lock(mutex_);
  if (script_.empty()) return always_.value_or(hang_up());
  ServerStep step = std::move(script_.front());
  script_.pop_front();
  return step;
}

}  // namespace holdfast::test

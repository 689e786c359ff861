#include "support/servers/scripted_provider.hpp"

#include <fmt/format.h>
#include <simdjson.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <chrono>
#include <optional>

namespace holdfast::test {
namespace {

std::string response(int status, std::string_view body) {
  return fmt::format(
      "HTTP/1.1 {} Said\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{}", status,
      body.size(), body);
}

std::string lower(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

/// One request off the front of `in`; nothing, as long as it is not whole.
std::optional<ScriptedProvider::Seen> take_request(std::string& in) {
  const std::size_t end = in.find("\r\n\r\n");
  if (end == std::string::npos) return std::nullopt;
  ScriptedProvider::Seen request;
  const std::size_t first = in.find("\r\n");
  const std::string line = in.substr(0, first);
  const std::size_t space = line.find(' ');
  request.method = line.substr(0, space);
  request.target = line.substr(space + 1, line.rfind(' ') - space - 1);
  for (std::size_t at = first + 2; at < end + 2;) {
    const std::size_t stop = in.find("\r\n", at);
    const std::string header = in.substr(at, stop - at);
    const std::size_t colon = header.find(':');
    if (colon != std::string::npos)
      request.headers[lower(header.substr(0, colon))] =
          header.substr(std::min(header.find_first_not_of(' ', colon + 1), header.size()));
    at = stop + 2;
  }
  const auto length = request.headers.find("content-length");
  const std::size_t size = length == request.headers.end() ? 0 : std::stoul(length->second);
  if (in.size() < end + 4 + size) return std::nullopt;
  request.body = in.substr(end + 4, size);
  in.erase(0, end + 4 + size);
  return request;
}

std::string header_of(const ScriptedProvider::Seen& request, const std::string& name) {
  const auto found = request.headers.find(name);
  return found == request.headers.end() ? std::string() : found->second;
}

template <typename Map>
int count_in(const Map& map, const std::string& key) {
  const auto found = map.find(key);
  return found == map.end() ? 0 : found->second;
}

}  // namespace

ScriptedProvider::ScriptedProvider(Script script)
    : script_(std::move(script)), listener_([this](int socket) { serve(socket); }) {}

ScriptedProvider::~ScriptedProvider() { release(); }

void ScriptedProvider::serve(int socket) {
  std::string in;
  std::array<char, 16384> chunk{};
  while (true) {
    while (auto request = take_request(in)) {
      bool closes = false;
      const std::string out = answer(*request, closes);
      (void)::send(socket, out.data(), out.size(), MSG_NOSIGNAL);
      if (closes) {
        ::shutdown(socket, SHUT_RDWR);
        return;
      }
    }
    const ssize_t size = ::recv(socket, chunk.data(), chunk.size(), 0);
    if (size <= 0) return;
    in.append(chunk.data(), static_cast<std::size_t>(size));
  }
}

std::string ScriptedProvider::answer(const Seen& request, bool& closes) {
  {
    const std::lock_guard lock(mutex_);
    seen_.push_back(request);
  }
  if (request.method == "POST" && request.target == "/refunds") return refund(request);
  if (request.method == "POST") return charge(request, closes);
  return ask(request);
}

std::string ScriptedProvider::charge(const Seen& request, bool& closes) {
  const std::string sent = header_of(request, "idempotency-key");
  const std::string key = sent.empty() ? header_of(request, "x-key") : sent;
  std::unique_lock lock(mutex_);
  const int call = ++calls_[key];
  ++all_calls_;
  busiest_ = std::max(busiest_, ++under_way_);
  changed_.notify_all();
  const Script script = script_;
  lock.unlock();
  const Trouble trouble = script ? script(key, call) : Trouble::none;
  lock.lock();
  const bool idle = trouble == Trouble::dies_before || trouble == Trouble::hangs ||
                    trouble == Trouble::fails_before || trouble == Trouble::turns_away ||
                    trouble == Trouble::refuses;
  if (!idle) act(key, !sent.empty());
  if (trouble == Trouble::hangs || trouble == Trouble::acts_and_hangs)
    changed_.wait(lock, [&] { return released_; });
  if (trouble == Trouble::slow) changed_.wait_for(lock, std::chrono::milliseconds(20));
  --under_way_;
  const std::string done = response(200, fmt::format(R"({{"charge":"{}"}})", key));
  switch (trouble) {
    case Trouble::dies_before:
    case Trouble::acts_and_dies:
    case Trouble::hangs:
    case Trouble::acts_and_hangs:
      closes = true;
      return {};
    case Trouble::garbage:
      closes = true;
      return "well, that is done\r\n\r\n";
    case Trouble::twice:
      return done + done;
    case Trouble::fails_after:
      return response(503, R"({"error":"upstream"})");
    case Trouble::fails_before:
      return response(500, R"({"error":"down"})");
    case Trouble::turns_away:
      return response(429, R"({"error":"later"})");
    case Trouble::refuses:
      return response(422, R"({"error":"card declined"})");
    default:
      return done;
  }
}

/// Needs mutex_.
void ScriptedProvider::act(const std::string& key, bool once) {
  if (once && made_[key] > 0) return;
  effects_[key].insert(fmt::format("{}.{}", key, ++made_[key]));
}

std::string ScriptedProvider::refund(const Seen& request) {
  simdjson::dom::parser parser;
  std::string_view id;
  if (parser.parse(request.body)["id"].get(id) != simdjson::SUCCESS) return response(400, "{}");
  const std::lock_guard lock(mutex_);
  ++refunds_;
  effects_[std::string(id.substr(0, id.rfind('.')))].erase(std::string(id));
  return response(200, R"({"refunded":true})");
}

std::string ScriptedProvider::ask(const Seen& request) {
  const std::string key = request.target.substr(request.target.rfind('/') + 1);
  const std::lock_guard lock(mutex_);
  ++questions_[key];
  if (untold_) return response(500, "{}");
  const std::set<std::string>& made = effects_[key];
  if (!request.target.starts_with("/list/"))
    return made.empty() ? response(404, "{}")
                        : response(200, fmt::format(R"({{"charge":"{}"}})", key));
  std::string items;
  for (const std::string& each : made)
    items += fmt::format(R"({}{{"id":"{}"}})", items.empty() ? "" : ",", each);
  return response(200, fmt::format(R"({{"data":[{}]}})", items));
}

int ScriptedProvider::calls(const std::string& key) const {
  const std::lock_guard lock(mutex_);
  return count_in(calls_, key);
}

int ScriptedProvider::effects(const std::string& key) const {
  const std::lock_guard lock(mutex_);
  const auto found = effects_.find(key);
  return found == effects_.end() ? 0 : static_cast<int>(found->second.size());
}

int ScriptedProvider::questions(const std::string& key) const {
  const std::lock_guard lock(mutex_);
  return count_in(questions_, key);
}

int ScriptedProvider::refunds() const {
  const std::lock_guard lock(mutex_);
  return refunds_;
}

int ScriptedProvider::busiest() const {
  const std::lock_guard lock(mutex_);
  return busiest_;
}

std::vector<ScriptedProvider::Seen> ScriptedProvider::seen() const {
  const std::lock_guard lock(mutex_);
  return seen_;
}

void ScriptedProvider::set_script(Script script) {
  const std::lock_guard lock(mutex_);
  script_ = std::move(script);
}

void ScriptedProvider::stop_telling(bool stopped) {
  const std::lock_guard lock(mutex_);
  untold_ = stopped;
}

void ScriptedProvider::release() {
  const std::lock_guard lock(mutex_);
  released_ = true;
  changed_.notify_all();
}

void ScriptedProvider::wait_for_calls(int count) const {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return all_calls_ >= count; });
}

}  // namespace holdfast::test

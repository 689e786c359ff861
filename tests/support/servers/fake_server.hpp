#pragma once

#include <chrono>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "support/servers/loopback_listener.hpp"
#include "support/servers/server_wire.hpp"

namespace holdfast::test {

/// A request as it arrived. Names of headers are in lower case.
struct Seen {
  std::string method;
  std::string target;
  std::map<std::string, std::string> headers;
  std::string body;

  [[nodiscard]] std::string header(const std::string& name) const {
    const auto found = headers.find(name);
    return found == headers.end() ? "" : found->second;
  }
};

/// What the server does about one request.
struct ServerStep {
  enum class Then {
    keep,    ///< the connection stays for the next request
    close,   ///< it is closed
    hang,    ///< it stays, and nothing more comes
    refuse,  ///< it is closed before anything is read; nothing is sent
  };
  std::function<std::string(const Seen&)> bytes{};  ///< what to send; unset: nothing
  Then then = Then::keep;
  std::chrono::milliseconds between{};  ///< above 0: byte by byte, with that much time between
};

/// A whole answer with this body; headers are lines ended by CR LF.
[[nodiscard]] ServerStep answer(int status, std::string body, std::string headers = {});
/// Bytes as they are, then the end of the connection.
[[nodiscard]] ServerStep blurt(std::string bytes);
/// A refusal as the service words it.
[[nodiscard]] ServerStep problem(int status, const std::string& code, bool retryable,
                                 const std::string& token_action, std::string headers = {});
/// Bytes as they are, one by one and slowly; the connection stays.
[[nodiscard]] ServerStep trickle(std::string bytes, std::chrono::milliseconds between);
/// The request is read, and the connection closed.
[[nodiscard]] ServerStep hang_up();
/// The request is read, and nothing comes.
[[nodiscard]] ServerStep hang();
/// The connection is closed before anything is read.
[[nodiscard]] ServerStep refuse();

/// A server that does what the script says, one step for each request, and hangs up on every
/// request after that, or does always the same.
class FakeServer {
 public:
  /// Over TLS, if it is given one.
  explicit FakeServer(const std::vector<ServerStep>& script = {}, ServerTls tls = nullptr)
      : tls_(std::move(tls)),
        script_(script.begin(), script.end()),
        listener_([this](int socket) { serve(socket); }) {}

  void then(ServerStep step);
  /// What to do when there is nothing left in the script.
  void always(ServerStep step);
  [[nodiscard]] std::string url() const { return url("127.0.0.1"); }
  /// Under another name.
  [[nodiscard]] std::string url(const std::string& host) const;
  [[nodiscard]] std::vector<Seen> seen() const;
  [[nodiscard]] std::size_t connections() const { return listener_.connections(); }

 private:
  void serve(int socket);
  [[nodiscard]] ServerStep::Then act(const ServerWire& wire, const Seen& request);
  [[nodiscard]] bool refuses() const;
  [[nodiscard]] ServerStep next_step();

  const ServerTls tls_;
  mutable std::mutex mutex_;
  std::deque<ServerStep> script_;     // guarded by mutex_
  std::optional<ServerStep> always_;  // likewise
  std::vector<Seen> seen_;            // likewise
  LoopbackListener listener_;         // last: its threads use the others
};

}  // namespace holdfast::test

#pragma once

#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "support/servers/loopback_listener.hpp"

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
struct Step {
  enum class Then {
    keep,    ///< the connection stays for the next request
    close,   ///< it is closed
    hang,    ///< it stays, and nothing more comes
    refuse,  ///< it is closed before anything is read; nothing is sent
  };
  std::function<std::string(const Seen&)> bytes{};  ///< what to send; unset: nothing
  Then then = Then::keep;
};

/// A whole answer with this body; headers are lines ended by CR LF.
[[nodiscard]] Step answer(int status, std::string body, std::string headers = {});
/// Bytes as they are, then the end of the connection.
[[nodiscard]] Step blurt(std::string bytes);
/// A refusal as the service words it.
[[nodiscard]] Step problem(int status, const std::string& code, bool retryable,
                           const std::string& token_action, std::string headers = {});
/// The request is read, and the connection closed.
[[nodiscard]] Step hang_up();
/// The request is read, and nothing comes.
[[nodiscard]] Step hang();
/// The connection is closed before anything is read.
[[nodiscard]] Step refuse();

/// A server that does what the script says, one step for each request, and hangs up on every
/// request after that.
class FakeServer {
 public:
  explicit FakeServer(const std::vector<Step>& script = {})
      : script_(script.begin(), script.end()), listener_([this](int socket) { serve(socket); }) {}

  void then(Step step);
  [[nodiscard]] std::string url() const { return listener_.url(); }
  [[nodiscard]] std::vector<Seen> seen() const;
  [[nodiscard]] std::size_t connections() const { return listener_.connections(); }

 private:
  void serve(int socket);
  [[nodiscard]] Step next_step();

  mutable std::mutex mutex_;
  std::deque<Step> script_;    // guarded by mutex_
  std::vector<Seen> seen_;     // likewise
  LoopbackListener listener_;  // last: its threads use the others
};

}  // namespace holdfast::test

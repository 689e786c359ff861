#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

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
  explicit FakeServer(std::vector<Step> script = {});
  ~FakeServer();
  FakeServer(const FakeServer&) = delete;
  FakeServer& operator=(const FakeServer&) = delete;

  void then(Step step);
  [[nodiscard]] std::string url() const;
  [[nodiscard]] std::vector<Seen> seen() const;
  [[nodiscard]] std::size_t connections() const;

 private:
  void accept_loop();
  void serve(int socket);
  [[nodiscard]] Step next_step();

  int listener_ = -1;
  std::uint16_t port_ = 0;
  mutable std::mutex mutex_;
  std::deque<Step> script_;  // guarded by mutex_, like all below
  std::vector<Seen> seen_;
  std::vector<int> sockets_;  // open until the end, so that no number is used twice
  std::vector<std::thread> threads_;
  std::thread acceptor_;
};

}  // namespace holdfast::test

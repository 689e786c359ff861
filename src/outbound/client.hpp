#pragma once

#include <functional>
#include <memory>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "outbound/call.hpp"

namespace holdfast::outbound {

/// The addresses of a name, as text; otherwise why there are none. May block: it is called on
/// threads of its own, several at a time. Must not throw.
using Lookup =
    std::function<tl::expected<std::vector<std::string>, std::string>(const std::string& host)>;

struct Options {
  /// Exceptions from the address policy. `10.1.0.0/16`, `127.0.0.1` or `fd00::/8`: these addresses
  /// may be called. `billing.internal`: whatever that name resolves to may be called, but for the
  /// unspecified, broadcast and multicast addresses. A name covers no names below it.
  std::vector<std::string> allowed{};
  std::string ca_file{};  ///< whom to trust, in PEM; empty: whom the system trusts
  std::size_t connections_max = 256;
  std::size_t connections_per_origin_max = 64;
  std::size_t waiting_max = 10'000;  ///< calls that wait for a connection; more fail as `full`
  /// Connections are kept for so long after an answer, or for less if the peer says so. A peer that
  /// closes first may do so just as a call is sent, so be quicker: five seconds are usual there.
  Duration idle_max = std::chrono::seconds(4);
  std::size_t header_bytes_max = std::size_t{32} << 10U;  ///< of an answer, and of its trailers
  Lookup lookup{};                                        ///< unset: the system's
};

using Result = tl::expected<Response, Failure>;
using Done = std::function<void(Result)>;

/// Makes calls, many at a time, on one thread of its own, and keeps connections for the next.
///
/// A call is sent at most once: whatever happens to it, nothing is sent again by the client itself
/// (redirects apart, where allowed). `Failure::reached` is `no` only if it is certain that not one
/// byte of the request was given to the network; so the caller may repeat such a call, and has to
/// find out about every other. That includes a kept connection which the peer closes just then.
///
/// Every connection goes to an address that the policy allowed after the name was looked up, and to
/// that very address. Without exceptions in `Options::allowed` these are public addresses only.
///
/// TLS is version 1.2 or later, with the certificate and its name verified.
class Client {
 public:
  /// Starts the thread. Otherwise says which option cannot be used.
  [[nodiscard]] static tl::expected<std::unique_ptr<Client>, std::string> make(Options options);
  /// Stops. Not from within a `done`. Waits for name lookups under way, which cannot be cut short.
  ~Client();
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  /// From any thread; returns at once. `done` is called exactly once, on the client's own thread,
  /// and never from within `send`. It must neither block nor throw; it may call `send`.
  void send(Call call, Done done);

  /// Ends all calls as `closed`, and all that follow. Returns when the last `done` has returned;
  /// within a `done`, at once, and calls end soon. From any thread, any number of times.
  void stop();

 private:
  class Impl;
  explicit Client(std::unique_ptr<Impl> impl);

  const std::unique_ptr<Impl> impl_;
};

}  // namespace holdfast::outbound

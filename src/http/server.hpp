#pragma once

#include <memory>
#include <string>
#include <tl/expected.hpp>

#include "engine/service.hpp"
#include "http/monitoring/log.hpp"
#include "settings/settings.hpp"

namespace holdfast::http {

/// What a server runs on; tests bring their own.
struct Surroundings {
  std::shared_ptr<Clock> clock = system_clock();
  std::shared_ptr<Random> random = system_random();
  std::shared_ptr<Log> log{};  ///< unset: standard error, at the level of the settings
  StageObserver observer{};    ///< told of each stage of the main path
  Progress opening{};          ///< told how far opening the store has come
};

/// The service: a store, the engine on it, and the connections in front.
class Server {
 public:
  /// Opens the store, binds the address and begins to serve. The error is one line that says what
  /// to do.
  [[nodiscard]] static tl::expected<std::unique_ptr<Server>, std::string> start(
      Settings settings, const Surroundings& surroundings = {});

  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  /// `http://127.0.0.1:8420`, with the port that was bound.
  [[nodiscard]] const std::string& address() const;
  [[nodiscard]] std::uint16_t port() const;
  /// Whether callers need a key.
  [[nodiscard]] bool needs_keys() const;
  [[nodiscard]] Duration window() const;
  /// Why what is answered may not be as safe as it should be; empty: it is.
  [[nodiscard]] std::string caution() const;
  [[nodiscard]] Service& service();

  /// Reads the registry and the secrets again. A bad file is logged, and what was read before
  /// stays. Waits for the store. From any thread but the server's own.
  void reload();
  /// Stops accepting, finishes what was accepted, flushes, closes the store. From any thread but
  /// the server's own; called by the destructor, too.
  void stop();

 private:
  struct Impl;
  explicit Server(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace holdfast::http

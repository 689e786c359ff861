#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <tl/expected.hpp>
#include <vector>

#include "settings/settings.hpp"

namespace holdfast::http {

class Application;
class Worker;

/// The bound address. Accepts connections and deals them out to the workers.
class Listener {
 public:
  /// Binds. Without keys only addresses of this machine are allowed.
  [[nodiscard]] static tl::expected<std::unique_ptr<Listener>, std::string> open(
      const Settings& settings, bool has_keys);

  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;
  ~Listener();

  [[nodiscard]] const std::string& address() const { return address_; }
  [[nodiscard]] std::uint16_t port() const { return port_; }

  /// Whom to give connections to; before `start`.
  void serve_with(const std::vector<std::unique_ptr<Worker>>& workers, Application& application);
  void start();
  /// From any thread. Nothing is accepted once it returns.
  void stop();

 private:
  Listener() = default;
  void accept();
  void accepted(boost::asio::ip::tcp::socket socket, Worker& worker, bool loopback);
  [[nodiscard]] static tl::expected<std::optional<boost::asio::ssl::context>, std::string> tls_of(
      const Tls& tls);

  std::vector<Worker*> workers_;
  Application* application_ = nullptr;
  std::size_t next_worker_ = 0;
  boost::asio::io_context io_{1};
  boost::asio::ip::tcp::acceptor acceptor_{io_};
  boost::asio::steady_timer pause_{io_};
  std::optional<boost::asio::ssl::context> tls_;
  std::string address_;
  std::uint16_t port_ = 0;
  std::size_t connections_max_ = 0;
  std::thread thread_;
};

}  // namespace holdfast::http

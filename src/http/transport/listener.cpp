#include "http/transport/listener.hpp"

#include <fmt/format.h>
#include <pthread.h>

#include <boost/asio/post.hpp>
#include <charconv>
#include <thread>

#include "http/application.hpp"
#include "http/transport/tcp_connection.hpp"
#include "http/transport/tls_connection.hpp"
#include "http/transport/worker.hpp"

namespace holdfast::http {
namespace {

using boost::asio::ip::tcp;
using boost::system::error_code;

struct HostPort {
  std::string host;
  std::string port;
};

/// `127.0.0.1:8420`, `[::1]:8420`, `localhost:0`.
std::optional<HostPort> cut(std::string_view listen) {
  const std::size_t colon = listen.rfind(':');
  if (colon == std::string_view::npos || colon == 0) return std::nullopt;
  std::string_view host = listen.substr(0, colon);
  const std::string_view port = listen.substr(colon + 1);
  std::uint16_t number = 0;
  const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), number);
  if (error != std::errc() || end != port.data() + port.size()) return std::nullopt;
  if (host.starts_with('[') && host.ends_with(']')) {
    host = host.substr(1, host.size() - 2);
  } else if (host.find(':') != std::string_view::npos) {
    return std::nullopt;
  }
  return HostPort{std::string(host), std::string(port)};
}

}  // namespace

tl::expected<std::optional<boost::asio::ssl::context>, std::string> Listener::tls_of(
    const Tls& tls) {
  namespace ssl = boost::asio::ssl;
  if (tls.certificate.empty()) return std::nullopt;
  ssl::context context(ssl::context::tls_server);
  context.set_options(ssl::context::default_workarounds | ssl::context::no_tlsv1 |
                      ssl::context::no_tlsv1_1 | ssl::context::no_sslv2 | ssl::context::no_sslv3);
  error_code error;
  const auto failed = [&](std::string_view what, const std::string& file) {
    return tl::unexpected(fmt::format("cannot use the {} in {}: {}", what, file, error.message()));
  };
  context.use_certificate_chain_file(tls.certificate, error);
  if (error) return failed("certificate", tls.certificate);
  context.use_private_key_file(tls.key, ssl::context::pem, error);
  if (error) return failed("key", tls.key);
  if (SSL_CTX_check_private_key(context.native_handle()) != 1) {
    return tl::unexpected(fmt::format("the key in {} does not belong to the certificate in {}",
                                      tls.key, tls.certificate));
  }
  if (!tls.client_ca.empty()) {
    context.load_verify_file(tls.client_ca, error);
    if (error) return failed("authority for clients", tls.client_ca);
    context.set_verify_mode(ssl::verify_peer | ssl::verify_fail_if_no_peer_cert);
  }
  return context;
}

tl::expected<std::unique_ptr<Listener>, std::string> Listener::open(const Settings& settings,
                                                                    bool has_keys) {
  const auto wanted = cut(settings.listen);
  if (!wanted) {
    return tl::unexpected(fmt::format(
        "'{}' is no address to listen on; write 127.0.0.1:8420 or [::1]:8420", settings.listen));
  }
  auto listener = std::unique_ptr<Listener>(new Listener);
  error_code error;
  tcp::resolver resolver(listener->io_);
  const auto found = resolver.resolve(
      wanted->host, wanted->port, tcp::resolver::passive | tcp::resolver::numeric_service, error);
  if (error || found.empty()) {
    return tl::unexpected(
        fmt::format("cannot find the address {}: {}", wanted->host, error.message()));
  }
  const tcp::endpoint endpoint = found.begin()->endpoint();
  if (!has_keys && !endpoint.address().is_loopback()) {
    return tl::unexpected(fmt::format(
        "refusing to listen on {} without credentials: anybody could call. Make a key with "
        "`holdfast keys create`, or listen on 127.0.0.1",
        settings.listen));
  }
  auto tls = tls_of(settings.tls);
  if (!tls) return tl::unexpected(tls.error());
  listener->tls_ = std::move(*tls);
  listener->connections_max_ = settings.limits.connections_max;

  tcp::acceptor& acceptor = listener->acceptor_;
  acceptor.open(endpoint.protocol(), error);
  if (!error) acceptor.set_option(tcp::acceptor::reuse_address(true), error);
  if (!error) acceptor.bind(endpoint, error);
  if (!error) acceptor.listen(1024, error);
  if (error) {
    return tl::unexpected(fmt::format("cannot listen on {}: {}", settings.listen, error.message()));
  }
  const tcp::endpoint bound = acceptor.local_endpoint(error);
  listener->port_ = bound.port();
  const std::string host = bound.address().is_v6() ? "[" + bound.address().to_string() + "]"
                                                   : bound.address().to_string();
  listener->address_ =
      fmt::format("{}://{}:{}", listener->tls_ ? "https" : "http", host, bound.port());
  return listener;
}

Listener::~Listener() { stop(); }

void Listener::serve_with(const std::vector<std::unique_ptr<Worker>>& workers,
                          Application& application) {
  for (const auto& worker : workers) workers_.push_back(worker.get());
  application_ = &application;
}

void Listener::start() {
  accept();
  thread_ = std::thread([this] {
    ::pthread_setname_np(::pthread_self(), "hf-accept");
    io_.run();
  });
}

void Listener::stop() {
  boost::asio::post(io_, [this] {
    error_code ignored;
    acceptor_.close(ignored);
    pause_.cancel();
  });
  if (thread_.joinable()) thread_.join();
}

void Listener::accept() {
  Worker& worker = *workers_[next_worker_++ % workers_.size()];
  acceptor_.async_accept(worker.io(), [this, &worker](const error_code& error, tcp::socket socket) {
    if (error == boost::asio::error::operation_aborted || !acceptor_.is_open()) return;
    if (error) {
      // Out of file descriptors, most likely: trying again at once would only burn time.
      application_->log().warn_seldom("cannot accept", {{"error", error.message()}});
      pause_.expires_after(std::chrono::milliseconds(100));
      return pause_.async_wait([this](const error_code& stopped) {
        if (!stopped) accept();
      });
    }
    error_code ignored;
    const bool loopback = socket.remote_endpoint(ignored).address().is_loopback();
    accepted(std::move(socket), worker, loopback);
    accept();
  });
}

void Listener::accepted(tcp::socket socket, Worker& worker, bool loopback) {
  if (application_->metrics().connections() >= static_cast<std::int64_t>(connections_max_)) {
    application_->log().warn_seldom("too many connections", {});
    return;  // closed: the peer may try again
  }
  application_->metrics().connection_opened();  // counted here, or many at once would pass
  boost::asio::post(worker.io(), [this, &worker, loopback, socket = std::move(socket)]() mutable {
    std::unique_ptr<Connection> made;
    if (tls_) {
      made = std::make_unique<TlsConnection>(worker, std::move(socket), *tls_, loopback);
    } else {
      made = std::make_unique<TcpConnection>(worker, std::move(socket), loopback);
    }
    const std::shared_ptr<Connection> connection = worker.adopt(std::move(made));
    connection->start();
    if (worker.stopping()) connection->wind_down();
  });
}

}  // namespace holdfast::http

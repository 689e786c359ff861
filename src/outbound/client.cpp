#include "outbound/client.hpp"

#include <pthread.h>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <future>
#include <optional>
#include <thread>

#include "outbound/exchange.hpp"
#include "outbound/request.hpp"
#include "outbound/shared.hpp"

namespace holdfast::outbound {
namespace {

constexpr std::chrono::milliseconds sweep_interval{500};

/// Nothing: they can be used.
std::optional<std::string> fault_of_options(const Options& options) {
  if (options.connections_max == 0 || options.connections_per_origin_max == 0)
    return "the limits of connections must be at least 1";
  if (options.header_bytes_max < ResponseReader::header_bytes_least ||
      options.header_bytes_max > ResponseReader::header_bytes_most)
    return "header_bytes_max must be from 1 KiB to 48 KiB";
  if (options.idle_max < Duration::zero() || options.idle_max > std::chrono::hours(24))
    return "idle_max must be from nothing to a day";
  return std::nullopt;
}

}  // namespace

class Client::Impl {
 public:
  Impl(Options options, AddressPolicy policy, std::unique_ptr<boost::asio::ssl::context> tls)
      : shared_(std::move(options), std::move(policy), std::move(tls)) {
    thread_ = std::thread([this] { run(); });
  }
  ~Impl() {
    stop();
    work_.reset();
    thread_.join();
  }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  void send(Call call, Done done) {
    const Limits limits = call.limits;
    auto request = checked(std::move(call));
    if (!request) {
      return boost::asio::post(shared_.io, [done = std::move(done), text = request.error()] {
        done(tl::unexpected(Failure{Reached::no, What::bad_call, text}));
      });
    }
    const auto deadline = std::chrono::steady_clock::now() + limits.total;
    boost::asio::post(shared_.io, [exchange = std::make_shared<Exchange>(
                                       shared_, std::move(*request), limits, deadline,
                                       std::move(done))] { exchange->start(); });
  }

  void stop() {
    if (std::this_thread::get_id() == thread_.get_id())
      return boost::asio::post(shared_.io, [this] { end_all(); });
    const auto ended = std::make_shared<std::promise<void>>();
    boost::asio::post(shared_.io, [this, ended] {
      end_all();
      ended->set_value();
    });
    ended->get_future().wait();
  }

 private:
  void run() {
    ::pthread_setname_np(::pthread_self(), "hf-outbound");
    sweep();
    shared_.io.run();
  }

  void sweep() {
    sweeper_.expires_after(sweep_interval);
    sweeper_.async_wait([this](const boost::system::error_code& error) {
      if (error || shared_.closed) return;
      shared_.pool.sweep(std::chrono::steady_clock::now());
      sweep();
    });
  }

  void end_all() {
    shared_.closed = true;
    sweeper_.cancel();
    const auto under_way = shared_.under_way;
    for (const auto& each : under_way) each->fail(What::closed, "the client was stopped");
    shared_.pool.close_kept();
  }

  Shared shared_;
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_{
      shared_.io.get_executor()};
  boost::asio::steady_timer sweeper_{shared_.io};
  std::thread thread_;
};

tl::expected<std::unique_ptr<Client>, std::string> Client::make(Options options) {
  if (auto fault = fault_of_options(options)) return tl::unexpected(std::move(*fault));
  auto policy = AddressPolicy::make(options.allowed);
  if (!policy) return tl::unexpected(std::move(policy.error()));
  auto tls = make_tls(options.ca_file);
  if (!tls) return tl::unexpected(std::move(tls.error()));
  auto impl = std::make_unique<Impl>(std::move(options), std::move(*policy), std::move(*tls));
  return std::unique_ptr<Client>(new Client(std::move(impl)));
}

Client::Client(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

Client::~Client() = default;

void Client::send(Call call, Done done) { impl_->send(std::move(call), std::move(done)); }

void Client::stop() { impl_->stop(); }

}  // namespace holdfast::outbound

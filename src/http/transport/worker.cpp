#include "http/transport/worker.hpp"

#include <pthread.h>

namespace holdfast::http {
namespace {

/// How often deadlines are looked at; they are a few seconds long.
constexpr std::chrono::milliseconds tick_length{200};

}  // namespace

Worker::Worker(Application& application)
    : application_(application),
      mailbox_(io_, [this](auto& letters) { open_mail(letters); }),
      keys_(application.settings().keys),
      timer_(io_) {
  (void)keys_.required();  // a file that is there now is needed, also if it goes before it is used
}

Worker::~Worker() = default;

void Worker::run() {
  ::pthread_setname_np(::pthread_self(), "hf-http");
  thread_ = std::this_thread::get_id();
  tick();
  io_.run();
}

std::shared_ptr<Connection> Worker::adopt(std::unique_ptr<Connection> connection) {
  const auto destroy = [this](Connection* last) {
    std::unique_ptr<Connection> owned(last);
    if (is_this_thread() || cleared_) return;
    boost::asio::post(io_, [owned = std::move(owned)] {});
  };
  return {connection.release(), destroy};
}

void Worker::add(Connection& connection) { connections_.push_back(connection); }

void Worker::remove(Connection& connection) {
  connections_.erase(connections_.iterator_to(connection));
  application_.metrics().connection_closed();
}

void Worker::received(std::shared_ptr<Connection> connection) {
  if (received_.empty()) boost::asio::post(io_, [this] { process_received(); });
  received_.push_back(std::move(connection));
}

void Worker::process_received() {
  const KeyRing::OneLook look(keys_);
  processed_.swap(received_);
  for (const auto& connection : processed_) connection->safely([&] { connection->process(); });
  processed_.clear();
}

void Worker::open_mail(std::vector<Mailbox::Letter>& letters) {
  const KeyRing::OneLook look(keys_);
  opening_mail_ = true;
  for (Mailbox::Letter& each : letters) {
    each.connection->safely([&each] {
      if (auto* const answer = std::get_if<Answer>(&each.content)) {
        each.connection->send(each.number, *answer);
      } else if (auto* const response = std::get_if<Response>(&each.content)) {
        each.connection->send(each.number, std::move(*response));
      } else {
        std::get<std::function<void()>>(each.content)();
      }
    });
  }
  opening_mail_ = false;
  for (Mailbox::Letter& each : letters) {
    each.connection->safely([&each] { each.connection->read_on(); });
    each.connection.reset();
  }
}

/// Looks after connections whose peers keep them waiting, and after streams with nothing to say.
void Worker::tick() {
  process_received();  // whoever has sent what was waited for is not late
  const auto now = std::chrono::steady_clock::now();
  for (auto each = connections_.begin(); each != connections_.end();) {
    const std::shared_ptr<Connection> connection = (each++)->weak_from_this().lock();
    if (connection == nullptr) continue;
    connection->safely([&] {
      connection->check_deadline(now);
      connection->wake_stream();
    });
  }
  if (stopping_ && connections_.empty()) return;
  timer_.expires_after(stopping_ ? std::chrono::milliseconds(10) : tick_length);
  timer_.async_wait([this](const boost::system::error_code& error) {
    if (!error) tick();
  });
}

void Worker::stop() {
  boost::asio::post(io_, [this] {
    process_received();
    stopping_ = true;
    for (auto each = connections_.begin(); each != connections_.end();) {
      const std::shared_ptr<Connection> connection = (each++)->weak_from_this().lock();
      if (connection != nullptr) connection->safely([&] { connection->wind_down(); });
    }
    timer_.cancel();
    tick();
  });
}

void Worker::abort() {
  boost::asio::post(io_, [this] {
    for (auto each = connections_.begin(); each != connections_.end();) {
      const std::shared_ptr<Connection> connection = (each++)->weak_from_this().lock();
      if (connection != nullptr) connection->abort();
    }
  });
}

void Worker::clear() {
  io_.restart();
  io_.poll();
  cleared_ = true;
}

void Worker::wake_streams() {
  if (streams_woken_.exchange(true)) return;
  boost::asio::post(io_, [this] {
    streams_woken_ = false;
    for (auto each = connections_.begin(); each != connections_.end();) {
      const std::shared_ptr<Connection> connection = (each++)->weak_from_this().lock();
      if (connection != nullptr) connection->safely([&] { connection->wake_stream(); });
    }
  });
}

}  // namespace holdfast::http

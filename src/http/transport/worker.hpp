#pragma once

#include <atomic>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/intrusive/list.hpp>
#include <thread>

#include "http/application.hpp"
#include "http/transport/connection.hpp"
#include "http/transport/mailbox.hpp"
#include "keys/keys.hpp"

namespace holdfast::http {

/// One thread of input and output with the connections it serves. Everything here but the mailbox
/// is touched by that thread only.
class Worker {
 public:
  explicit Worker(Application& application);
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  [[nodiscard]] boost::asio::io_context& io() { return io_; }
  [[nodiscard]] Mailbox& mailbox() { return mailbox_; }
  [[nodiscard]] Application& application() { return application_; }
  [[nodiscard]] KeyRing& keys() { return keys_; }
  [[nodiscard]] bool is_this_thread() const { return std::this_thread::get_id() == thread_; }

  /// Serves until there is nothing left to do and `stop` was called.
  void run();
  /// No further requests are read; connections end as their answers are sent. From any thread.
  void stop();
  /// Ends everything at once. From any thread.
  void abort();
  /// After `run` has returned and nothing will come any more: drops what came too late.
  void clear();

  /// Takes a connection over. Whoever holds the last reference to it, on whatever thread, it is
  /// destroyed on this one.
  [[nodiscard]] std::shared_ptr<Connection> adopt(std::unique_ptr<Connection> connection);

  void add(Connection& connection);
  void remove(Connection& connection);
  [[nodiscard]] bool stopping() const { return stopping_; }

  /// A connection has received something. Goes on with it soon, together with what others have
  /// received meanwhile.
  void received(std::shared_ptr<Connection> connection);
  /// Answers are being sent: whoever gets one is read from when all are sent.
  [[nodiscard]] bool opening_mail() const { return opening_mail_; }

  /// New records are durable: streams of events have something to read. From any thread.
  void wake_streams();

 private:
  void open_mail(std::vector<Mailbox::Letter>& letters);
  void process_received();
  void tick();

  Application& application_;
  // Outlives everything that may hold a connection.
  boost::intrusive::list<Connection, boost::intrusive::constant_time_size<false>> connections_;
  boost::asio::io_context io_{1};
  Mailbox mailbox_;
  KeyRing keys_;
  boost::asio::steady_timer timer_;
  bool opening_mail_ = false;
  bool stopping_ = false;
  std::atomic<std::thread::id> thread_{};
  std::atomic<bool> cleared_{false};  ///< no thread serves here any more
  std::atomic<bool> streams_woken_{false};
  std::vector<std::shared_ptr<Connection>> received_, processed_;
};

}  // namespace holdfast::http

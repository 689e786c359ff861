#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <functional>
#include <memory>
#include <mutex>
#include <utility>
#include <variant>
#include <vector>

#include "holdfast/types.hpp"
#include "http/transport/message.hpp"

namespace holdfast::http {

class Connection;

/// What other threads have for the connections of one thread. However much arrives while it is
/// busy, it is woken once; and who leaves much wakes it when done.
class Mailbox {
 public:
  struct Letter {
    std::shared_ptr<Connection> connection;
    std::uint64_t number = 0;
    std::variant<std::function<void()>, Answer, Response> content;
  };
  using Open = std::function<void(std::vector<Letter>&)>;

  Mailbox(boost::asio::io_context& io, Open open) : io_(io), open_(std::move(open)) {}

  // From any thread.

  /// Leaves it there; somebody must `wake` afterwards.
  template <typename Content>
  void leave(std::shared_ptr<Connection> connection, std::uint64_t number, Content&& content) {
    const std::lock_guard lock(mutex_);
    Letter& letter = waiting_.emplace_back();  // answers are large: this one is moved once
    letter.connection = std::move(connection);
    letter.number = number;
    letter.content = std::forward<Content>(content);
  }
  void wake() {
    {
      const std::lock_guard lock(mutex_);
      if (waiting_.empty() || std::exchange(woken_, true)) return;
    }
    boost::asio::post(io_, [this] { open(); });
  }
  template <typename Content>
  void put(std::shared_ptr<Connection> connection, std::uint64_t number, Content&& content) {
    leave(std::move(connection), number, std::forward<Content>(content));
    wake();
  }

 private:
  void open() {
    {
      const std::lock_guard lock(mutex_);
      opened_.swap(waiting_);
      woken_ = false;
    }
    open_(opened_);
    opened_.clear();
  }

  boost::asio::io_context& io_;
  const Open open_;
  std::vector<Letter> opened_;  // the thread's own

  std::mutex mutex_;
  std::vector<Letter> waiting_;  // guarded by mutex_
  bool woken_ = false;           // guarded by mutex_
};

}  // namespace holdfast::http

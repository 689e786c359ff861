#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include "http/transport/message.hpp"
#include "keys/keys.hpp"

namespace holdfast::http {

struct Route;
class Connection;

/// One request from its arrival to its answer. Belongs to the connection's thread.
struct Exchange {
  std::uint64_t number = 0;  ///< on its connection, in order
  std::uint64_t id = 0;      ///< in this process
  const Route* route = nullptr;
  Identity identity{};
  bool discreet = false;    ///< callers need keys, and are not told what is inside
  bool identified = false;  ///< `identity` is who calls; else nobody was asked, or let in
  std::string key{};        ///< the Idempotency-Key as it was sent, to be echoed; empty: none
  std::string token{};      ///< what it stands for
  Operation operation = Operation::none;
  std::string outcome{};  ///< of the change, for the log
  bool replayed = false;
  std::string traceparent{};  ///< as it was sent, for the log; empty: none
  std::chrono::steady_clock::time_point received{};
  bool head = false;
  bool keep_alive = true;
  bool is_change = false;
  bool ready = false;
  bool streaming = false;  ///< an answer without an end
  std::string bytes{};     ///< the answer, if it is ready before an earlier one is
};

/// Where an answer goes. Keeps the connection alive. Copies are the same address.
class Reply {
 public:
  Reply(std::shared_ptr<Connection> connection, std::uint64_t number)
      : connection_(std::move(connection)), number_(number) {}

  /// On the connection's thread.
  void send(Response response) const;
  // From any thread.
  void send_from_anywhere(Response&& response) const;
  void send_from_anywhere(Answer&& answer) const;
  // From the engine: on the connection's thread when the answer was known at once, otherwise on one
  // that wakes the mailboxes when it is done with a batch.
  void send_from_engine(Answer&& answer) const;
  void send_from_engine(Response&& response) const;

  [[nodiscard]] const std::shared_ptr<Connection>& connection() const { return connection_; }
  [[nodiscard]] std::uint64_t number() const { return number_; }

 private:
  std::shared_ptr<Connection> connection_;
  std::uint64_t number_;
};

}  // namespace holdfast::http

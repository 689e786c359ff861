#pragma once

#include <boost/asio/buffer.hpp>
#include <boost/intrusive/list_hook.hpp>
#include <boost/system/error_code.hpp>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <string>

#include "http/transport/exchange.hpp"
#include "http/transport/input_buffer.hpp"
#include "http/transport/request_reader.hpp"

namespace holdfast::http {

class Worker;

/// One connection: requests are answered in order, and run side by side if the peer sends them so.
/// What the bytes travel over is up to the class derived from it. Belongs to its worker's thread.
class Connection : public std::enable_shared_from_this<Connection>,
                   public boost::intrusive::list_base_hook<> {
 public:
  Connection(Worker& worker, bool loopback);
  virtual ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  virtual void start() = 0;

  /// Sends the answer to the request of that number, after those to the requests before it.
  void send(std::uint64_t number, const Answer& answer);
  void send(std::uint64_t number, Response&& response);

  /// How an answer becomes a stream.
  struct Stream {
    std::function<std::string(Exchange&)> head;  ///< what it begins with
    std::string last;                            ///< what it ends with, if it does so in good order
    /// Called whenever everything given so far has been sent, and with false when it has ended.
    std::function<void(bool alive)> ready;
  };
  void stream(std::uint64_t number, Stream stream);
  void stream_more(std::string_view bytes);
  /// Ends it in good order, and with it the connection.
  void end_stream();
  /// There may be something new for the stream.
  void wake_stream();

  [[nodiscard]] Worker& worker() { return worker_; }
  [[nodiscard]] bool loopback() const { return loopback_; }

  /// Goes on with what was received.
  void process();
  /// Receives more, if there is a use for it.
  void read_on();

  /// Reads no further requests; ends once everything is answered.
  void wind_down();
  /// Ends it now if it has waited too long for its peer.
  void check_deadline(std::chrono::steady_clock::time_point now);
  void abort();

  /// Does something for this connection. What goes wrong beyond all that is foreseen ends this
  /// connection, and no other.
  template <typename Step>
  void safely(const Step& step) {
    try {
      step();
    } catch (const std::exception& error) {
      give_up(error);
    }
  }

 protected:
  virtual void start_read(boost::asio::mutable_buffer into) = 0;
  /// Sends as much as goes without waiting; the rest is sent by `start_write`.
  virtual std::size_t try_write(boost::asio::const_buffer bytes,
                                boost::system::error_code& error) = 0;
  virtual void start_write(boost::asio::const_buffer bytes) = 0;
  /// Says that nothing more will be sent; the peer may still be heard.
  virtual void shut() = 0;
  virtual void close() = 0;

  void begin();  ///< ready to read
  void read_done(const boost::system::error_code& error, std::size_t count);
  void write_done(const boost::system::error_code& error, std::size_t count);

 private:
  void give_up(const std::exception& error) noexcept;
  void go_on_reading(const boost::system::error_code& error, std::size_t count);
  void go_on_writing(const boost::system::error_code& error, std::size_t count);
  bool take_requests();
  [[nodiscard]] bool peer_waits() const;
  [[nodiscard]] bool has_room() const;
  [[nodiscard]] bool has_turn() const;
  [[nodiscard]] bool owes_too_much() const;
  Exchange& add_exchange(std::chrono::steady_clock::time_point received, bool keep_alive);
  void begin_exchange();
  [[nodiscard]] bool turned_away();
  void refuse(const ReadError& error);
  void offer_continue();
  void line_up(Exchange& exchange, Response&& response);
  Exchange* find(std::uint64_t number);
  void flush();
  void write_on();
  void sent_everything();
  void linger();
  void end();
  void set_deadline();

  Worker& worker_;
  const bool loopback_;
  InputBuffer in_;
  RequestReader reader_;
  std::deque<Exchange> exchanges_;  ///< read and not yet sent, in order
  std::uint64_t next_number_ = 0;
  std::size_t under_way_ = 0;     ///< of them, without an answer
  bool reads_under_way_ = false;  ///< whether those are reads; else changes
  std::size_t ready_bytes_ = 0;   ///< of answers that wait for an earlier one
  std::string out_;               ///< to be sent next
  std::string sending_;           ///< being sent
  std::size_t sent_ = 0;
  std::function<void(bool)> stream_ready_;
  std::string stream_last_;
  std::chrono::steady_clock::time_point deadline_{};
  std::chrono::steady_clock::time_point request_began_{};
  std::chrono::steady_clock::time_point part_began_{};  ///< its header, or its body
  std::chrono::steady_clock::time_point idle_since_{};  ///< unset: it is not
  std::chrono::steady_clock::time_point
      write_went_on_{};     ///< the peer took something, or was given it
  bool reading_ = false;    ///< a read is under way
  bool writing_ = false;    ///< a write is under way
  bool no_more_ = false;    ///< nothing more is read: last request, bad request, end of input
  bool lingering_ = false;  ///< everything is sent; waiting for the peer to close
  bool ended_ = false;
  bool processing_ = false;
  bool pipelines_ = false;    ///< the peer has sent a request before it had its answer
  bool complete_ = false;     ///< a whole request waits in the buffer for its turn
  bool header_told_ = false;  ///< the header of the request being read is complete
  bool continue_due_ = false;
};

}  // namespace holdfast::http

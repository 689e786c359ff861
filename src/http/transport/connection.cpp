#include "http/transport/connection.hpp"

#include <algorithm>
#include <utility>

#include "http/application.hpp"
#include "http/transport/worker.hpp"

namespace holdfast::http {
namespace {

using SteadyClock = std::chrono::steady_clock;

/// How long a peer is given to read the last answer before the connection is cut.
constexpr Duration linger_deadline = std::chrono::seconds(2);
constexpr std::size_t kept_output_bytes = 4096;
/// Of so many requests, one is read past while it is under way, to see whether another comes.
constexpr std::uint64_t probe_every = 64;
/// Reads of one connection under way at a time. There are few threads for them, and an answer may
/// be large.
constexpr std::size_t reads_max = 8;

}  // namespace

void Reply::send(Response response) const { connection_->send(number_, std::move(response)); }

void Reply::send_from_anywhere(Response&& response) const {
  connection_->worker().mailbox().put(connection_, number_, std::move(response));
}

void Reply::send_from_anywhere(Answer&& answer) const {
  connection_->worker().mailbox().put(connection_, number_, std::move(answer));
}

void Reply::send_from_engine(Answer&& answer) const {
  Worker& worker = connection_->worker();
  if (worker.is_this_thread()) return connection_->send(number_, answer);
  worker.mailbox().leave(connection_, number_, std::move(answer));
}

void Reply::send_from_engine(Response&& response) const {
  Worker& worker = connection_->worker();
  if (worker.is_this_thread()) return connection_->send(number_, std::move(response));
  worker.mailbox().leave(connection_, number_, std::move(response));
}

Connection::Connection(Worker& worker, bool loopback)
    : worker_(worker),
      loopback_(loopback),
      reader_(worker.application().settings().limits),
      deadline_(SteadyClock::now() + worker.application().settings().limits.header_deadline) {
  worker_.add(*this);
}

Connection::~Connection() { worker_.remove(*this); }

void Connection::begin() {
  set_deadline();
  read_on();
}

/// What the peer is being waited for, and for how long.
void Connection::set_deadline() {
  const Limits& limits = worker_.application().settings().limits;
  const SteadyClock::time_point now = SteadyClock::now();
  if (lingering_) {
    deadline_ = now + linger_deadline;
  } else if (writing_) {
    deadline_ = write_went_on_ + limits.write_deadline;
  } else if (!exchanges_.empty()) {
    deadline_ = SteadyClock::time_point::max();  // the wait is ours
  } else if (in_.empty()) {
    if (idle_since_ == SteadyClock::time_point{}) idle_since_ = now;
    deadline_ = idle_since_ + limits.idle_deadline;
  } else {
    deadline_ = part_began_ + (reader_.in_header() ? limits.header_deadline : limits.body_deadline);
  }
}

void Connection::check_deadline(SteadyClock::time_point now) {
  if (ended_ || now < deadline_) return;
  const bool waits_for_us = writing_ || lingering_ || !exchanges_.empty();
  const bool idle = !waits_for_us && in_.empty() && idle_since_ != SteadyClock::time_point{};
  if (idle) return linger();
  if (waits_for_us || in_.empty()) return abort();
  refuse({Rejection::too_slow, 408, "The request was not complete in time."});
}

void Connection::read_on() {
  if (reading_ || ended_) return;
  in_.rest();
  if (peer_waits()) return;
  if (no_more_ && !lingering_ && !stream_ready_) return;
  if ((complete_ || !has_room()) && !lingering_ && !stream_ready_) return;
  std::size_t size = 0;
  char* const room = in_.room(size);
  reading_ = true;
  start_read({room, size});
}

/// Most peers send nothing before they have their answer: reading meanwhile would find nothing. It
/// is tried with the first request and then now and again; whoever is found to send more is read
/// from at any time.
bool Connection::peer_waits() const {
  const bool probe = next_number_ % probe_every == 1;
  return !exchanges_.empty() && !pipelines_ && !probe && !no_more_ && !stream_ready_;
}

void Connection::read_done(const boost::system::error_code& error, std::size_t count) {
  safely([&] { go_on_reading(error, count); });
}

void Connection::go_on_reading(const boost::system::error_code& error, std::size_t count) {
  reading_ = false;
  if (ended_) return;
  if (error) {
    no_more_ = true;
    // A peer may close its side and still read: it gets what it asked for. A stream it does not.
    const bool half_closed = error == boost::asio::error::eof && !stream_ready_ && !lingering_;
    if (!half_closed || (exchanges_.empty() && !writing_)) return end();
    return;
  }
  if (lingering_ || stream_ready_) return read_on();  // whatever it says, nobody listens
  in_.added(count);
  if (!exchanges_.empty()) pipelines_ = true;
  worker_.received(shared_from_this());
}

/// Goes on as far as it can with what was received and what was answered. Then no complete request
/// is left in the buffer, unless there is no room for it or it is not its turn.
void Connection::process() {
  if (processing_ || ended_) return;
  bool room_again = true;
  while (room_again) {
    const bool was_full = take_requests();
    if (ended_) return;
    flush();
    if (ended_) return;
    room_again = was_full && !no_more_ && has_room() && has_turn();
  }
  offer_continue();
  if (ended_) return;
  set_deadline();
  if (!worker_.opening_mail()) read_on();
}

/// Whether another request may be under way.
bool Connection::has_room() const {
  const Limits& limits = worker_.application().settings().limits;
  return exchanges_.size() < limits.pipeline_max && !owes_too_much();
}

/// A peer that asks and never reads must not fill our memory.
bool Connection::owes_too_much() const {
  const std::size_t owed = ready_bytes_ + out_.size() + (sending_.size() - sent_);
  return owed > worker_.application().settings().limits.batch_body_bytes_max;
}

/// RFC 9112, 9.3.2: requests run side by side only if nobody can tell. Changes do so in the order
/// they came in, and so do reads; but a read sees the changes before it, and none behind it.
bool Connection::has_turn() const {
  if (!complete_ || under_way_ == 0) return true;
  if (reader_.is_safe() != reads_under_way_) return false;
  return !reads_under_way_ || under_way_ < reads_max;
}

/// Takes complete requests out of the buffer while there is room for more of them. True if it ended
/// because there was none, or because the next must wait for others.
bool Connection::take_requests() {
  processing_ = true;
  bool full = false;
  while (!no_more_ && !ended_ && !in_.empty()) {
    if (full = !has_room() || !has_turn(); full) break;
    if (complete_) {
      begin_exchange();
      if (!in_.empty()) pipelines_ = true;
      continue;
    }
    std::string_view bytes = in_.bytes();
    if (reader_.in_header() && request_began_ == SteadyClock::time_point{}) {
      if (bytes.starts_with("\r\n")) {  // RFC 9112, 2.2: some clients send one too many
        in_.used(2);
        continue;
      }
      request_began_ = part_began_ = SteadyClock::now();
    }
    const RequestReader::Progress progress = reader_.read(bytes);
    if (progress == RequestReader::Progress::failed) {
      refuse(reader_.error());
      break;
    }
    if (progress == RequestReader::Progress::complete) {
      complete_ = true;
      continue;
    }
    if (progress == RequestReader::Progress::header_done && !header_told_) {
      header_told_ = true;
      part_began_ = SteadyClock::now();
      continue_due_ = !turned_away() && reader_.expects_continue();
    }
    break;
  }
  processing_ = false;
  return full;
}

/// The interim answer goes out between answers, never in front of an earlier request's.
void Connection::offer_continue() {
  if (!continue_due_ || !exchanges_.empty()) return;
  continue_due_ = false;
  request_began_ = part_began_ = SteadyClock::now();  // until now the wait was ours
  out_.append("HTTP/1.1 100 Continue\r\n\r\n");
  flush();
}

Exchange& Connection::add_exchange(SteadyClock::time_point received, bool keep_alive) {
  Exchange& exchange = exchanges_.emplace_back();
  exchange.number = next_number_++;
  exchange.received = received;
  exchange.keep_alive = keep_alive;
  ++under_way_;
  return exchange;
}

void Connection::begin_exchange() {
  Request request;
  const std::string_view bytes = in_.bytes();
  reader_.fill(request, bytes);
  request.received = request_began_;
  Exchange& exchange = add_exchange(request_began_, request.keep_alive && !worker_.stopping());
  exchange.head = request.method == "HEAD";
  reads_under_way_ = reader_.is_safe();
  const std::size_t size = reader_.size();
  const std::uint64_t number = exchange.number;
  worker_.application().handle(worker_, exchange, request, Reply(shared_from_this(), number));
  if (const Exchange* begun = find(number); begun != nullptr && !begun->keep_alive) no_more_ = true;
  in_.used(size);
  reader_.reset();
  request_began_ = part_began_ = idle_since_ = {};
  complete_ = header_told_ = continue_due_ = false;
}

/// Whoever would not be let in with the whole request need not send the rest of it. Then this is
/// the last answer of the connection.
bool Connection::turned_away() {
  Request head;
  reader_.fill(head, in_.bytes());
  Exchange& exchange = add_exchange(request_began_, false);
  exchange.head = head.method == "HEAD";
  const Reply reply(shared_from_this(), exchange.number);
  if (worker_.application().turn_away(worker_, exchange, head, reply)) return true;
  exchanges_.pop_back();
  --next_number_;
  --under_way_;
  return false;
}

/// The last answer of this connection.
void Connection::refuse(const ReadError& error) {
  no_more_ = true;
  Exchange& exchange = add_exchange(SteadyClock::now(), false);
  Request head;
  const bool known = reader_.has_header();
  if (known) reader_.fill(head, in_.bytes());
  exchange.head = head.method == "HEAD";
  line_up(exchange,
          worker_.application().response_to_unreadable(exchange, error, known ? &head : nullptr));
  if (!processing_) flush();
}

Exchange* Connection::find(std::uint64_t number) {
  if (exchanges_.empty() || number < exchanges_.front().number) return nullptr;
  const std::size_t index = static_cast<std::size_t>(number - exchanges_.front().number);
  return index < exchanges_.size() ? &exchanges_[index] : nullptr;
}

void Connection::send(std::uint64_t number, const Answer& answer) {
  Exchange* const exchange = find(number);
  if (exchange == nullptr || ended_) return;
  line_up(*exchange, worker_.application().response_to(*exchange, answer));
  if (!processing_) process();
}

void Connection::send(std::uint64_t number, Response&& response) {
  Exchange* const exchange = find(number);
  if (exchange == nullptr || ended_) return;
  line_up(*exchange, std::move(response));
  if (!processing_) process();
}

/// Whoever is next in line has its answer written where it will be sent from.
void Connection::line_up(Exchange& exchange, Response&& response) {
  worker_.application().finish(exchange, response);
  if (worker_.stopping()) exchange.keep_alive = false;
  if (response.close || !exchange.keep_alive) no_more_ = true;
  if (!std::exchange(exchange.ready, true)) --under_way_;
  exchange.keep_alive = exchange.keep_alive && !response.close;
  const bool next = &exchange == &exchanges_.front();
  render(next ? out_ : exchange.bytes, response, exchange.keep_alive, exchange.head);
  ready_bytes_ += exchange.bytes.size();
}

void Connection::stream(std::uint64_t number, Stream stream) {
  Exchange* const exchange = find(number);
  if (exchange == nullptr || ended_) return stream.ready(false);
  no_more_ = true;  // nothing can follow a stream
  if (!std::exchange(exchange->ready, true)) --under_way_;
  exchange->streaming = true;
  exchange->bytes = stream.head(*exchange);
  ready_bytes_ += exchange->bytes.size();
  stream_last_ = std::move(stream.last);
  stream_ready_ = std::move(stream.ready);
  if (!processing_) process();
  if (worker_.stopping()) end_stream();
}

void Connection::stream_more(std::string_view bytes) {
  if (ended_ || !stream_ready_) return;  // it may have ended meanwhile
  out_.append(bytes);
  flush();
}

/// One whose turn has not come is cut.
void Connection::end_stream() {
  if (ended_ || !stream_ready_) return;
  if (!exchanges_.front().streaming) return abort();
  std::exchange(stream_ready_, nullptr)(false);
  ready_bytes_ -= exchanges_.front().bytes.size();
  out_.append(exchanges_.front().bytes);
  out_.append(stream_last_);
  exchanges_.pop_front();
  flush();
}

/// Not before those that were asked for earlier have their answers.
void Connection::wake_stream() {
  const bool its_turn = !exchanges_.empty() && exchanges_.front().streaming;
  if (stream_ready_ && its_turn && !writing_ && out_.empty() && !ended_) stream_ready_(true);
}

/// Sends what is ready, in order.
void Connection::flush() {
  while (!exchanges_.empty() && exchanges_.front().ready) {
    Exchange& front = exchanges_.front();
    ready_bytes_ -= front.bytes.size();
    out_.append(front.bytes);
    front.bytes.clear();
    if (front.streaming) break;
    exchanges_.pop_front();
  }
  if (writing_ || ended_) return;
  if (!out_.empty()) {
    boost::system::error_code error;
    const std::size_t count = try_write(boost::asio::buffer(out_), error);
    if (error) return end();
    if (count < out_.size()) {
      sending_.swap(out_);
      out_.clear();
      sent_ = count;
      return write_on();
    }
    out_.clear();
  }
  sent_everything();
}

/// Sends the rest as the peer takes it.
void Connection::write_on() {
  writing_ = true;
  write_went_on_ = SteadyClock::now();
  set_deadline();
  start_write(boost::asio::buffer(sending_) + sent_);
}

void Connection::write_done(const boost::system::error_code& error, std::size_t count) {
  safely([&] { go_on_writing(error, count); });
}

void Connection::go_on_writing(const boost::system::error_code& error, std::size_t count) {
  writing_ = false;
  if (ended_) return;
  if (error) return end();
  sent_ += count;
  if (sent_ < sending_.size()) return write_on();
  sending_.clear();
  sent_ = 0;
  if (sending_.capacity() > kept_output_bytes) sending_.shrink_to_fit();
  flush();
  if (!ended_) process();
}

void Connection::sent_everything() {
  if (out_.capacity() > kept_output_bytes) out_.shrink_to_fit();
  const bool streaming = !exchanges_.empty() && exchanges_.front().streaming;
  if (streaming) {
    if (stream_ready_) stream_ready_(true);
    return;
  }
  if (no_more_ && exchanges_.empty() && !lingering_) linger();
}

/// Says that this is the end, and waits for the peer to agree: closing with unread input would make
/// it lose the answer.
void Connection::linger() {
  no_more_ = lingering_ = true;
  shut();
  set_deadline();
  read_on();
}

void Connection::wind_down() {
  if (ended_ || lingering_) return;
  no_more_ = true;
  if (stream_ready_) return end_stream();
  if (exchanges_.empty() && !writing_) abort();
}

void Connection::abort() { end(); }

void Connection::give_up(const std::exception& error) noexcept {
  try {
    end();
    worker_.application().log().warn_seldom("a connection was given up", {{"error", error.what()}});
  } catch (const std::exception&) {  // there is nobody left to tell
  }
}

void Connection::end() {
  if (ended_) return;
  ended_ = true;
  exchanges_.clear();
  if (auto ready = std::exchange(stream_ready_, nullptr)) ready(false);
  close();
}

}  // namespace holdfast::http

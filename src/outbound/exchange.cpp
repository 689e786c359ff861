#include "outbound/exchange.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/asio/ssl/error.hpp>
#include <charconv>
#include <utility>

namespace holdfast::outbound {
namespace {

using Progress = ResponseReader::Progress;
using boost::system::error_code;

constexpr std::size_t read_bytes_max = std::size_t{64} << 10U;
constexpr std::size_t read_bytes_first = std::size_t{4} << 10U;

/// How long the peer says it keeps the connection, less a second for the way.
Duration kept_for(const Response& response, Duration idle_max) {
  constexpr std::string_view name = "timeout=";
  const auto text = find_header(response.headers, "Keep-Alive");
  const std::size_t begin = text ? text->find(name) : std::string_view::npos;
  if (begin == std::string_view::npos) return idle_max;
  const std::string_view digits = text->substr(begin + name.size());
  std::uint32_t seconds = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), seconds);
  if (error != std::errc() || seconds == 0) return error == std::errc() ? Duration{} : idle_max;
  return std::min(idle_max, Duration(std::chrono::seconds(seconds - 1)));
}

}  // namespace

Exchange::Exchange(Shared& shared, Request request, const Limits& limits, Time deadline, Done done)
    : shared_(shared),
      request_(std::move(request)),
      limits_(limits),
      deadline_(deadline),
      done_(std::move(done)),
      timer_(shared.io) {}

void Exchange::start() {
  shared_.under_way.insert(shared_from_this());
  if (shared_.closed) return fail(What::closed, "the client was stopped");
  timer_.expires_at(deadline_);
  timer_.async_wait([self = shared_from_this()](const error_code& error) {
    if (!error) self->fail(What::timeout, "the time for the whole call is over");
  });
  enter();
}

void Exchange::enter() {
  origin_ = request_.url.origin();
  switch (shared_.pool.enter(origin_, *this)) {
    case Pool::Entered::now:
      return turn();
    case Pool::Entered::waits:
      return;
    case Pool::Entered::full:
      return fail(What::full, "too many calls wait for a connection");
  }
}

void Exchange::turn() {
  has_slot_ = true;
  if (auto kept = shared_.pool.take(origin_)) return use(std::move(kept));
  shared_.pool.make_room();
  const auto opening = std::make_shared<Opening>(shared_, request_.url, limits_.connect);
  opening_ = opening;
  opening->start([self = shared_from_this()](auto opened) {
    self->opening_.reset();
    if (!opened) return self->fail(opened.error().what, std::move(opened.error().text));
    self->use(std::move(*opened));
  });
}

void Exchange::use(std::shared_ptr<Link> link) {
  link_ = std::move(link);
  bytes_ = std::make_shared<const std::string>(render(request_));
  written_ = false;
  reader_.emplace(shared_.options.header_bytes_max, limits_.response_bytes_max,
                  request_.method == "HEAD");
  write();
}

/// What goes at once is written at once: then it is known how much that was.
void Exchange::write() {
  error_code error;
  const auto bytes = boost::asio::buffer(*bytes_);
  const std::size_t count = link_->write_some(bytes, error);
  if (count > 0) reached_ = Reached::maybe;
  if (error) return written(error);
  if (count == bytes.size()) {
    written_ = true;
    return read_on(read_bytes_first);
  }
  reached_ = Reached::maybe;
  link_->write(bytes + count, [self = shared_from_this(), link = link_, kept = bytes_](
                                  const error_code& result, std::size_t) {
    if (self->link_ == link) self->written(result);
  });
  read_on(read_bytes_first);  // a peer may answer, and even hang up, before it has read everything
}

void Exchange::written(const error_code& error) {
  written_ = !error;
  // Of a connection that was lost on the way the answer may still be there: reading tells.
  if (error && reached_ == Reached::no)
    fail(What::lost, fmt::format("the connection was lost: {}", error.message()));
}

void Exchange::read_on(std::size_t bytes_max) {
  auto& in = link_->in();
  const std::size_t room = reader_->buffer_bytes_max() - in.size();
  link_->read(
      in.prepare(std::min(bytes_max, room)),
      [self = shared_from_this(), link = link_](const error_code& error, std::size_t count) {
        if (self->link_ == link) self->received(error, count);
      });
}

void Exchange::received(const error_code& error, std::size_t count) {
  link_->in().commit(count);
  if (count > 0) {
    const Progress progress = reader_->read(link_->in());
    if (progress != Progress::more) return read_done(progress);
  }
  if (!error) return read_on(read_bytes_max);
  // Without TLS's own farewell somebody on the way may have cut the answer short.
  if (error == boost::asio::error::eof && reader_->end() == Progress::complete) return answered();
  fail(What::lost, fmt::format("the connection ended before the answer: {}", error.message()));
}

void Exchange::read_done(Progress progress) {
  if (progress == Progress::complete) return answered();
  fail(progress == Progress::too_large ? What::too_large : What::broken, reader_->fault());
}

void Exchange::answered() {
  Response response = reader_->take();
  keep_link(response);
  let_go();
  if (limits_.redirects_max > 0 && follows(response)) return;
  finish(std::move(response));
}

/// True if the call goes on, or has failed.
bool Exchange::follows(const Response& response) {
  visited_.push_back(request_.url.origin() + request_.url.target);
  const auto redirected = redirect(request_, response);
  if (redirected && !*redirected) return false;
  if (!redirected) {
    fail(What::redirect, redirected.error());
  } else if (visited_.size() > static_cast<std::size_t>(limits_.redirects_max)) {
    fail(What::redirect, "redirected too often");
  } else if (std::find(visited_.begin(), visited_.end(),
                       request_.url.origin() + request_.url.target) != visited_.end()) {
    fail(What::redirect, "redirected in a circle");
  } else {
    enter();
  }
  return true;
}

/// Only if both sides are through with this call.
void Exchange::keep_link(const Response& response) {
  const Duration time = kept_for(response, shared_.options.idle_max);
  const bool clean = written_ && reader_->keep_alive() && link_->in().size() == 0;
  if (!clean || time <= Duration::zero() || shared_.closed) return;
  shared_.pool.keep(origin_, std::exchange(link_, nullptr),
                    std::chrono::steady_clock::now() + time);
}

/// Gives back whatever it has of what calls share.
void Exchange::let_go() {
  if (auto opening = std::exchange(opening_, nullptr)) opening->cancel();
  if (auto link = std::exchange(link_, nullptr)) link->close();
  shared_.pool.withdraw(origin_, *this);
  if (std::exchange(has_slot_, false)) shared_.pool.leave(origin_);
}

void Exchange::fail(What what, std::string text) {
  finish(tl::unexpected(Failure{reached_, what, std::move(text)}));
}

void Exchange::finish(Result result) {
  if (!done_) return;
  const auto self = shared_from_this();
  const Done done = std::exchange(done_, nullptr);
  timer_.cancel();
  let_go();
  shared_.under_way.erase(self);
  done(std::move(result));
}

}  // namespace holdfast::outbound

#include "outbound/opening.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace holdfast::outbound {
namespace {

using SteadyClock = std::chrono::steady_clock;
using boost::system::error_code;

/// Of one name. Each has its share of the time, so there should not be too many.
constexpr std::size_t addresses_max = 8;

}  // namespace

Opening::Opening(Shared& shared, const Url& url, Duration limit)
    : shared_(shared), url_(url), deadline_(SteadyClock::now() + limit), timer_(shared.io) {}

void Opening::start(Told told) {
  told_ = std::move(told);
  if (url_.address) return found({*url_.address});
  wait_until(deadline_);
  shared_.resolver.look_up(url_.host, [self = shared_from_this()](const auto& addresses) {
    if (!self->told_) return;
    if (!addresses) return self->fail(What::resolve, addresses.error());
    self->found(*addresses);
  });
}

void Opening::found(const Addresses& addresses) {
  for (const auto& each : addresses) {
    if (left_.size() < addresses_max && shared_.policy.allows(url_.host, each))
      left_.push_back(each);
  }
  if (left_.empty())
    return fail(What::refused_address, "the address policy allows no address it has");
  std::reverse(left_.begin(), left_.end());
  try_next();
}

void Opening::try_next() {
  const Time now = SteadyClock::now();
  const auto share = (deadline_ - now) / static_cast<int>(left_.size());
  const boost::asio::ip::tcp::endpoint to(left_.back(), url_.port);
  left_.pop_back();
  link_ = make_link(shared_.io, *shared_.tls, url_);
  connecting_ = true;
  wait_until(now + share);
  link_->connect(to, [self = shared_from_this(), link = link_](const error_code& error) {
    if (self->told_ && self->link_ == link) self->connected(error);
  });
}

void Opening::connected(const error_code& error) {
  connecting_ = false;
  if (error) {
    link_->close();
    return left_.empty() ? fail(What::connect, error.message()) : try_next();
  }
  wait_until(deadline_);
  link_->shake_hands([self = shared_from_this()](const error_code& result) {
    if (self->told_) self->shaken(result);
  });
}

void Opening::shaken(const error_code& error) {
  if (!error) return tell(link_);
  const std::string objection = link_->objection();
  fail(What::tls, objection.empty() ? error.message() : objection);
}

void Opening::wait_until(Time until) {
  timer_.expires_at(until);
  timer_.async_wait([self = shared_from_this()](const error_code& error) {
    // A timer that was set anew may have expired just before.
    if (!error && self->told_ && self->timer_.expiry() <= SteadyClock::now()) self->expired();
  });
}

void Opening::expired() {
  if (!connecting_ || left_.empty()) return fail(What::timeout, "no connection in time");
  link_->close();
  try_next();
}

void Opening::fail(What what, const std::string& text) {
  tell(tl::unexpected(
      Failure{Reached::no, what, fmt::format("cannot connect to {}: {}", url_.authority(), text)}));
}

void Opening::tell(tl::expected<std::shared_ptr<Link>, Failure> result) {
  const Told told = std::exchange(told_, nullptr);
  if (!result) cancel();
  timer_.cancel();
  told(std::move(result));
}

void Opening::cancel() {
  told_ = nullptr;
  timer_.cancel();
  if (link_ != nullptr) link_->close();
}

}  // namespace holdfast::outbound

#pragma once

#include <boost/asio/steady_timer.hpp>
#include <functional>
#include <memory>
#include <tl/expected.hpp>

#include "outbound/shared.hpp"

namespace holdfast::outbound {

/// Opens one connection: looks the name up, asks the policy about every address, connects to the
/// allowed ones one after the other and shakes hands. No byte of a request is written here: every
/// failure has `Reached::no`. Belongs to the client's own thread.
class Opening : public std::enable_shared_from_this<Opening> {
 public:
  using Told = std::function<void(tl::expected<std::shared_ptr<Link>, Failure>)>;

  Opening(Shared& shared, const Url& url, Duration limit);

  /// Tells once, and maybe at once.
  void start(Told told);
  /// Nothing is told any more.
  void cancel();

 private:
  using Time = std::chrono::steady_clock::time_point;

  void found(const Addresses& addresses);
  void try_next();
  void connected(const boost::system::error_code& error);
  void shaken(const boost::system::error_code& error);
  void wait_until(Time until);
  void expired();
  void fail(What what, const std::string& text);
  void tell(tl::expected<std::shared_ptr<Link>, Failure> result);

  Shared& shared_;
  const Url url_;
  const Time deadline_;
  boost::asio::steady_timer timer_;
  Told told_;
  Addresses left_;  ///< to be tried, the last one first
  std::shared_ptr<Link> link_;
  bool connecting_ = false;
};

}  // namespace holdfast::outbound

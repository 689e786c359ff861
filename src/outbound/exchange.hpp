#pragma once

#include <boost/asio/steady_timer.hpp>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "outbound/opening.hpp"
#include "outbound/request.hpp"
#include "outbound/response_reader.hpp"
#include "outbound/shared.hpp"

namespace holdfast::outbound {

/// One call on its way: it waits for a slot, takes a kept connection or opens one, writes, reads,
/// and maybe follows a redirect. Belongs to the client's own thread, once it is made.
///
/// `reached_` is set before anything is given to a connection that may carry it, and stays set:
/// what comes later, such as a redirect to somewhere that cannot be reached, takes nothing back.
class Exchange final : public Waiter, public std::enable_shared_from_this<Exchange> {
 public:
  using Time = std::chrono::steady_clock::time_point;

  Exchange(Shared& shared, Request request, const Limits& limits, Time deadline, Done done);

  void start();
  /// Ends it, unless it has ended.
  void fail(What what, std::string text);

 private:
  void enter();
  void turn() override;
  void use(std::shared_ptr<Link> link);
  void write();
  void written(const boost::system::error_code& error);
  void read_on(std::size_t bytes_max);
  void received(const boost::system::error_code& error, std::size_t count);
  void read_done(ResponseReader::Progress progress);
  void answered();
  [[nodiscard]] bool follows(const Response& response);
  void keep_link(const Response& response);
  void let_go();
  void finish(Result result);

  Shared& shared_;
  Request request_;
  const Limits limits_;
  const Time deadline_;
  Done done_;
  boost::asio::steady_timer timer_;
  Reached reached_ = Reached::no;
  std::string origin_;  ///< where it waits, or has a slot
  bool has_slot_ = false;
  std::shared_ptr<Opening> opening_;
  std::shared_ptr<Link> link_;
  std::shared_ptr<const std::string> bytes_;  ///< the request; a write that was cut keeps it
  bool written_ = false;                      ///< all of it
  std::optional<ResponseReader> reader_;
  std::vector<std::string> visited_;  ///< redirected from there
};

}  // namespace holdfast::outbound

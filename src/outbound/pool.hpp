#pragma once

#include <boost/asio/io_context.hpp>
#include <chrono>
#include <deque>
#include <list>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "outbound/client.hpp"
#include "outbound/link.hpp"

namespace holdfast::outbound {

/// Who needs a connection, and may have to wait for it.
class Waiter {
 public:
  virtual ~Waiter() = default;
  /// It has a slot now. Called on its own, from the event loop.
  virtual void turn() = 0;

 private:
  friend class Pool;
  std::list<Waiter*>::iterator place_{};
  bool waiting_ = false;
};

/// Slots and kept connections. A call needs a slot for as long as it uses or opens a connection;
/// there are so many for an origin, and so many in all. Calls to one origin get theirs in order,
/// and origins take turns, so that one that is slow holds up no other. Kept connections count, too:
/// the one that was kept longest makes room.
///
/// Belongs to the thread of `io`.
class Pool {
 public:
  using Time = std::chrono::steady_clock::time_point;
  enum class Entered : std::uint8_t { now, waits, full };

  Pool(boost::asio::io_context& io, const Options& options);
  ~Pool();

  /// Takes a slot, or a place in the line. A waiter must withdraw before it ends.
  [[nodiscard]] Entered enter(const std::string& origin, Waiter& waiter);
  /// Gives up the place in the line, if there is one.
  void withdraw(const std::string& origin, Waiter& waiter);
  /// Gives a slot back.
  void leave(const std::string& origin);

  /// The connection that was used last, of those that can be used; null: there is none.
  [[nodiscard]] std::shared_ptr<Link> take(const std::string& origin);
  /// Keeps a connection for the next call, until then.
  void keep(const std::string& origin, std::shared_ptr<Link> link, Time until);
  /// To be called with a slot, before a connection is opened.
  void make_room();
  /// Closes what was kept too long, and what the peer has closed.
  void sweep(Time now);
  void close_kept();

 private:
  struct Kept;
  struct Origin;
  using KeptList = std::list<Kept>;

  [[nodiscard]] Origin& at(const std::string& origin);
  void forget_if_unused(Origin& origin);
  [[nodiscard]] bool has_room(const Origin& origin) const;
  void line_up(Origin& origin);
  void admit_soon();
  void admit();
  [[nodiscard]] std::shared_ptr<Link> remove(KeptList::iterator which);

  boost::asio::io_context& io_;
  const std::size_t slots_max_, slots_per_origin_max_, waiting_max_;
  std::unordered_map<std::string, std::unique_ptr<Origin>> origins_;
  std::deque<Origin*> in_line_;  ///< origins with calls that wait, and room for one
  KeptList kept_;                ///< the longest kept is first
  std::size_t busy_ = 0;         ///< slots in use
  std::size_t waiting_ = 0;
  bool admitting_ = false;
};

}  // namespace holdfast::outbound

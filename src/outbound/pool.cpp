#include "outbound/pool.hpp"

#include <algorithm>
#include <boost/asio/post.hpp>
#include <utility>

#include "base/assert.hpp"

namespace holdfast::outbound {

struct Pool::Kept {
  std::shared_ptr<Link> link;
  Time until;
  Origin* origin;
};

struct Pool::Origin {
  std::string name{};
  std::size_t busy = 0;
  std::list<Waiter*> waiting{};
  std::vector<KeptList::iterator> kept{};  ///< the last used is last
  bool in_line = false;
};

Pool::Pool(boost::asio::io_context& io, const Options& options)
    : io_(io),
      slots_max_(options.connections_max),
      slots_per_origin_max_(options.connections_per_origin_max),
      waiting_max_(options.waiting_max) {}

Pool::~Pool() = default;

Pool::Origin& Pool::at(const std::string& origin) {
  auto& found = origins_[origin];
  if (found == nullptr) {
    found = std::make_unique<Origin>();
    found->name = origin;
  }
  return *found;
}

void Pool::forget_if_unused(Origin& origin) {
  if (origin.busy > 0 || origin.in_line || !origin.waiting.empty() || !origin.kept.empty()) return;
  const std::string name = origin.name;
  origins_.erase(name);
}

bool Pool::has_room(const Origin& origin) const {
  return busy_ < slots_max_ && origin.busy < slots_per_origin_max_;
}

Pool::Entered Pool::enter(const std::string& origin, Waiter& waiter) {
  Origin& to = at(origin);
  if (in_line_.empty() && to.waiting.empty() && has_room(to)) {
    ++busy_;
    ++to.busy;
    return Entered::now;
  }
  if (waiting_ >= waiting_max_) {
    forget_if_unused(to);
    return Entered::full;
  }
  waiter.place_ = to.waiting.insert(to.waiting.end(), &waiter);
  waiter.waiting_ = true;
  ++waiting_;
  line_up(to);
  admit_soon();
  return Entered::waits;
}

void Pool::withdraw(const std::string& origin, Waiter& waiter) {
  if (!std::exchange(waiter.waiting_, false)) return;
  Origin& from = at(origin);
  from.waiting.erase(waiter.place_);
  --waiting_;
  forget_if_unused(from);
}

void Pool::leave(const std::string& origin) {
  Origin& from = at(origin);
  HOLDFAST_ASSERT(from.busy > 0 && busy_ > 0);
  --from.busy;
  --busy_;
  line_up(from);
  if (!in_line_.empty()) admit_soon();
  forget_if_unused(from);
}

void Pool::line_up(Origin& origin) {
  if (origin.in_line || origin.waiting.empty() || origin.busy >= slots_per_origin_max_) return;
  origin.in_line = true;
  in_line_.push_back(&origin);
}

/// Never from within what freed the slot: a call that fails at once would free the next.
void Pool::admit_soon() {
  if (std::exchange(admitting_, true)) return;
  boost::asio::post(io_, [this] {
    admitting_ = false;
    admit();
  });
}

void Pool::admit() {
  while (!in_line_.empty() && busy_ < slots_max_) {
    Origin& next = *in_line_.front();
    in_line_.pop_front();
    next.in_line = false;
    if (next.waiting.empty()) {  // they have withdrawn
      forget_if_unused(next);
      continue;
    }
    Waiter& first = *next.waiting.front();
    next.waiting.pop_front();
    first.waiting_ = false;
    --waiting_;
    ++busy_;
    ++next.busy;
    line_up(next);
    first.turn();
  }
}

std::shared_ptr<Link> Pool::remove(KeptList::iterator which) {
  Origin& origin = *which->origin;
  origin.kept.erase(std::find(origin.kept.begin(), origin.kept.end(), which));
  std::shared_ptr<Link> link = std::move(which->link);
  kept_.erase(which);
  return link;
}

std::shared_ptr<Link> Pool::take(const std::string& origin) {
  Origin& from = at(origin);
  const Time now = std::chrono::steady_clock::now();
  while (!from.kept.empty()) {
    const bool fresh = from.kept.back()->until > now;
    std::shared_ptr<Link> link = remove(from.kept.back());
    if (fresh && link->quiet()) return link;
    link->close();
  }
  return nullptr;
}

void Pool::keep(const std::string& origin, std::shared_ptr<Link> link, Time until) {
  Origin& to = at(origin);
  to.kept.push_back(kept_.insert(kept_.end(), {std::move(link), until, &to}));
}

void Pool::make_room() {
  while (!kept_.empty() && busy_ + kept_.size() > slots_max_) {
    Origin& origin = *kept_.front().origin;
    remove(kept_.begin())->close();
    forget_if_unused(origin);
  }
}

void Pool::sweep(Time now) {
  for (auto each = kept_.begin(); each != kept_.end();) {
    const auto which = each++;
    if (which->until > now && which->link->quiet()) continue;
    Origin& origin = *which->origin;
    remove(which)->close();
    forget_if_unused(origin);
  }
}

void Pool::close_kept() { sweep(Time::max()); }

}  // namespace holdfast::outbound

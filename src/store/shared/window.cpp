// Another window for a store that nodes share. Nobody may be at work on it. What is there is read
// under the lock of the head, and changed with the record that says so, in one transaction.

#include "store/shared/window.hpp"

#include <algorithm>

#include "domain/window_change.hpp"
#include "store/checksum.hpp"
#include "store/shared/objections.hpp"
#include "store/views.hpp"

namespace holdfast::shared {
namespace {

class WindowWork {
 public:
  WindowWork(const Driver& driver, Session& session, const WindowOptions& options)
      : driver_(driver), session_(session), options_(options) {}

  StoreResult<WindowChanged> run() {
    if (auto known = look(); !known) return tl::unexpected(known.error());
    WindowChanged changed{
        .name = driver_.name(), .before = rules_.window, .window = options_.window};
    if (changed.window == changed.before) return changed;
    if (auto nobody = session_.alone(outdated_window); !nobody) return failed(nobody.error());
    Wanted nothing;
    if (options_.clock != system_clock()) nothing.time.clock = options_.clock->now();
    auto loaded = session_.load(nothing);
    if (!loaded) return failed(loaded.error());
    auto done = run_locked(*loaded, changed);
    if (!done) session_.abandon();
    if (!done) return tl::unexpected(done.error());
    if (changed.seq == 0) session_.abandon();
    return changed;
  }

 private:
  tl::unexpected<StoreError> failed(const Fault& fault) const {
    return tl::unexpected(to_error(driver_, fault));
  }
  tl::unexpected<StoreError> refused(std::string_view text) const {
    return failed({Trouble::refused, std::string(text)});
  }

  void tell(std::string_view step) const {
    if (options_.before_step) options_.before_step(step);
  }

  StoreResult<void> look() {
    const auto found = session_.describe();
    if (!found) return failed(found.error());
    if (auto right = check_version(driver_, *found); !right) return right;
    if (auto sound = check_kept(driver_.name(), found->kept); !sound) return sound;
    if (auto all = check_operations(driver_.name(), found->kept); !all) return all;
    if (found->views != views_mark(session_.dialect())) return refused(other_views);
    adopt(found->kept, rules_);
    if (!rules_.any_follows()) return refused(nobody_follows);
    return {};
  }

  StoreResult<void> run_locked(const Loaded& loaded, WindowChanged& changed) {
    if (loaded.half_copied) return refused(half_copy);
    if (loaded.window_seq != rules_.history.seq)
      return refused("somebody else has changed the window just now");
    const WindowChange change{changed.before, changed.window};
    changed.at = loaded.head.now;
    Records records;
    records.push_back(window_record(change, loaded.head.seq + 1, changed.at));
    Rules rules = rules_;
    change_window(rules, change, records.front());
    const Instant forgotten_to =
        duplicate_prevention::forgotten_to(change.before, change.window, changed.at);
    if (auto counted = count(forgotten_to, changed); !counted) return counted;
    if (changed.shorter() && !options_.agreed) return {};

    WindowEffect effect{.follow = {},
                        .window = change.window,
                        .forgotten_to = rules.history.forgotten_to,
                        .kept = kept_numbers(rules)};
    for (const OperationTokens& each : changed.operations) {
      if (each.follows) effect.follow.push_back(each.operation);
    }
    const auto gone = session_.change_window(effect, options_.before_step);
    if (!gone) return failed(gone.error());
    if (auto written = write(loaded.head, records, *gone); !written) return written;
    changed.seq = records.front().seq;
    return {};
  }

  StoreResult<void> count(Instant forgotten_to, WindowChanged& changed) {
    const auto found = session_.count_tokens(changed.at, forgotten_to);
    if (!found) return failed(found.error());
    for (const OperationRow& each : operations()) {
      OperationTokens& tokens = changed.operations.emplace_back();
      tokens = {each.id, rules_.window_of(each.id), rules_.follows(each.id)};
      for (const TokensFound& of : *found) {
        if (of.operation != each.id) continue;
        tokens.live = of.live;
        if (tokens.follows) tokens.forgotten = of.up_to;
      }
    }
    return {};
  }

  StoreResult<void> write(const Head& head, const Records& records, std::uint64_t gone) {
    Changes changes;
    changes.records = &records;
    changes.head = head;
    changes.head.seq = records.back().seq;
    changes.head.chain = checksum(head.chain, records.back());
    changes.head.counts.records = changes.head.seq;
    changes.head.counts.live_tokens -= std::min(gone, head.counts.live_tokens);
    changes.checksums = {changes.head.chain};
    tell("commit");
    const auto written = session_.write(changes);
    if (!written) return failed(written.error());
    return {};
  }

  const Driver& driver_;
  Session& session_;
  const WindowOptions& options_;
  Rules rules_;
};

}  // namespace

StoreResult<WindowChanged> change_window(const Driver& driver, Session& session,
                                         const WindowOptions& options) {
  return WindowWork(driver, session, options).run();
}

}  // namespace holdfast::shared

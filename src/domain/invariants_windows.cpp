#include "domain/invariants_windows.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/time_text.hpp"
#include "domain/window_change.hpp"

namespace holdfast::audit {
namespace {

std::string in_words(std::int64_t us) { return to_short_text(Duration(us)); }

}  // namespace

/// The window at place 0 is for records that name no operation, which is wrong in itself.
WindowBooks::WindowBooks(const Rules& rules, Findings& findings)
    : findings_(findings),
      kept_us_(rules.window.count()),
      window_us_(rules.history.made.value_or(rules.window).count()),
      changed_(rules.history.made.has_value()) {
  windows_[0] = {window_us_, true};
  for (const OperationRow& row : operations()) {
    Window& window = windows_.at(static_cast<std::size_t>(row.id));
    window.follows = rules.follows(row.id);
    if (window.follows) {
      window.us = window_us_;
    } else if (const auto own = rules.window_of(row.id)) {
      window.us = own->count();
    }
  }
}

void WindowBooks::see(const Record& record) {
  last_seq_ = record.seq;
  if (record.kind == RecordKind::window_changed) change(record);
}

void WindowBooks::change(const Record& record) {
  changed_ = true;
  const auto change = window_change_in(record);
  findings_.check(Invariant::pc_10, change.has_value(), record,
                  [] { return "what the record said is lost: it names no two windows"; });
  if (!change) return;
  findings_.check(Invariant::pc_10, change->before.count() == window_us_, record, [&] {
    return fmt::format("changes a window of {}, and that in force was {}: a change is missing",
                       to_short_text(change->before), in_words(window_us_));
  });
  window_us_ = change->window.count();
  for (Window& each : windows_) {
    if (each.follows) each.us = window_us_;
  }
  const std::int64_t shorter = std::min(change->before, change->window).count();
  if (us(record.at) < INT64_MIN + shorter) return;
  forgotten_to_us_ = std::max(forgotten_to_us_, us(record.at) - shorter);
}

void WindowBooks::finish() {
  if (!changed_) return;
  Record last;
  last.seq = last_seq_;
  findings_.check(Invariant::pc_10, window_us_ == kept_us_, last, [&] {
    return fmt::format("the store has a window of {}, and its records say {}", in_words(kept_us_),
                       in_words(window_us_));
  });
}

bool WindowBooks::within(Operation operation, std::int64_t recorded_us, std::int64_t at_us) const {
  const auto place = static_cast<std::size_t>(operation);
  const Window& window = windows_.at(place < windows_.size() ? place : 0);
  if (window.follows && recorded_us <= forgotten_to_us_) return false;
  if (!window.us || at_us < recorded_us) return true;
  // The difference of any two instants in order fits an unsigned number.
  const auto age = static_cast<std::uint64_t>(at_us) - static_cast<std::uint64_t>(recorded_us);
  return *window.us > 0 && age < static_cast<std::uint64_t>(*window.us);
}

}  // namespace holdfast::audit

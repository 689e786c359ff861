#pragma once

#include <optional>
#include <string_view>

#include "domain/record.hpp"
#include "domain/rules.hpp"

/// A store's window, changed. It is a record, so that whoever judges the others knows by which
/// window: each by the one that was in force when it was made. Who changes it makes the record, and
/// what the store keeps of its windows, in one transaction: see `change_window`.
namespace holdfast {

struct WindowChange {
  Duration before{};
  Duration window{};
};

/// `{"before_us":…,"window_us":…}`, of nobody's call.
[[nodiscard]] Record window_record(const WindowChange& change, std::uint64_t seq, Instant at);
/// Nothing, if the detail of that record says no two windows.
[[nodiscard]] std::optional<WindowChange> window_change_in(const Record& record);

/// The rules from that record on. Operations whose window was the store's follow it; the others
/// keep their own, and do so whatever the store's becomes.
void change_window(Rules& rules, const WindowChange& change, const Record& record);

}  // namespace holdfast

#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "cli/output.hpp"
#include "cli/text.hpp"

namespace holdfast::cli {

/// One line on a terminal that says how far something long has come, and is gone when it is done.
/// Shows nothing where nobody watches.
class ProgressLine {
 public:
  explicit ProgressLine(Output& err) : err_(err) {}
  ~ProgressLine() { show({}); }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  /// `auditing: 1,000 of 4,000 records (25%)`.
  void show_records(std::string_view doing, std::uint64_t done, std::uint64_t all) {
    const std::uint64_t percent = all == 0 ? 100 : done * 100 / all;
    show(fmt::format("{}: {} of {} records ({}%)", doing, number_text(done), number_text(all),
                     percent));
  }

  void show(std::string_view text) {
    if (!err_.terminal() || (text.empty() && !shown_)) return;
    err_.write("\r\033[K");
    err_.write(text);
    err_.flush();
    shown_ = !text.empty();
  }

 private:
  Output& err_;
  bool shown_ = false;
};

}  // namespace holdfast::cli

#pragma once

#include <string_view>

#include "cli/output.hpp"

namespace holdfast::cli {

/// One line on a terminal that says how far something long has come, and is gone when it is done.
/// Shows nothing where nobody watches.
class Progress {
 public:
  explicit Progress(Output& err) : err_(err) {}
  ~Progress() { show({}); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

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

#pragma once

#include <string>
#include <string_view>

namespace holdfast::cli {

enum class Colour { plain, bold, dim, red, green, yellow, cyan };

/// One of the standard streams. Text is gathered and written in large pieces. A reader that goes
/// away is not an error: what follows is dropped, and `closed` says that there is no point in
/// going on. Any other failure is kept for `failure`, so that it reaches the exit code.
class Output {
 public:
  explicit Output(int fd);
  ~Output() { flush(); }
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  void write(std::string_view text);
  void line(std::string_view text = {});
  void flush();

  [[nodiscard]] bool terminal() const { return terminal_; }
  [[nodiscard]] bool closed() const { return closed_; }
  /// What went wrong; empty when nothing did.
  [[nodiscard]] const std::string& failure() const { return failure_; }

  /// The text in a colour, or as it is when this is not a terminal or colour is not wanted
  /// (`NO_COLOR`, `TERM=dumb`).
  [[nodiscard]] std::string paint(Colour colour, std::string_view text) const;

 private:
  int fd_;
  bool terminal_;
  bool colours_;
  bool closed_ = false;
  std::string failure_;
  std::string buffer_;
};

}  // namespace holdfast::cli

#include "cli/output.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <system_error>

namespace holdfast::cli {
namespace {

constexpr std::size_t buffer_bytes_max = 65536;

bool colours_wanted() {
  const char* no_color = std::getenv("NO_COLOR");
  if (no_color != nullptr && *no_color != '\0') return false;
  const char* term = std::getenv("TERM");
  return term != nullptr && *term != '\0' && std::string_view(term) != "dumb";
}

std::string_view code_of(Colour colour) {
  switch (colour) {
    case Colour::plain:
      return "";
    case Colour::bold:
      return "1";
    case Colour::dim:
      return "2";
    case Colour::red:
      return "31";
    case Colour::green:
      return "32";
    case Colour::yellow:
      return "33";
    case Colour::cyan:
      return "36";
  }
  return "";
}

}  // namespace

Output::Output(int fd)
    : fd_(fd), terminal_(::isatty(fd) == 1), colours_(terminal_ && colours_wanted()) {}

void Output::write(std::string_view text) {
  if (closed_ || !failure_.empty()) return;
  buffer_.append(text);
  if (buffer_.size() >= buffer_bytes_max) flush();
}

void Output::line(std::string_view text) {
  write(text);
  write("\n");
}

void Output::flush() {
  std::string_view rest = buffer_;
  while (!rest.empty() && !closed_ && failure_.empty()) {
    const ssize_t written = ::write(fd_, rest.data(), rest.size());
    if (written >= 0) {
      rest.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno == EPIPE) {
      closed_ = true;
    } else if (errno != EINTR) {
      failure_ = std::generic_category().message(errno);
    }
  }
  buffer_.clear();
}

std::string Output::paint(Colour colour, std::string_view text) const {
  if (!colours_ || colour == Colour::plain || text.empty()) return std::string(text);
  return fmt::format("\033[{}m{}\033[0m", code_of(colour), text);
}

}  // namespace holdfast::cli

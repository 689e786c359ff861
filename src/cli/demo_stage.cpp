#include <csignal>
#include <cstdlib>
#include <system_error>

#include "base/time_text.hpp"
#include "cli/demo.hpp"

namespace holdfast::cli {
namespace {

volatile std::sig_atomic_t stop_asked = 0;

void ask_to_stop(int) { stop_asked = 1; }

}  // namespace

TempFolder::TempFolder() {
  std::string name = (std::filesystem::temp_directory_path() / "holdfast-demo-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) {
    throw std::system_error(errno, std::generic_category(), "cannot make " + name);
  }
  path_ = name;
}

TempFolder::~TempFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

bool interrupted() { return stop_asked != 0; }

void notice_interrupts() {
  std::signal(SIGINT, ask_to_stop);
  std::signal(SIGTERM, ask_to_stop);
}

void Stage::say(const std::string& line) const {
  if (!context.settings.json) context.out.line(line);
}

std::string Stage::time() const { return to_rfc3339(clock->now()).substr(11, 8); }

Result<Holdfast> Stage::open() const {
  return holdfast::open({.store = store,
                         .window = std::chrono::minutes(10),
                         .sweep_every = Duration::zero(),
                         .clock = clock,
                         .random = seeded_random(seed)});
}

}  // namespace holdfast::cli

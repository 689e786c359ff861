#include "cli/context.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>

#include "cli/text.hpp"

namespace holdfast::cli {
namespace {

/// Names that are not files. A store in memory would be gone before its answer could be used.
std::optional<Error> not_a_file(const std::string& path) {
  if (path == ":memory:") {
    return Error{"a store in memory ends with this command; name a file, as in --store rooms.db"};
  }
  if (path.find("://") != std::string::npos) {
    return Error{
        fmt::format("{} is an address, and this version of holdfast opens files only; "
                    "name a file, as in --store rooms.db",
                    printable(path))};
  }
  return std::nullopt;
}

}  // namespace

std::string Context::store_path() const {
  if (!settings.store.empty()) return settings.store;
  const char* chosen = std::getenv("HOLDFAST_STORE");
  return chosen != nullptr && *chosen != '\0' ? chosen : "holdfast.db";
}

std::optional<Error> Context::missing_store(const std::string& path) const {
  if (auto error = not_a_file(path)) return error;
  std::error_code ignored;
  if (std::filesystem::exists(path, ignored)) return std::nullopt;
  return Error{
      fmt::format("no store at {}; name one with --store FILE or HOLDFAST_STORE, or make "
                  "one by placing a hold: holdfast hold room_307 guest_g91 24h",
                  printable(path))};
}

Result<Holdfast> Context::open_to_change(std::optional<Duration> window) const {
  const std::string path = store_path();
  if (auto error = not_a_file(path)) return tl::unexpected(*error);
  // One command does one thing: without the sweeper it does not race with its own housekeeping.
  return open({.store = path, .window = window, .sweep_every = Duration::zero(), .clock = clock});
}

Result<Holdfast> Context::open_to_read() const {
  const std::string path = store_path();
  if (auto error = missing_store(path)) return tl::unexpected(*error);
  return open({.store = path, .read_only = true, .sweep_every = Duration::zero(), .clock = clock});
}

}  // namespace holdfast::cli

#include "cli/context.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "base/shown_store.hpp"
#include "cli/text.hpp"
#include "store/open.hpp"

namespace holdfast::cli {
namespace {

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

}  // namespace

std::string Context::store_path() const {
  if (!settings.store.empty()) return settings.store;
  const std::string chosen = variable("HOLDFAST_STORE");
  return chosen.empty() ? "holdfast.db" : chosen;
}

std::optional<Error> Context::not_a_file(const std::string& path) const {
  // A store in memory would be gone before its answer could be used.
  if (path == ":memory:") {
    return Error{"a store in memory ends with this command; name a file, as in --store rooms.db"};
  }
  if (is_foreign(path)) return Error{printable(foreign_store(path))};
  return std::nullopt;
}

std::optional<Error> Context::missing_store(const std::string& path) const {
  if (auto error = not_a_file(path)) return error;
  std::error_code ignored;
  if (is_shared(path) || std::filesystem::exists(path, ignored)) return std::nullopt;
  return Error{
      fmt::format("no store at {}; name one with --store FILE or HOLDFAST_STORE, or make "
                  "one by placing a hold: holdfast hold room_307 guest_g91 24h",
                  printable(shown_store(path)))};
}

std::string Context::server() const {
  if (!settings.server.empty() || !settings.store.empty()) return settings.server;
  return variable("HOLDFAST_SERVER");
}

Result<std::string> Context::credential() const {
  if (settings.key_file.empty()) return variable("HOLDFAST_KEY");
  std::ifstream file(settings.key_file);
  std::string key;
  if (std::getline(file, key)) return key;
  return tl::unexpected(Error{
      fmt::format("there is no key in {}; holdfast keys create makes one, and its credential is "
                  "the whole first line of the file",
                  printable(settings.key_file))});
}

}  // namespace holdfast::cli

#include "effects/secrets_file.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>

#include "base/utf8.hpp"
#include "base/whole_file.hpp"

namespace holdfast::effects {
namespace {

constexpr std::size_t file_bytes_max = std::size_t{1} << 20U;

bool is_name(std::string_view text) {
  constexpr std::string_view letters =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_";
  return !text.empty() && text.find_first_not_of(letters) == std::string_view::npos;
}

bool has_control(std::string_view text) {
  return std::any_of(text.begin(), text.end(),
                     [](char c) { return static_cast<unsigned char>(c) < 0x20U || c == 0x7F; });
}

}  // namespace

tl::expected<void, std::string> SecretsFile::read() {
  if (path_.empty()) return {};
  auto file = read_whole_file(path_, file_bytes_max);
  if (!file) return tl::unexpected(std::move(file.error()));
  if (!*file) return tl::unexpected(fmt::format("the file of secrets, {}, does not exist", path_));
  auto secrets = std::make_shared<Secrets>();
  std::string_view rest = (*file)->text;
  for (std::size_t number = 1; !rest.empty(); ++number) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    std::string_view line = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.empty() || line.starts_with('#')) continue;
    const auto wrong = [&](std::string_view why) {
      return tl::unexpected(fmt::format("{}:{}: {}", path_, number, why));
    };
    const std::size_t equals = line.find('=');
    if (equals == std::string_view::npos || !is_name(line.substr(0, equals)))
      return wrong("write NAME=value, the name in letters, digits and _");
    const std::string_view value = line.substr(equals + 1);
    if (value.empty() || has_control(value) || !is_valid_utf8(value))
      return wrong("the value must be text without control characters, and not empty");
    if (!secrets->emplace(line.substr(0, equals), value).second)
      return wrong("this name is in the file twice");
  }
  const std::lock_guard lock(mutex_);
  secrets_ = std::move(secrets);
  return {};
}

std::optional<std::string> SecretsFile::find(std::string_view name) const {
  std::shared_ptr<const Secrets> secrets;
  {
    const std::lock_guard lock(mutex_);
    secrets = secrets_;
  }
  const auto found = secrets->find(name);
  return found == secrets->end() ? std::nullopt : std::optional(found->second);
}

std::string SecretsFile::warning() const {
  struct stat status {};
  if (path_.empty() || ::stat(path_.c_str(), &status) != 0) return {};
  if ((status.st_mode & (S_IRWXG | S_IRWXO)) == 0) return {};
  return fmt::format("others may read the file of secrets, {}; give it mode 0600", path_);
}

}  // namespace holdfast::effects

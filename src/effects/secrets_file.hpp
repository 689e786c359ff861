#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

namespace holdfast::effects {

/// The secrets that requests name, by name, from a file: a line `NAME=value` each. Names are
/// letters, digits and `_`; the value is the rest of the line, as it stands. Empty lines, and those
/// that begin with `#`, say nothing. All members may be called from any thread.
class SecretsFile {
 public:
  /// Without a path there are no secrets.
  explicit SecretsFile(std::string path = {}) : path_(std::move(path)) {}

  /// Reads the file. If it cannot be taken as a whole, the secrets from before stay, and the error
  /// is a sentence that names the file and the line, and no value.
  [[nodiscard]] tl::expected<void, std::string> read();

  [[nodiscard]] std::optional<std::string> find(std::string_view name) const;
  /// What is wrong with how the file is kept; empty: nothing.
  [[nodiscard]] std::string warning() const;

 private:
  using Secrets = std::map<std::string, std::string, std::less<>>;

  const std::string path_;
  mutable std::mutex mutex_;
  std::shared_ptr<const Secrets> secrets_ = std::make_shared<Secrets>();  ///< guarded by the mutex
};

}  // namespace holdfast::effects

#pragma once

#include <memory>
#include <optional>
#include <string>

#include "cli/output.hpp"
#include "holdfast/holdfast.hpp"

namespace holdfast::cli {

/// What every command understands, before or after its own name.
struct Settings {
  std::string store;     ///< empty: not given on the command line
  std::string server;    ///< likewise
  std::string key_file;  ///< likewise
  std::string ca_file, certificate_file, certificate_key_file;  ///< likewise
  std::string patience;                                         ///< likewise
  std::string tenant = "default";
  bool tenant_given = false;
  bool json = false;
};

inline constexpr int exit_store = 1;  ///< a store that cannot be opened or read
inline constexpr int exit_usage = 2;  ///< a command line that makes no sense

/// What a command runs in: where its words go, what was asked of it, what time it is.
class Context {
 public:
  Settings settings;
  Output out{1};
  Output err{2};
  std::shared_ptr<Clock> clock = system_clock();
  std::optional<std::string> token_given{};  ///< with `--token`, for a state change
  std::string token_used{};  ///< of the state change that was answered; empty when there was none

  [[nodiscard]] Instant now() const { return clock->now(); }
  [[nodiscard]] Caller caller() const { return {.tenant = settings.tenant}; }

  /// The store to use: `--store`, else `HOLDFAST_STORE`, else `holdfast.db` here.
  [[nodiscard]] std::string store_path() const;

  /// The error for a store that is not there; nothing when it is.
  [[nodiscard]] std::optional<Error> missing_store(const std::string& path) const;
  /// The error for a name that no file can have; nothing when one can.
  [[nodiscard]] std::optional<Error> not_a_file(const std::string& path) const;

  /// The server to ask instead of a store: `--server`, else, unless there is a `--store`,
  /// `HOLDFAST_SERVER`. Empty: none.
  [[nodiscard]] std::string server() const;

  /// The key to show to the server: what is in the file of `--key-file`, else `HOLDFAST_KEY`, else
  /// none. Never an option of its own, since command lines can be seen by others.
  [[nodiscard]] Result<std::string> credential() const;
};

}  // namespace holdfast::cli

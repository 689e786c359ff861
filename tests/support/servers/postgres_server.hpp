#pragma once

#include <memory>
#include <string>

#include "support/servers/database_server.hpp"

namespace holdfast::test {

/// A real PostgreSQL. `stop` is a fast shutdown: sessions are cut off, commits are kept.
class PostgresServer final : public OwnedServer {
 public:
  explicit PostgresServer(const ServerOptions& options = {});
  ~PostgresServer() override;

  /// Whether there is one on this machine.
  [[nodiscard]] static bool installed();
  /// For databases of a test's own, without the cost of a server of its own.
  [[nodiscard]] static DatabaseServer& shared();

  /// A copy of a running server that follows it, under that name (for synchronous_standby_names).
  /// It answers reads; `promote` makes it a server like any other.
  [[nodiscard]] static std::unique_ptr<PostgresServer> standby_of(
      PostgresServer& primary, const std::string& name, const ServerOptions& options = {});
  /// Returns when it takes writes.
  void promote();

  /// Changes one of its settings for as long as it exists, from now on.
  void set(const std::string& name, const std::string& value);

 private:
  struct Standby {};
  PostgresServer(Standby, PostgresServer& primary, const std::string& name,
                 const ServerOptions& options);

  void make_data();
  void add_settings(const std::string& file, const ServerOptions& options) const;
  [[nodiscard]] std::vector<std::string> command() override;
  [[nodiscard]] int stop_signal() const override;
};

}  // namespace holdfast::test

#pragma once

#include <memory>
#include <string>
#include <vector>

#include "support/servers/database_server.hpp"

namespace holdfast::test {

/// A real MariaDB.
class MariadbServer : public OwnedServer {
 public:
  explicit MariadbServer(const ServerOptions& options = {});

  /// Whether there is one on this machine.
  [[nodiscard]] static bool installed();
  /// For databases of a test's own, without the cost of a server of its own.
  [[nodiscard]] static DatabaseServer& shared();

 protected:
  struct NotYet {};
  /// With the users there are, but not running yet.
  MariadbServer(NotYet, const ServerOptions& options);
  /// With what another, that does not run, has stored.
  MariadbServer(NotYet, const MariadbServer& original, const ServerOptions& options);

  [[nodiscard]] std::vector<std::string> command() override;
  [[nodiscard]] int stop_signal() const override;

 private:
  [[nodiscard]] std::filesystem::path temporary() const;
  void make_temporary() const;
  void make_data();

  ServerOptions options_;
};

}  // namespace holdfast::test

#pragma once

#include <string>

#include "support/servers/database_server.hpp"

/// What people write today on the same servers: one transaction per request, by statements, with
/// the same rows, the same constraints and the same durability as ours. PostgreSQL: an advisory
/// lock on the token, driven by pgbench with prepared statements. MariaDB: a placeholder row under
/// the primary key, filled in the same transaction, driven by threads of our own.
namespace holdfast::bench {

struct PeerRun {
  double per_second = 0;
  double mean_ms = 0;
};

/// A database with the tables of a store in it and the resources of the load declared.
class Peer {
 public:
  explicit Peer(test::DatabaseServer& server);
  [[nodiscard]] PeerRun run(std::size_t clients, double seconds);

 private:
  [[nodiscard]] PeerRun run_pgbench(std::size_t clients, double seconds) const;
  [[nodiscard]] PeerRun run_threads(std::size_t clients, double seconds) const;

  test::DatabaseServer& server_;
  test::TestDatabase database_;
};

}  // namespace holdfast::bench

#pragma once

#include <memory>
#include <string>
#include <vector>

#include "support/servers/mariadb_server.hpp"

namespace holdfast::test {

/// A member of a Galera cluster: a server like any other to its clients, started by the cluster.
/// `restart` returns when it has caught up with the others.
class GaleraNode final : public MariadbServer {
 public:
  /// `stop`, `kill` and `restart` are those of any server; a majority must be left to come back to.
  void restart() override;

  /// What it says of itself: `wsrep_local_state_comment`, `wsrep_cluster_size`, …; empty if it does
  /// not answer.
  [[nodiscard]] std::string status(const std::string& variable);
  [[nodiscard]] bool synced() { return status("wsrep_local_state_comment") == "Synced"; }

 private:
  friend class GaleraCluster;

  GaleraNode(const std::string& name, const ServerOptions& options);
  GaleraNode(const std::string& name, const GaleraNode& original, const ServerOptions& options);

  void choose_ports(const std::string& name);
  [[nodiscard]] std::string group_address() const;
  [[nodiscard]] std::vector<std::string> command() override;
  [[nodiscard]] std::string stored_position();
  void begin_in(const std::string& cluster, bool founds);
  void found(const std::string& cluster);
  void join(const std::string& cluster);

  std::vector<std::string> settings_;  ///< the same at each start
  std::uint16_t group_port_ = 0;
  std::string cluster_;  ///< where the members are: gcomm://…
  bool founds_ = false;  ///< this start founds the cluster instead of joining it
};

/// Three servers that replicate to each other, each commit certified by all. Needs the packages
/// galera-4, rsync and iproute2 (or lsof) besides the server, since a member that has been away for
/// long gets a copy of another's data through rsync.
class GaleraCluster {
 public:
  explicit GaleraCluster(const ServerOptions& options = {}, std::size_t size = 3);

  /// Whether there is what it needs on this machine.
  [[nodiscard]] static bool installed();

  [[nodiscard]] std::size_t size() const { return nodes_.size(); }
  [[nodiscard]] GaleraNode& node(std::size_t index) { return *nodes_.at(index); }

 private:
  /// The first member founds it, then the others join.
  void start();

  std::vector<std::unique_ptr<GaleraNode>> nodes_;
  std::string address_;
};

}  // namespace holdfast::test

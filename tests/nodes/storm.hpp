#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "support/http/http_server.hpp"
#include "support/processes/service_process.hpp"
#include "support/servers/database_server.hpp"

namespace holdfast::test {

/// One change, and what whoever asked for it was told in the end.
struct Told {
  std::string request;
  std::string body;
  int status = 0;
};

/// A caller who knows every node. Each change is sent to two of them at the same moment, and to
/// others until there is a definite answer; now and then it goes away without waiting for one.
/// Whatever it is told, it must be told the same everywhere.
class Tester {
 public:
  Tester(std::vector<std::uint16_t> nodes, int number)
      : nodes_(std::move(nodes)), random_(static_cast<unsigned>(number)), number_(number) {}

  /// Until enough, and for at least so many changes.
  void run(const std::atomic<bool>& enough, int at_least);
  [[nodiscard]] const std::vector<Told>& told() const { return told_; }
  [[nodiscard]] const std::vector<std::string>& contradictions() const { return contradictions_; }

 private:
  void change(const std::string& target, const std::string& key, const std::string& body = {});
  void change_group(const std::string& key);
  const Told& until_definite(const std::string& request);
  [[nodiscard]] std::uint16_t any_node() { return nodes_[random_() % nodes_.size()]; }

  const std::vector<std::uint16_t> nodes_;
  std::minstd_rand random_;
  const int number_;
  std::vector<Told> told_;
  std::vector<std::string> contradictions_;
};

/// Nodes on one store, and many callers at them.
class Storm {
 public:
  /// One node for each address; they may differ in how they lead to the database.
  explicit Storm(const std::vector<std::string>& stores);

  /// Lets that many callers loose, does `meanwhile`, and waits until every caller has a definite
  /// answer to everything. Nobody may be told two things.
  void rage(int callers, int changes, const std::function<void()>& meanwhile);
  /// Whoever asks again, at any node, gets what it was told, byte for byte.
  void ask_again();
  /// Every node stops in good order.
  void calm();

  [[nodiscard]] std::size_t size() const { return nodes_.size(); }
  [[nodiscard]] ServiceProcess& node(std::size_t index) { return *nodes_.at(index); }
  [[nodiscard]] std::size_t changes() const;

 private:
  std::vector<std::unique_ptr<ServiceProcess>> nodes_;
  std::vector<Tester> callers_;
};

/// The invariants hold of what is in the store, and its tables are what its records say.
void expect_clean(const std::string& store);

/// As when a database is restored from a backup that is older than all that happened in it.
void restore_the_beginning(const TestDatabase& database);

}  // namespace holdfast::test

#include "support/servers/galera_cluster.hpp"

#include <fmt/format.h>

#include <chrono>
#include <fstream>
#include <thread>

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;

std::string provider() {
  for (const char* file : {"/usr/lib/galera/libgalera_smm.so", "/usr/lib/libgalera_smm.so",
                           "/usr/lib64/galera-4/libgalera_smm.so"}) {
    if (std::filesystem::exists(file)) return file;
  }
  return {};
}

std::string text_of(const std::filesystem::path& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

GaleraNode::GaleraNode(const std::string& name, const ServerOptions& options)
    : MariadbServer(NotYet{}, options) {
  choose_ports(name);
  // For a moment it is a cluster of one, so that there is a history the others can have a copy of
  // and catch up from.
  found("gcomm://");
  stop();
}

GaleraNode::GaleraNode(const std::string& name, const GaleraNode& original,
                       const ServerOptions& options)
    : MariadbServer(NotYet{}, original, options) {
  choose_ports(name);
}

void GaleraNode::choose_ports(const std::string& name) {
  listen_on(free_port());
  group_port_ = free_port();
  const std::string options = fmt::format(
      "gmcast.listen_addr=tcp://127.0.0.1:{};ist.recv_addr=127.0.0.1:{};gcache.size=16M;"
      // A member that is gone is noticed in a second or two, not in five.
      "evs.suspect_timeout=PT1S;evs.inactive_timeout=PT3S;evs.inactive_check_period=PT0.2S;evs."
      "keepalive_period=PT0.3S",
      group_port_, free_port());
  settings_ = {"--wsrep-on=ON",
               "--wsrep-provider=" + provider(),
               "--wsrep-provider-options=" + options,
               "--wsrep-cluster-name=holdfast",
               "--wsrep-node-name=" + name,
               "--wsrep-node-address=127.0.0.1:" + std::to_string(group_port_),
               "--wsrep-node-incoming-address=127.0.0.1:" + std::to_string(port()),
               "--wsrep-sst-method=rsync",
               fmt::format("--wsrep-sst-receive-address=127.0.0.1:{}", free_port()),
               "--binlog-format=ROW",
               "--innodb-autoinc-lock-mode=2"};
}

std::string GaleraNode::group_address() const { return fmt::format("127.0.0.1:{}", group_port_); }

std::vector<std::string> GaleraNode::command() {
  std::vector<std::string> arguments = MariadbServer::command();
  arguments.insert(arguments.end(), settings_.begin(), settings_.end());
  arguments.push_back("--wsrep-cluster-address=" + cluster_);
  if (founds_) arguments.emplace_back("--wsrep-new-cluster");
  return arguments;
}

/// Where a member that was killed had got to. Without it, it would take a copy of everything.
std::string GaleraNode::stored_position() {
  constexpr std::string_view label = "Recovered position: ";
  const std::filesystem::path log = home() / "recovery.err";
  std::vector<std::string> arguments = command();
  arguments.emplace_back("--wsrep-recover");
  arguments.emplace_back("--log-error=" + log.string());
  run_program(arguments, home());
  const std::string said = text_of(log);
  std::filesystem::remove(log);
  const std::size_t at = said.rfind(label);
  if (at == std::string::npos) throw std::runtime_error("no position is stored:\n" + said);
  const std::size_t from = at + label.size();
  return said.substr(from, said.find_first_of(" \n", from) - from);
}

void GaleraNode::begin_in(const std::string& cluster, bool founds) {
  cluster_ = cluster;
  founds_ = founds;
  const bool was_killed = text_of(data() / "grastate.dat").find("seqno:   -1") != std::string::npos;
  std::vector<std::string> arguments = command();
  if (was_killed) arguments.push_back("--wsrep-start-position=" + stored_position());
  process().start(arguments);
}

/// A member that cannot agree with the others on who is in the cluster gives up after half a
/// minute and ends; whoever watches over it starts it again, as here.
void GaleraNode::join(const std::string& cluster) {
  const auto until = std::chrono::steady_clock::now() + 180s;
  begin_in(cluster, false);
  while (!synced()) {
    if (std::chrono::steady_clock::now() > until) {
      throw std::runtime_error("the member did not join:\n" + process().last_words());
    }
    if (!running()) begin_in(cluster, false);
    std::this_thread::sleep_for(20ms);
  }
}

void GaleraNode::restart() {
  stop();
  join(cluster_);
}

std::string GaleraNode::status(const std::string& variable) {
  try {
    return execute("SHOW STATUS LIKE '" + variable + "'").at(0).at(1);
  } catch (const SqlError&) {
    return {};
  }
}

void GaleraNode::found(const std::string& cluster) {
  const auto until = std::chrono::steady_clock::now() + 60s;
  begin_in(cluster, true);
  while (!synced()) {
    if (!running() || std::chrono::steady_clock::now() > until) {
      throw std::runtime_error("the cluster was not founded:\n" + process().last_words());
    }
    std::this_thread::sleep_for(20ms);
  }
}

bool GaleraCluster::installed() {
  return MariadbServer::installed() && !provider().empty() &&
         !find_program("rsync", {"/usr/bin"}).empty();
}

GaleraCluster::GaleraCluster(const ServerOptions& options, std::size_t size) {
  for (std::size_t i = 0; i < size; ++i) {
    const std::string name = fmt::format("node{}", i);
    nodes_.emplace_back(i == 0 ? new GaleraNode(name, options)
                               : new GaleraNode(name, *nodes_.front(), options));
    address_ += (i == 0 ? "gcomm://" : ",") + nodes_.back()->group_address();
  }
  start();
}

void GaleraCluster::start() {
  nodes_.front()->found(address_);
  // One after another: two that come at once can take half a minute to agree with the first.
  for (std::size_t i = 1; i < nodes_.size(); ++i) nodes_[i]->join(address_);
}

}  // namespace holdfast::test

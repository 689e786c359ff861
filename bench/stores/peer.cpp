#include "peer.hpp"

#include <fmt/format.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <random>
#include <regex>
#include <thread>

#include "load.hpp"
#include "store/open.hpp"

namespace holdfast::bench {
namespace {

using Engine = test::DatabaseServer::Engine;
using Steady = std::chrono::steady_clock;

constexpr const char* pgbench_script = R"(\set room random(1, 10000)
\set a random(1, 9223372036854775806)
\set b random(1, 9223372036854775806)
BEGIN;
SELECT pg_advisory_xact_lock(:a);
SELECT seq FROM state_tokens WHERE tenant = 'default' AND token = int8send(:a) || int8send(:b);
SELECT capacity, occupied FROM state_resources WHERE id = :room FOR UPDATE;
SELECT nextval('peer_seq') AS seq \gset
INSERT INTO journal (seq, kind, at_us, tenant, principal, operation, token, digest, hold_ordinal, hold_salt, resource, requester, quantity, expires_us, checksum) VALUES (:seq, 1, 1700000000000000, 'default', 'local', 1, int8send(:a) || int8send(:b), sha256(int8send(:a)), :seq, :b, 'room', 'guest', 1, 1800000000000000, :a);
INSERT INTO state_tokens VALUES ('default', int8send(:a) || int8send(:b), :seq, 1900000000000000);
INSERT INTO state_holds VALUES (:seq, :b, 'default', :room, 'guest', 1, 1, 1700000000000000, 1800000000000000, NULL, :seq);
UPDATE state_resources SET occupied = occupied + 1 WHERE id = :room;
COMMIT;
)";

/// The output of a command, for what it says at the end.
std::string output_of(const std::string& command) {
  std::string text;
  FILE* const pipe = ::popen(command.c_str(), "r");
  if (pipe == nullptr) return text;
  std::array<char, 4096> bytes{};
  while (const std::size_t got = std::fread(bytes.data(), 1, bytes.size(), pipe))
    text.append(bytes.data(), got);
  ::pclose(pipe);
  return text;
}

double number_after(const std::string& text, const char* pattern) {
  std::smatch found;
  if (!std::regex_search(text, found, std::regex(pattern))) return 0;
  return std::stod(found[1]);
}

std::string pgbench_program() {
  for (const auto& version : std::filesystem::directory_iterator("/usr/lib/postgresql")) {
    const auto program = version.path() / "bin" / "pgbench";
    if (std::filesystem::exists(program)) return program;
  }
  return "pgbench";
}

/// One request as an application with a connection of its own makes it.
void request(test::SqlConnection& connection, std::mt19937_64& random) {
  const std::uint64_t a = random();
  const std::uint64_t room = random() % resource_count + 1;
  const std::string token = fmt::format("x'{:016x}{:016x}'", a, random());
  connection.execute("START TRANSACTION");
  connection.execute(
      fmt::format("INSERT INTO state_tokens (tenant, token) VALUES ('default', {})", token));
  connection.execute(
      fmt::format("SELECT capacity, occupied FROM state_resources WHERE id = {} FOR UPDATE", room));
  const std::string seq = connection.execute("SELECT NEXTVAL(peer_seq)").at(0).at(0);
  connection.execute(fmt::format(
      "INSERT INTO journal (seq, kind, at_us, tenant, principal, operation, token, digest, "
      "hold_ordinal, hold_salt, resource, requester, quantity, expires_us, checksum) VALUES ({0}, "
      "1, 1700000000000000, 'default', 'local', 1, {1}, UNHEX(SHA2({1}, 256)), {0}, {2}, 'room', "
      "'guest', 1, 1800000000000000, {2})",
      seq, token, a >> 4U));
  connection.execute(fmt::format(
      "INSERT INTO state_holds (ordinal, salt, tenant, resource_id, requester, quantity, state, "
      "placed_us, expires_us, placed_seq) VALUES ({0}, {1}, 'default', {2}, 'guest', 1, 1, "
      "1700000000000000, 1800000000000000, {0})",
      seq, a >> 4U, room));
  connection.execute(
      fmt::format("UPDATE state_resources SET occupied = occupied + 1 WHERE id = {}", room));
  connection.execute(fmt::format(
      "UPDATE state_tokens SET seq = {}, forget_us = 1900000000000000 WHERE tenant = 'default' AND "
      "token = {}",
      seq, token));
  connection.execute("COMMIT");
}

}  // namespace

Peer::Peer(test::DatabaseServer& server) : server_(server), database_(server.create_database()) {
  const auto made = make_store(database_.url(), Rules{});
  if (!made) throw std::runtime_error(made.error().message);
  test::SqlConnection connection = database_.connect();
  connection.execute("CREATE SEQUENCE peer_seq");
  std::string rooms;
  for (std::uint64_t i = 1; i <= resource_count; ++i) {
    rooms +=
        fmt::format("{}({},'default','room_{}',{},0,TRUE)", i == 1 ? "" : ",", i, i, quantity_max);
  }
  connection.execute(
      "INSERT INTO state_resources (id, tenant, name, capacity, occupied, declared) VALUES " +
      rooms);
}

PeerRun Peer::run(std::size_t clients, double seconds) {
  return server_.engine() == Engine::postgres ? run_pgbench(clients, seconds)
                                              : run_threads(clients, seconds);
}

/// A thousand connections take longer to open than the others are measured for.
PeerRun Peer::run_pgbench(std::size_t clients, double seconds) const {
  const auto script =
      std::filesystem::temp_directory_path() / fmt::format("holdfast-peer-{}.sql", ::getpid());
  std::ofstream(script) << pgbench_script;
  const std::string text = output_of(
      fmt::format("{} -n -M prepared -f {} -c {} -j {} -T {} '{}' 2>&1", pgbench_program(),
                  script.string(), clients, std::min<std::size_t>(clients, 2),
                  std::max(clients < 512 ? 1 : 15, static_cast<int>(seconds)), database_.url()));
  std::filesystem::remove(script);
  const PeerRun run{number_after(text, R"(tps = ([0-9.]+))"),
                    number_after(text, R"(latency average = ([0-9.]+))")};
  if (run.per_second == 0) std::fprintf(stderr, "pgbench said: %s\n", text.c_str());
  return run;
}

PeerRun Peer::run_threads(std::size_t clients, double seconds) const {
  std::atomic<bool> enough{false};
  std::atomic<std::uint64_t> done{0};
  std::vector<test::SqlConnection> connections;
  for (std::size_t i = 0; i < clients; ++i) connections.push_back(database_.connect());
  std::vector<std::thread> threads;
  const auto start = Steady::now();
  for (std::size_t i = 0; i < clients; ++i) {
    threads.emplace_back([&, i] {
      std::mt19937_64 random(i * 7919 +
                             static_cast<std::uint64_t>(start.time_since_epoch().count()));
      while (!enough) {
        try {
          request(connections[i], random);
          ++done;
        } catch (const test::SqlError&) {
          connections[i].execute("ROLLBACK");  // a deadlock: it would be tried again
        }
      }
    });
  }
  std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
  enough = true;
  for (std::thread& each : threads) each.join();
  const double took = std::chrono::duration<double>(Steady::now() - start).count();
  const auto count = static_cast<double>(done);
  return {count / took, count == 0 ? 0 : took * 1000 * static_cast<double>(clients) / count};
}

}  // namespace holdfast::bench

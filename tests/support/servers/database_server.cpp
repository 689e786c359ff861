#include "support/servers/database_server.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <map>
#include <memory>
#include <thread>

#include "base/assert.hpp"

namespace holdfast::test {
namespace {

using namespace std::chrono_literals;
using ServerEngine = DatabaseServer::Engine;

/// Tests of several processes make databases on one server, and what a killed one left is there.
std::string unused_name() {
  static std::atomic<int> count{0};
  const auto time = std::chrono::steady_clock::now().time_since_epoch().count();
  return fmt::format("t_{}_{}_{}", ::getpid(), time, ++count);
}

std::unique_ptr<DatabaseServer> find_running(ServerEngine engine,
                                             const std::filesystem::path& folder) {
  std::ifstream file(folder / file_name(engine));
  std::string word;
  unsigned port = 0;
  if (!(file >> word >> port) || word != "port") {
    throw std::runtime_error(
        fmt::format("no server is described in {}; cmake/HoldfastTests.cmake lists the folders of "
                    "tests that have servers",
                    folder.string()));
  }
  return std::make_unique<DatabaseServer>(engine, static_cast<std::uint16_t>(port));
}

}  // namespace

TestDatabase::~TestDatabase() {
  if (server_ == nullptr) return;
  const bool postgres = server_->engine() == ServerEngine::postgres;
  try {
    server_->execute(fmt::format("DROP DATABASE {}{}", name_, postgres ? " WITH (FORCE)" : ""));
  } catch (const SqlError&) {
    // The test has stopped its server, and the database goes with that.
  }
}

std::string TestDatabase::url() const { return server_->url(name_); }

std::string_view file_name(ServerEngine engine) {
  return engine == ServerEngine::postgres ? "postgres" : "mariadb";
}

std::string DatabaseServer::url(std::string_view database) const {
  return fmt::format("{}://holdfast:secret@127.0.0.1:{}/{}", file_name(engine_), port_, database);
}

std::string DatabaseServer::admin_url() const {
  return fmt::format("{}://admin:secret@127.0.0.1:{}/{}", file_name(engine_), port_,
                     engine_ == Engine::postgres ? "postgres" : "");
}

TestDatabase DatabaseServer::create_database() {
  const std::string name = unused_name();
  if (engine_ == Engine::postgres) {
    execute(fmt::format("CREATE DATABASE {} OWNER holdfast TEMPLATE template0", name));
  } else {
    execute(fmt::format("CREATE DATABASE {}", name));
  }
  return {*this, name};
}

OwnedServer::OwnedServer(Engine engine)
    : DatabaseServer(engine),
      user_(engine == Engine::postgres ? "postgres" : "mysql"),
      process_(home_.path(), engine == Engine::postgres ? ServerProcess::Farewell::quit
                                                        : ServerProcess::Farewell::kill) {
  user_.give(home());
}

void OwnedServer::stop() { process_.stop(stop_signal()); }

void OwnedServer::restart() {
  stop();
  process_.start(command());
  await_answer();
}

void OwnedServer::start_somewhere() {
  constexpr int tries_max = 5;  // somebody else may take the port in the meantime
  for (int tries = 1;; ++tries) {
    listen_on(free_port());
    process_.start(command());
    try {
      return await_answer();
    } catch (const std::runtime_error&) {
      const bool taken = process_.last_words().find("in use") != std::string::npos;
      if (!taken || tries == tries_max) throw;
    }
  }
}

/// Another test's server may have taken the port first, with the same users and passwords.
bool OwnedServer::answers_as_itself() {
  const bool postgres = engine() == Engine::postgres;
  try {
    const SqlRows folder = execute(postgres ? "SHOW data_directory" : "SELECT @@datadir");
    return std::filesystem::path(folder.at(0).at(0)).lexically_relative(data()) == ".";
  } catch (const SqlError&) {
    return false;
  }
}

void OwnedServer::await_answer() {
  const auto until = std::chrono::steady_clock::now() + 60s;
  while (!answers_as_itself()) {
    const bool late = std::chrono::steady_clock::now() > until;
    if (!process_.running() || late) {
      process_.kill();
      throw std::runtime_error("the server did not start:\n" + process_.last_words());
    }
    std::this_thread::sleep_for(10ms);
  }
}

DatabaseServer& shared_server(ServerEngine engine,
                              const std::function<std::unique_ptr<DatabaseServer>()>& make) {
  static std::map<ServerEngine, std::unique_ptr<DatabaseServer>> servers;
  std::unique_ptr<DatabaseServer>& server = servers[engine];
  if (server == nullptr) {
    const char* folder = std::getenv("TEST_DATABASE_SERVERS");
    server = folder == nullptr ? make() : find_running(engine, folder);
  }
  return *server;
}

}  // namespace holdfast::test

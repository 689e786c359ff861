#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "support/servers/server_process.hpp"
#include "support/servers/sql_connection.hpp"
#include "support/temp_dir.hpp"

namespace holdfast::test {

class DatabaseServer;

/// A database of a test's own, empty at first, dropped at the end. Its server must outlive it.
class TestDatabase {
 public:
  TestDatabase(DatabaseServer& server, std::string name)
      : server_(&server), name_(std::move(name)) {}
  ~TestDatabase();
  TestDatabase(TestDatabase&& from) noexcept
      : server_(std::exchange(from.server_, nullptr)), name_(std::move(from.name_)) {}
  TestDatabase& operator=(TestDatabase&& from) noexcept {
    std::swap(server_, from.server_);
    std::swap(name_, from.name_);
    return *this;
  }

  /// How a store is pointed at it: postgres://holdfast:secret@127.0.0.1:PORT/NAME.
  [[nodiscard]] std::string url() const;
  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] SqlConnection connect() const { return SqlConnection(url()); }

 private:
  DatabaseServer* server_;
  std::string name_;
};

/// A database server on this machine, found running or (as one of the classes derived from this)
/// started. There is an administrator, and the user `holdfast`, who owns the databases made here
/// and may do nothing else. Failing is throwing. One thread at a time.
class DatabaseServer {
 public:
  enum class Engine : std::uint8_t { postgres, mariadb };

  /// One that somebody runs on that port.
  DatabaseServer(Engine engine, std::uint16_t port) : engine_(engine), port_(port) {}
  virtual ~DatabaseServer() = default;
  DatabaseServer(const DatabaseServer&) = delete;
  DatabaseServer& operator=(const DatabaseServer&) = delete;

  [[nodiscard]] Engine engine() const { return engine_; }
  [[nodiscard]] std::uint16_t port() const { return port_; }
  /// Of a database, for the user `holdfast`.
  [[nodiscard]] std::string url(std::string_view database) const;
  /// Of no database in particular, for the administrator.
  [[nodiscard]] std::string admin_url() const;

  /// A fresh one.
  [[nodiscard]] TestDatabase create_database();
  /// As the administrator, on a connection made for it.
  SqlRows execute(const std::string& sql) { return SqlConnection(admin_url()).execute(sql); }

 protected:
  explicit DatabaseServer(Engine engine) : engine_(engine) {}
  void listen_on(std::uint16_t port) { port_ = port; }

 private:
  Engine engine_;
  std::uint16_t port_ = 0;
};

/// How a server is set up.
struct ServerOptions {
  /// Commits wait for the disk. Otherwise only for the operating system, which is quicker, and
  /// enough where servers are killed but machines are not.
  bool durable = false;
  /// The server's own settings: `max_connections=300`.
  std::vector<std::string> settings{};
};

/// A server started for tests, in a folder of its own. It ends with the process that started it.
class OwnedServer : public DatabaseServer {
 public:
  /// In good order: what was committed is there at the next start.
  void stop();
  /// SIGKILL for the server and every process of it.
  void kill() { process_.kill(); }
  /// Stops it if it runs, and starts it on the same port with what it has stored.
  virtual void restart();
  [[nodiscard]] bool running() { return process_.running(); }
  [[nodiscard]] pid_t pid() const { return process_.pid(); }
  /// Where its data is.
  [[nodiscard]] std::filesystem::path data() const { return home_.path() / "data"; }
  /// Makes a file or folder the server's own.
  void give(const std::filesystem::path& file) const { user_.give(file); }

 protected:
  explicit OwnedServer(Engine engine);

  /// The command that runs it.
  [[nodiscard]] virtual std::vector<std::string> command() = 0;
  /// The signal for an end in good order.
  [[nodiscard]] virtual int stop_signal() const = 0;

  [[nodiscard]] const std::filesystem::path& home() const { return home_.path(); }
  [[nodiscard]] const HumbleUser& user() const { return user_; }
  [[nodiscard]] ServerProcess& process() { return process_; }
  /// For the first time, on a port found free just before.
  void start_somewhere();
  /// Waits until it takes connections; throws its last words if it ends instead.
  void await_answer();

 private:
  [[nodiscard]] bool answers_as_itself();

  TempDir home_;
  HumbleUser user_;
  ServerProcess process_;
};

/// A server that all tests of this process use, for databases of their own. If the variable
/// TEST_DATABASE_SERVERS names a folder, it is the one that `database_servers start FOLDER` left
/// running; otherwise `start` makes one for this process.
[[nodiscard]] DatabaseServer& shared_server(
    DatabaseServer::Engine engine, const std::function<std::unique_ptr<DatabaseServer>()>& start);

/// The file in that folder that says where the server of an engine is.
[[nodiscard]] std::string_view file_name(DatabaseServer::Engine engine);

}  // namespace holdfast::test

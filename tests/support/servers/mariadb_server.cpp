#include "support/servers/mariadb_server.hpp"

#include <signal.h>

#include <fstream>

namespace holdfast::test {
namespace {

std::string mariadb_program(const std::string& name) {
  const std::string file = find_program(name, {"/usr/sbin", "/usr/bin"});
  if (file.empty()) throw std::runtime_error(name + " is not installed");
  return file;
}

constexpr const char* users_sql = R"sql(
FLUSH PRIVILEGES;
CREATE USER admin@'%' IDENTIFIED BY 'secret';
GRANT ALL ON *.* TO admin@'%' WITH GRANT OPTION;
CREATE USER holdfast@'%' IDENTIFIED BY 'secret';
GRANT ALL ON `t\_%`.* TO holdfast@'%';
)sql";

}  // namespace

bool MariadbServer::installed() {
  return !find_program("mariadbd", {"/usr/sbin", "/usr/bin"}).empty();
}

DatabaseServer& MariadbServer::shared() {
  return shared_server(Engine::mariadb, [] { return std::make_unique<MariadbServer>(); });
}

MariadbServer::MariadbServer(const ServerOptions& options) : MariadbServer(NotYet{}, options) {
  start_somewhere();
}

MariadbServer::MariadbServer(NotYet, const ServerOptions& options)
    : OwnedServer(Engine::mariadb), options_(options) {
  make_temporary();
  make_data();
}

MariadbServer::MariadbServer(NotYet, const MariadbServer& original, const ServerOptions& options)
    : OwnedServer(Engine::mariadb), options_(options) {
  make_temporary();
  run_program(user().command({"/bin/cp", "-r", original.data().string(), data().string()}), home());
}

/// A server that starts deletes what it takes for its own leftovers, so no two may share this.
std::filesystem::path MariadbServer::temporary() const { return home() / "tmp"; }

void MariadbServer::make_temporary() const {
  std::filesystem::create_directory(temporary());
  user().give(temporary());
}

void MariadbServer::make_data() {
  const std::filesystem::path users = home() / "users.sql";
  std::ofstream(users) << users_sql;
  run_program(user().command({mariadb_program("mariadb-install-db"), "--no-defaults",
                              "--datadir=" + data().string(),
                              "--auth-root-authentication-method=normal", "--skip-test-db",
                              "--extra-file=" + users.string(), "--tmpdir=" + temporary().string(),
                              "--innodb-flush-method=nosync", "--innodb-log-file-size=32M"}),
              home());
}

std::vector<std::string> MariadbServer::command() {
  // The socket and the file with its process id are in its data folder, which it runs in.
  std::vector<std::string> arguments{
      mariadb_program("mariadbd"),    "--no-defaults",
      "--datadir=" + data().string(), "--port=" + std::to_string(port()),
      "--bind-address=127.0.0.1",     "--socket=mariadb.sock",
      "--pid-file=mariadb.pid",       "--tmpdir=" + temporary().string(),
      "--skip-name-resolve",          "--innodb-buffer-pool-size=64M",
      "--innodb-log-file-size=32M"};
  if (!options_.durable) {
    arguments.emplace_back("--innodb-flush-log-at-trx-commit=2");
    arguments.emplace_back("--innodb-flush-method=nosync");
    arguments.emplace_back("--sync-frm=OFF");
  }
  for (const std::string& each : options_.settings) arguments.push_back("--" + each);
  return user().command(std::move(arguments));
}

int MariadbServer::stop_signal() const { return SIGTERM; }

}  // namespace holdfast::test

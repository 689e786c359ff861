#include "support/servers/postgres_server.hpp"

#include <fmt/format.h>
#include <signal.h>
#include <sys/shm.h>

#include <algorithm>
#include <fstream>

namespace holdfast::test {
namespace {

/// Where Debian keeps them: a folder for each version, the newest first.
std::vector<std::filesystem::path> version_folders() {
  std::vector<std::pair<int, std::filesystem::path>> versions;
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator("/usr/lib/postgresql", none)) {
    versions.emplace_back(std::atoi(entry.path().filename().c_str()), entry.path() / "bin");
  }
  std::sort(versions.rbegin(), versions.rend());
  std::vector<std::filesystem::path> folders;
  for (auto& [version, folder] : versions) folders.push_back(std::move(folder));
  return folders;
}

std::string postgres_program(const std::string& name) {
  const std::string file = find_program(name, version_folders());
  if (file.empty()) throw std::runtime_error(name + " is not installed");
  return file;
}

/// The segment of shared memory by which a server knows that it runs only once; one that was killed
/// leaves it behind.
void remove_segment(const std::filesystem::path& pid_file) {
  std::ifstream in(pid_file);
  std::string line;
  for (int i = 0; i < 7 && std::getline(in, line); ++i) {
  }
  const std::size_t space = line.rfind(' ');
  if (!in || space == std::string::npos) return;
  ::shmctl(std::atoi(line.c_str() + space), IPC_RMID, nullptr);
}

}  // namespace

bool PostgresServer::installed() { return !find_program("postgres", version_folders()).empty(); }

DatabaseServer& PostgresServer::shared() {
  return shared_server(Engine::postgres, [] { return std::make_unique<PostgresServer>(); });
}

PostgresServer::PostgresServer(const ServerOptions& options) : OwnedServer(Engine::postgres) {
  make_data();
  add_settings("postgresql.conf", options);
  start_somewhere();
  execute("CREATE ROLE holdfast LOGIN PASSWORD 'secret'");
}

PostgresServer::PostgresServer(Standby, PostgresServer& primary, const std::string& name,
                               const ServerOptions& options)
    : OwnedServer(Engine::postgres) {
  run_program(user().command({postgres_program("pg_basebackup"), "--pgdata=" + data().string(),
                              "--wal-method=stream", "--checkpoint=fast", "--write-recovery-conf",
                              "--no-sync",
                              "--dbname=" + primary.admin_url() + "?application_name=" + name}),
              home());
  // This file is read last; and once it is promoted it has no standby to wait for.
  ServerOptions own = options;
  own.settings.insert(own.settings.begin(), "synchronous_standby_names=''");
  add_settings("postgresql.auto.conf", own);
  start_somewhere();
}

std::unique_ptr<PostgresServer> PostgresServer::standby_of(PostgresServer& primary,
                                                           const std::string& name,
                                                           const ServerOptions& options) {
  return std::unique_ptr<PostgresServer>(new PostgresServer(Standby{}, primary, name, options));
}

PostgresServer::~PostgresServer() {
  if (running()) {
    process().stop(SIGQUIT);  // at once, but it tidies up its shared memory
  } else {
    remove_segment(data() / "postmaster.pid");
  }
}

void PostgresServer::make_data() {
  const std::filesystem::path password = home() / "password";
  std::ofstream(password) << "secret\n";
  run_program(
      user().command({postgres_program("initdb"), "--pgdata=" + data().string(), "--username=admin",
                      "--pwfile=" + password.string(), "--auth=scram-sha-256", "--encoding=UTF8",
                      "--no-locale", "--no-sync", "--no-instructions"}),
      home());
}

void PostgresServer::add_settings(const std::string& file, const ServerOptions& options) const {
  std::ofstream out(data() / file, std::ios::app);
  out << "dynamic_shared_memory_type = mmap\n"  // in its own folder, so nothing is left elsewhere
         "shared_buffers = 64MB\n"
         "log_min_messages = warning\n";
  if (!options.durable) out << "fsync = off\nfull_page_writes = off\n";
  for (const std::string& each : options.settings) out << each << "\n";
}

std::vector<std::string> PostgresServer::command() {
  return user().command({postgres_program("postgres"), "-D", data().string(), "-p",
                         std::to_string(port()), "-c", "listen_addresses=127.0.0.1", "-c",
                         "unix_socket_directories="});
}

int PostgresServer::stop_signal() const { return SIGINT; }

void PostgresServer::promote() { execute("SELECT pg_promote(true, 60)"); }

void PostgresServer::set(const std::string& name, const std::string& value) {
  SqlConnection admin(admin_url());
  admin.execute(fmt::format("ALTER SYSTEM SET {} = '{}'", name, value));
  admin.execute("SELECT pg_reload_conf()");
}

}  // namespace holdfast::test

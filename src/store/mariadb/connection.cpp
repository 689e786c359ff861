#include "store/mariadb/connection.hpp"

#include <errmsg.h>
#include <fmt/format.h>

#include <charconv>
#include <mutex>

#include "store/mariadb/faults.hpp"

namespace holdfast::mariadb {
namespace {

using shared::Expected;
using shared::Fault;
using shared::Trouble;

/// A packet is sent when it has grown beyond this; no statement is much longer than half of it.
constexpr std::size_t packet_bytes = 512 << 10;
/// What the server must be ready to take.
constexpr std::int64_t packet_bytes_min = 1 << 20;
/// From here on, rows that somebody else has locked can be skipped.
constexpr unsigned long server_version_min = 100600;

constexpr int lock_wait_seconds = 5;
/// A node that stops in the middle of a batch must not keep the others waiting for long.
constexpr int idle_transaction_seconds = 15;

void begin_library() {
  static std::once_flag once;
  std::call_once(once, [] { mysql_server_init(0, nullptr, nullptr); });
}

void set_seconds(MYSQL* raw, mysql_option option, std::chrono::seconds value) {
  const auto seconds = static_cast<unsigned>(value.count());
  mysql_options(raw, option, &seconds);
}

void set_file(MYSQL* raw, mysql_option option, const std::string& file) {
  if (!file.empty()) mysql_options(raw, option, file.c_str());
}

void set_tls(MYSQL* raw, const Address& address) {
  if (address.tls == Address::Tls::off) return;
  const my_bool yes = 1;
  const my_bool verify = address.tls == Address::Tls::verified ? 1 : 0;
  mysql_options(raw, MYSQL_OPT_SSL_ENFORCE, &yes);
  mysql_options(raw, MYSQL_OPT_SSL_VERIFY_SERVER_CERT, &verify);
  set_file(raw, MYSQL_OPT_SSL_CA, address.tls_ca);
  set_file(raw, MYSQL_OPT_SSL_CERT, address.tls_certificate);
  set_file(raw, MYSQL_OPT_SSL_KEY, address.tls_key);
}

void set_options(MYSQL* raw, const Address& address) {
  set_seconds(raw, MYSQL_OPT_CONNECT_TIMEOUT, address.connect_timeout);
  set_seconds(raw, MYSQL_OPT_READ_TIMEOUT, address.read_timeout);
  set_seconds(raw, MYSQL_OPT_WRITE_TIMEOUT, address.write_timeout);
  // Otherwise "localhost" is taken for a socket, whatever the port.
  const unsigned protocol = address.socket.empty() ? MYSQL_PROTOCOL_TCP : MYSQL_PROTOCOL_SOCKET;
  mysql_options(raw, MYSQL_OPT_PROTOCOL, &protocol);
  // A server has no business with files on this side.
  const unsigned no = 0;
  mysql_options(raw, MYSQL_OPT_LOCAL_INFILE, &no);
  mysql_options(raw, MYSQL_SET_CHARSET_NAME, "utf8mb4");
  set_tls(raw, address);
}

Fault fault_in(MYSQL* raw) {
  const unsigned code = mysql_errno(raw);
  return fault_of(trouble_of(code), code, mysql_error(raw));
}

}  // namespace

std::int64_t Row::number(std::size_t at) const {
  std::int64_t number = 0;
  const std::string_view text = bytes(at);
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

std::string_view Row::bytes(std::size_t at) const {
  return is_null(at) ? std::string_view() : std::string_view(columns_[at], lengths_[at]);
}

Expected<Connection> Connection::open(const Address& address) {
  begin_library();
  Connection connection;
  connection.raw_.reset(mysql_init(nullptr));
  MYSQL* const raw = connection.raw_.get();
  if (raw == nullptr) return tl::unexpected(Fault{Trouble::lost, "out of memory"});
  set_options(raw, address);
  const char* const host = address.socket.empty() ? address.host.c_str() : nullptr;
  const char* const socket = address.socket.empty() ? nullptr : address.socket.c_str();
  // An update counts the rows it finds, not those that were different before.
  constexpr unsigned long flags = CLIENT_MULTI_STATEMENTS | CLIENT_FOUND_ROWS;
  if (mysql_real_connect(raw, host, address.user.c_str(), address.password.c_str(),
                         address.database.c_str(), address.port, socket, flags) == nullptr) {
    return tl::unexpected(fault_in(raw));
  }
  if (auto right = connection.check_server(); !right) return tl::unexpected(right.error());
  if (auto set = connection.set_up_session(); !set) return tl::unexpected(set.error());
  return connection;
}

std::string Connection::server() const {
  return fmt::format("{} {}", mariadb_connection(raw_.get()) != 0 ? "MariaDB" : "MySQL",
                     mysql_get_server_info(raw_.get()));
}

Expected<void> Connection::check_server() {
  MYSQL* const raw = raw_.get();
  if (mariadb_connection(raw) != 0 && mysql_get_server_version(raw) >= server_version_min)
    return {};
  return tl::unexpected(
      Fault{Trouble::refused,
            fmt::format("the server is {}; MariaDB 10.6 or later is needed", server())});
}

/// The settings this code counts on, whatever the server's own are.
Expected<void> Connection::set_up_session() {
  std::string settings = fmt::format(
      "SET SESSION autocommit=1,"
      "sql_mode='STRICT_ALL_TABLES,ERROR_FOR_DIVISION_BY_ZERO,NO_AUTO_CREATE_USER,"
      "NO_ENGINE_SUBSTITUTION',"
      "time_zone='+00:00',foreign_key_checks=1,unique_checks=1,check_constraint_checks=1,"
      "innodb_lock_wait_timeout={}",
      lock_wait_seconds);
  std::int64_t packet_max = 0;
  auto seen = read(
      "SHOW SESSION VARIABLES WHERE Variable_name IN ('max_allowed_packet',"
      "'idle_transaction_timeout','wsrep_on','wsrep_sync_wait')",
      [&](const Row& row) {
        const std::string_view name = row.bytes(0);
        if (name == "max_allowed_packet") packet_max = row.number(1);
        if (name == "wsrep_on") clustered_ = row.bytes(1) == "ON";
        if (name == "idle_transaction_timeout")
          settings += fmt::format(",idle_transaction_timeout={}", idle_transaction_seconds);
        // What another node of a cluster has answered for is seen on this one.
        if (name == "wsrep_sync_wait") settings += ",wsrep_sync_wait=1";
      });
  if (!seen) return seen;
  if (packet_max < packet_bytes_min) {
    return tl::unexpected(
        Fault{Trouble::refused, fmt::format("the server's max_allowed_packet is {}; {} is needed",
                                            packet_max, packet_bytes_min)});
  }
  Script script;
  script.run("SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED");
  script.run(std::move(settings));
  return run(script);
}

Fault Connection::fault() {
  Fault fault = fault_in(raw_.get());
  if (fault.trouble == Trouble::lost) broken_ = true;
  return fault;
}

Expected<void> Connection::run(std::string sql) {
  Script script;
  script.run(std::move(sql));
  return run(script);
}

Expected<void> Connection::read(std::string sql, Script::Take take) {
  Script script;
  script.read(std::move(sql), std::move(take));
  return run(script);
}

/// A node of a cluster may take a transaction back while a packet is on its way, and then carry out
/// the statements that are left in it as if nothing had happened. Only the next packet is told.
Expected<void> Connection::run(const Script& script) {
  const Statements& all = script.statements();
  for (auto first = all.begin(); first != all.end();) {
    std::string packet = first->sql;
    auto last = std::next(first);
    while (!clustered_ && last != all.end() && packet.size() + last->sql.size() < packet_bytes) {
      packet += ';';
      packet += (last++)->sql;
    }
    if (auto sent = send(packet); !sent) return sent;
    if (auto taken = take_results(first, last); !taken) return taken;
    first = last;
  }
  return {};
}

Expected<void> Connection::send(const std::string& packet) {
  if (broken_) return tl::unexpected(Fault{Trouble::lost, "the connection was lost"});
  if (mysql_real_query(raw_.get(), packet.data(), packet.size()) != 0)
    return tl::unexpected(fault());
  return {};
}

/// All results are taken, whatever is in them, or the connection could not be used again.
Expected<void> Connection::take_results(Statements::const_iterator first,
                                        Statements::const_iterator last) {
  Expected<void> outcome;
  for (auto statement = first; statement != last; ++statement) {
    auto taken = take_result(*statement);
    if (broken_) return taken;
    if (outcome && !taken) outcome = taken;
    const int more = mysql_next_result(raw_.get());
    if (more > 0) {
      Fault failed = fault();
      return outcome ? tl::unexpected(std::move(failed)) : outcome;
    }
  }
  return outcome;
}

Expected<void> Connection::take_result(const Script::Statement& statement) {
  MYSQL* const raw = raw_.get();
  const std::unique_ptr<MYSQL_RES, decltype(&mysql_free_result)> result(mysql_store_result(raw),
                                                                        &mysql_free_result);
  if (result == nullptr && mysql_errno(raw) != 0) return tl::unexpected(fault());
  if (result != nullptr && statement.take) {
    while (MYSQL_ROW columns = mysql_fetch_row(result.get())) {
      statement.take(Row(columns, mysql_fetch_lengths(result.get())));
    }
  }
  if (!statement.changes || mysql_affected_rows(raw) == *statement.changes) return {};
  return tl::unexpected(Fault{
      Trouble::again, fmt::format("{} rows were to be changed, and {} were: somebody else was here",
                                  *statement.changes, mysql_affected_rows(raw))});
}

Expected<void> Connection::commit() {
  MYSQL* const raw = raw_.get();
  constexpr std::string_view sql = "COMMIT";
  if (broken_) return tl::unexpected(Fault{Trouble::lost, "the connection was lost"});
  if (mysql_real_query(raw, sql.data(), sql.size()) == 0) return {};
  const unsigned code = mysql_errno(raw);
  Fault fault = fault_of(trouble_at_commit(code), code, mysql_error(raw));
  // Whatever became of it: nothing else is done on this connection before its end.
  if (fault.trouble != Trouble::again) broken_ = true;
  return tl::unexpected(std::move(fault));
}

}  // namespace holdfast::mariadb

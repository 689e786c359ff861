#include "store/mariadb/faults.hpp"

#include <errmsg.h>
#include <fmt/format.h>
#include <mysql.h>
#include <mysqld_error.h>

#include <algorithm>

namespace holdfast::mariadb {
namespace {

using shared::Trouble;

// The server's own file layer has numbers without names in its headers.
constexpr unsigned file_not_written = 3;
constexpr unsigned file_not_written_disk_full = 20;

/// The library's own numbers: they are about the connection.
constexpr bool is_of_the_client(unsigned code) { return code >= 2000 && code < 3000; }

/// Some errors quote what was to be written, and this is logged: "Duplicate entry 'a' for key 'b'".
std::string without_values(unsigned code, std::string_view message) {
  const bool quotes = code == ER_DUP_ENTRY || code == ER_DUP_ENTRY_WITH_KEY_NAME ||
                      code == ER_TRUNCATED_WRONG_VALUE ||
                      code == ER_TRUNCATED_WRONG_VALUE_FOR_FIELD;
  const std::size_t from = message.find('\'');
  const std::size_t to = std::min(message.rfind("' for "), message.rfind('\''));
  if (!quotes || to == std::string_view::npos || to <= from) return std::string(message);
  return fmt::format("{}'…{}", message.substr(0, from), message.substr(to));
}

}  // namespace

Trouble trouble_of(unsigned code) {
  switch (code) {
    case ER_LOCK_DEADLOCK:  // also what a cluster's certification says
    case ER_LOCK_WAIT_TIMEOUT:
    case ER_CHECKREAD:
    case ER_DUP_ENTRY:
    case ER_NO_REFERENCED_ROW_2:
    case ER_ROW_IS_REFERENCED_2:
    case ER_SP_DOES_NOT_EXIST:  // a savepoint: its transaction was taken back
      return Trouble::again;
    case ER_CON_COUNT_ERROR:
    case ER_TOO_MANY_USER_CONNECTIONS:
    case ER_USER_LIMIT_REACHED:
    case ER_HOST_IS_BLOCKED:
    case ER_SERVER_SHUTDOWN:
    case ER_CONNECTION_KILLED:
    case ER_ABORTING_CONNECTION:
    case ER_NEW_ABORTING_CONNECTION:
    case ER_NET_READ_ERROR:
    case ER_NET_READ_INTERRUPTED:
    case ER_NET_ERROR_ON_WRITE:
    case ER_NET_WRITE_INTERRUPTED:
    case ER_QUERY_INTERRUPTED:
    case ER_STATEMENT_TIMEOUT:
    case ER_UNKNOWN_COM_ERROR:  // a cluster's node that is not ready says so
    case ER_OPTION_PREVENTS_STATEMENT:
    case ER_CANT_EXECUTE_IN_READ_ONLY_TRANSACTION:
    case ER_READ_ONLY_MODE:
    case ER_DISK_FULL:
    case ER_RECORD_FILE_FULL:
    case ER_ERROR_ON_WRITE:
    case ER_GET_ERRNO:
    case ER_OUTOFMEMORY:
    case ER_OUT_OF_SORTMEMORY:
    case ER_OUT_OF_RESOURCES:
    case ER_LOCK_TABLE_FULL:
    case file_not_written:
    case file_not_written_disk_full:
      return Trouble::lost;
    case CR_SSL_CONNECTION_ERROR:
    case CR_AUTH_PLUGIN_CANNOT_LOAD:
      return Trouble::refused;
    default:
      return is_of_the_client(code) ? Trouble::lost : Trouble::refused;
  }
}

Trouble trouble_at_commit(unsigned code) {
  return code == ER_LOCK_DEADLOCK ? Trouble::again : Trouble::unknown;
}

shared::Fault fault_of(Trouble trouble, unsigned code, std::string_view message) {
  return {trouble, fmt::format("{} (MariaDB error {})", without_values(code, message), code)};
}

}  // namespace holdfast::mariadb

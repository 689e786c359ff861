#include "golden/journal_text.hpp"

#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <array>
#include <memory>
#include <stdexcept>
#include <vector>

#include "base/hex.hpp"
#include "support/calls.hpp"
#include "support/servers/sql_connection.hpp"

namespace holdfast::test {
namespace {

struct JournalColumn {
  std::string_view name;
  enum class Of : std::uint8_t { numbers, names, bytes } of = Of::numbers;
};
using Of = JournalColumn::Of;

/// Spelt out here, and not taken from the code: this is what must not change.
constexpr std::array<JournalColumn, 23> journal_columns{{{"seq"},
                                                         {"kind"},
                                                         {"at_us"},
                                                         {"tenant", Of::names},
                                                         {"principal", Of::names},
                                                         {"operation"},
                                                         {"token", Of::names},
                                                         {"nonce", Of::names},
                                                         {"digest", Of::bytes},
                                                         {"rejection"},
                                                         {"reason"},
                                                         {"hold_ordinal"},
                                                         {"hold_salt"},
                                                         {"resource", Of::names},
                                                         {"requester", Of::names},
                                                         {"quantity"},
                                                         {"expires_us"},
                                                         {"capacity"},
                                                         {"ref"},
                                                         {"times"},
                                                         {"first_us"},
                                                         {"checksum"},
                                                         {"detail", Of::names}}};

/// What there was at first is written of every row, the rest where it is not NULL.
constexpr std::size_t columns_at_first = 22;

bool is_database(const std::string& store) { return store.find("://") != std::string::npos; }
bool is_postgres(const std::string& store) { return store.starts_with("postgres"); }

SqlRows rows_of_file(const std::string& file, const std::string& sql) {
  sqlite3* database = nullptr;
  const int opened = sqlite3_open_v2(file.c_str(), &database, SQLITE_OPEN_READONLY, nullptr);
  const std::unique_ptr<sqlite3, int (*)(sqlite3*)> closed_at_the_end(database, sqlite3_close);
  SqlRows rows;
  const auto take = [](void* into, int count, char** values, char**) {
    SqlRow& row = static_cast<SqlRows*>(into)->emplace_back();
    for (int i = 0; i < count; ++i) row.emplace_back(values[i] == nullptr ? "-" : values[i]);
    return 0;
  };
  if (opened != SQLITE_OK ||
      sqlite3_exec(database, sql.c_str(), take, &rows, nullptr) != SQLITE_OK) {
    throw std::runtime_error(file + ": " + sqlite3_errmsg(database));
  }
  return rows;
}

SqlRows rows_of(const std::string& store, const std::string& sql) {
  return is_database(store) ? SqlConnection(store).execute(sql) : rows_of_file(store, sql);
}

/// Whatever may be bytes as hexadecimal digits, in either case.
std::string selection(const std::string& store) {
  std::string list;
  for (const JournalColumn& each : journal_columns) {
    if (!list.empty()) list += ',';
    if (each.of == Of::numbers) {
      list += each.name;
    } else if (is_postgres(store)) {
      list += fmt::format("encode({},'hex')", each.name);
    } else {  // SQLite makes an empty text of NULL
      list += fmt::format("CASE WHEN {0} IS NULL THEN NULL ELSE hex({0}) END", each.name);
    }
  }
  return list;
}

/// Names so that they can be read and no two look alike.
std::string shown(const JournalColumn& column, std::string value) {
  if (column.of == Of::numbers || value == "-") return value;
  for (char& digit : value) {
    if (digit >= 'A') digit = static_cast<char>(digit | 32);
  }
  std::string bytes(value.size() / 2, '\0');
  const bool readable = column.of == Of::names && from_hex(value, bytes);
  return readable ? "'" + visible(bytes) + "'" : value;
}

/// What the table has besides, by name, and is not NULL.
std::string other_columns(const std::string& store) {
  const std::string names =
      is_database(store)
          ? fmt::format(
                "SELECT column_name FROM information_schema.columns WHERE table_name = "
                "'journal' AND table_schema = {}()",
                is_postgres(store) ? "current_schema" : "database")
          : "SELECT name FROM pragma_table_info('journal')";
  std::string text;
  for (const SqlRow& row : rows_of(store, names)) {
    const std::string& name = row.at(0);
    const auto known = [&](const JournalColumn& each) { return each.name == name; };
    if (std::any_of(journal_columns.begin(), journal_columns.end(), known)) continue;
    const SqlRows used =
        rows_of(store, fmt::format("SELECT count(*) FROM journal WHERE {} IS NOT NULL", name));
    const std::string& count = used.at(0).at(0);
    if (count != "0") text += fmt::format("{} is not NULL in {} rows\n", name, count);
  }
  return text;
}

}  // namespace

std::string journal_text(const std::string& store) {
  std::string text;
  const std::string sql = "SELECT " + selection(store) + " FROM journal ORDER BY seq";
  for (const SqlRow& row : rows_of(store, sql)) {
    for (std::size_t i = 0; i < journal_columns.size(); ++i) {
      const JournalColumn& column = journal_columns.at(i);
      if (i >= columns_at_first && row.at(i) == "-") continue;
      text += fmt::format("{}{}={}", i == 0 ? "" : " ", column.name, shown(column, row.at(i)));
    }
    text += '\n';
  }
  return text + other_columns(store);
}

}  // namespace holdfast::test

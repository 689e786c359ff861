#include "support/journals/journal_file.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cctype>
#include <fstream>

#include "domain/invariants.hpp"
#include "store/kept_rules.hpp"
#include "store/sqlite/file/schema.hpp"
#include "store/sqlite/journal/journal.hpp"
#include "store/views.hpp"

namespace holdfast::test {

std::string view_of(std::string_view invariant) {
  std::string view = "audit_";
  for (const char each : invariant) {
    view += each == '-' ? '_' : static_cast<char>(std::tolower(static_cast<unsigned char>(each)));
  }
  return view;
}

std::vector<std::string> sql_in(const std::string& path) {
  std::ifstream in(path);
  std::vector<std::string> blocks;
  bool inside = false;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("```")) {
      inside = line == "```sql";
      if (inside) blocks.emplace_back();
    } else if (inside) {
      blocks.back() += line + "\n";
    }
  }
  return blocks;
}

History documented_history() {
  History history = good_history();
  history.refuse("n", Command::confirm({99, 99}), Rejection::not_known);
  history.replay(history.last_seq());
  return history;
}

JournalFile::JournalFile(const std::string& path)
    : connection_(sqlite::Connection::open(path, SQLITE_OPEN_READONLY).value()) {}

JournalFile::JournalFile(const Rules& rules) {
  constexpr int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
  connection_ = sqlite::Connection::open(folder_.file("store.db"), flags).value();
  run("PRAGMA synchronous = OFF");
  run(sqlite::tables_sql());
  run(views_sql(Dialect::sqlite));
  for (const KeptNumber& each : kept_numbers(rules)) {
    run(fmt::format("INSERT INTO meta VALUES('{}', {})", each.name,
                    each.number ? std::to_string(*each.number) : "NULL"));
  }
}

void JournalFile::run(const std::string& sql) {
  const auto done = connection_.run(sql.c_str());
  ASSERT_TRUE(done) << sql << "\n" << done.error().message;
}

void JournalFile::write(const std::vector<Record>& records) {
  auto journal = sqlite::JournalWriter::open(connection_).value();
  std::uint64_t chain = 0;
  run("BEGIN");
  for (const Record& record : records) ASSERT_EQ(journal.append(record, chain), SQLITE_OK);
  run("COMMIT");
}

std::vector<JournalFile::Row> JournalFile::rows(const std::string& sql) {
  std::vector<Row> found;
  const auto collect = [](void* to, int columns, char** values, char**) {
    Row& row = static_cast<std::vector<Row>*>(to)->emplace_back();
    for (int i = 0; i < columns; ++i) row.emplace_back(values[i] == nullptr ? "-" : values[i]);
    return 0;
  };
  const int code = sqlite3_exec(connection_.raw(), sql.c_str(), collect, &found, nullptr);
  EXPECT_EQ(code, SQLITE_OK) << sql << "\n" << connection_.fault().message;
  return found;
}

std::set<std::string> JournalFile::broken_by_views() {
  std::set<std::string> ids;
  for (const InvariantRow& row : invariants()) {
    const auto found = rows("SELECT seq, hold, problem FROM " + view_of(row.id));
    if (!found.empty()) ids.emplace(row.id);
    for (const Row& each : found) EXPECT_NE(each.at(2), "-") << row.id << " says no problem";
  }
  return ids;
}

std::set<std::string> JournalFile::broken_by_audit(const Rules& rules) {
  auto journal = sqlite::JournalReader::open(connection_).value();
  Audit audit{rules};
  Record record;
  std::uint64_t checksum = 0;
  journal.seek(0);
  while (journal.next(record, checksum) == SQLITE_ROW) audit.see(record);
  std::set<std::string> ids;
  for (const Violation& each : audit.finish().violations) ids.emplace(each.invariant);
  return ids;
}

}  // namespace holdfast::test

#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "domain/record.hpp"
#include "domain/rules.hpp"
#include "store/sqlite/file/connection.hpp"
#include "support/journals/history.hpp"
#include "support/rules.hpp"
#include "support/temp_dir.hpp"

namespace holdfast::test {

/// The view that shows breaches of an invariant: "PC-10" → "audit_pc_10".
[[nodiscard]] std::string view_of(std::string_view invariant);

/// The blocks of SQL in a document.
[[nodiscard]] std::vector<std::string> sql_in(const std::string& path);

/// A good history in which every documented query has something to show, where anything can.
[[nodiscard]] History documented_history();

/// A store's file, opened with nothing but SQLite.
class JournalFile {
 public:
  /// Every column as text; NULL is "-".
  using Row = std::vector<std::string>;

  /// An existing one.
  explicit JournalFile(const std::string& path);
  /// One made by hand: tables, views and what a store keeps of its rules.
  explicit JournalFile(const Rules& rules = short_rules());

  void run(const std::string& sql);
  void write(const std::vector<Record>& records);
  [[nodiscard]] std::vector<Row> rows(const std::string& sql);

  /// The invariants whose views are not empty.
  [[nodiscard]] std::set<std::string> broken_by_views();
  /// The invariants the audit of the same records finds broken.
  [[nodiscard]] std::set<std::string> broken_by_audit(const Rules& rules = short_rules());

 private:
  TempDir folder_;
  sqlite::Connection connection_;
};

}  // namespace holdfast::test

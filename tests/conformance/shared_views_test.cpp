// The views of a store in PostgreSQL and in MariaDB are those of a store's file: the same names and
// columns, the same rows, the same breaches shown. Each journal is written to a file by the store's
// own writer and copied from there, so that what differs is the engine and nothing else.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "base/time_text.hpp"
#include "base/utf8.hpp"
#include "domain/invariants.hpp"
#include "store/journal_row.hpp"
#include "store/open.hpp"
#include "store/views.hpp"
#include "support/journals/journal_file.hpp"
#include "support/journals/planted.hpp"
#include "support/paths.hpp"
#include "support/rules.hpp"
#include "support/servers/mariadb_server.hpp"
#include "support/servers/postgres_server.hpp"

namespace holdfast::test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAreArray;

using Row = JournalFile::Row;
using Rows = std::vector<Row>;

/// Tables and views in a database server, filled from a file.
class JournalDatabase {
 public:
  /// As a store makes them; or, where settings of a session are given, the views made in it.
  explicit JournalDatabase(DatabaseServer& server, const std::string& session = {})
      : postgres_(server.engine() == DatabaseServer::Engine::postgres),
        database_(server.create_database()),
        connection_(database_.connect()) {
    const auto made = make_store(database_.url(), short_rules());
    if (!made) throw std::runtime_error(made.error().message);
    if (postgres_) run("SET bytea_output = escape");
    if (!session.empty()) make_views_in(session);
  }

  [[nodiscard]] Dialect dialect() const { return postgres_ ? Dialect::postgres : Dialect::mariadb; }
  [[nodiscard]] const std::string& name() const { return database_.name(); }
  void run(const std::string& sql) { connection_.execute(sql); }
  [[nodiscard]] Rows rows(const std::string& sql) { return connection_.execute(sql); }

  void make_views_in(const std::string& session) {
    const std::string schema = postgres_ ? "current_schema()" : "DATABASE()";
    for (const Row& view :
         rows("SELECT table_name FROM information_schema.views WHERE table_schema = " + schema)) {
      run(fmt::format("DROP VIEW IF EXISTS {}{}", view.at(0), postgres_ ? " CASCADE" : ""));
    }
    run(session);
    for (const std::string& each : view_statements(dialect())) run(each);
    if (postgres_) run("SET bytea_output = escape");
  }

  /// Takes over the journal of the file, and forgets its own.
  void copy(JournalFile& file) {
    std::string select;
    for (const layout::Column& each : layout::columns) {
      const char* shape = each.is_number() ? "{}" : "CASE WHEN {0} IS NOT NULL THEN hex({0}) END";
      select += (select.empty() ? "" : ", ") + fmt::format(fmt::runtime(shape), each.name);
    }
    std::string values;
    for (const Row& row : file.rows("SELECT " + select + " FROM journal")) {
      values += (values.empty() ? "(" : ", (") + literals(row) + ")";
    }
    run("DELETE FROM journal");
    if (values.empty()) return;
    run(fmt::format("INSERT INTO journal({}) VALUES {}", journal::columns(), values));
  }

  /// The invariants whose views are not empty.
  [[nodiscard]] std::set<std::string> broken() {
    std::set<std::string> ids;
    for (const InvariantRow& row : invariants()) {
      if (!rows("SELECT seq, hold, problem FROM " + view_of(row.id)).empty()) ids.emplace(row.id);
    }
    return ids;
  }

 private:
  [[nodiscard]] std::string literals(const Row& row) const {
    std::vector<std::string> texts;
    for (std::size_t i = 0; i < layout::columns.size(); ++i) {
      const bool null = row[i] == "-";
      const char* bytes = postgres_ ? "decode('{}', 'hex')" : "x'{}'";
      const char* shape = layout::columns.at(i).is_number() ? "{}" : bytes;
      texts.push_back(null ? "NULL" : fmt::format(fmt::runtime(shape), row[i]));
    }
    return fmt::format("{}", fmt::join(texts, ", "));
  }

  bool postgres_;
  TestDatabase database_;
  SqlConnection connection_;
};

/// Booleans and sums are printed in several ways.
std::string plain(std::string value) {
  if (value == "t") return "1";
  if (value == "f") return "0";
  if (value.size() > 2 && value.ends_with(".0")) value.resize(value.size() - 2);
  return value;
}

Rows sorted(Rows rows) {
  for (Row& row : rows) {
    for (std::string& each : row) each = plain(std::move(each));
  }
  std::sort(rows.begin(), rows.end());
  return rows;
}

/// Every view there is, in the order they are made.
std::vector<std::string> view_names() {
  std::vector<std::string> names;
  for (const std::string& sql : view_statements(Dialect::sqlite)) {
    constexpr std::string_view before = "CREATE VIEW ";
    const std::size_t from = sql.find(before) + before.size();
    names.push_back(sql.substr(from, sql.find_first_of(" (", from) - from));
  }
  return names;
}

class SharedViews : public ::testing::TestWithParam<DatabaseServer::Engine> {
 protected:
  static DatabaseServer& server() {
    return GetParam() == DatabaseServer::Engine::postgres ? PostgresServer::shared()
                                                          : MariadbServer::shared();
  }

  void copy(const std::vector<Record>& records) {
    file_.run("DELETE FROM journal");
    file_.write(records);
    database_.copy(file_);
  }

  void expect_the_same(JournalDatabase& database, const std::string& sql) {
    const Rows here = sorted(database.rows(sql));
    const Rows there = sorted(file_.rows(sql));
    Rows differences;
    std::set_symmetric_difference(here.begin(), here.end(), there.begin(), there.end(),
                                  std::back_inserter(differences));
    EXPECT_THAT(differences, IsEmpty()) << sql;
  }

  void expect_all_views_the_same() { expect_all_views_the_same(database_); }
  void expect_all_views_the_same(JournalDatabase& database) {
    for (const std::string& view : view_names()) {
      // Holds that lapse at one instant let go in any order.
      const bool steps = view == "resource_steps";
      expect_the_same(database, "SELECT * FROM " + view + (steps ? " WHERE seq IS NOT NULL" : ""));
    }
  }

  JournalFile file_;
  JournalDatabase database_{server()};
};

INSTANTIATE_TEST_SUITE_P(on, SharedViews,
                         ::testing::Values(DatabaseServer::Engine::postgres,
                                           DatabaseServer::Engine::mariadb),
                         [](const auto& engine) { return std::string(file_name(engine.param)); });

TEST_P(SharedViews, have_the_same_columns) {
  for (const std::string& view : view_names()) {
    const std::string in_schema =
        GetParam() == DatabaseServer::Engine::postgres ? "current_schema()" : "database()";
    const Rows here = database_.rows(
        fmt::format("SELECT column_name FROM information_schema.columns WHERE table_name = '{}' "
                    "AND table_schema = {} ORDER BY ordinal_position",
                    view, in_schema));
    EXPECT_EQ(here, file_.rows(fmt::format("SELECT name FROM pragma_table_info('{}')", view)))
        << view;
  }
}

TEST_P(SharedViews, show_nothing_wrong_where_nothing_is) {
  EXPECT_THAT(database_.broken(), IsEmpty());
  copy(good_history().records);
  EXPECT_THAT(database_.broken(), IsEmpty());
}

TEST_P(SharedViews, show_the_same_of_a_good_history) {
  copy(good_history().records);
  expect_all_views_the_same();
}

TEST_P(SharedViews, show_the_same_of_windows_that_change) {
  copy(history_of_windows().records);
  EXPECT_THAT(database_.broken(), IsEmpty());
  expect_all_views_the_same();
}

TEST_P(SharedViews, show_the_same_of_commands) {
  copy(history_of_commands().records);
  EXPECT_THAT(database_.broken(), IsEmpty());
  expect_all_views_the_same();
}

TEST_P(SharedViews, show_the_same_of_subscriptions) {
  copy(history_of_subscriptions().records);
  EXPECT_THAT(database_.broken(), IsEmpty());
  expect_all_views_the_same();
}

TEST_P(SharedViews, show_every_planted_violation_and_nothing_else) {
  for (const Planted& planted : planted_violations()) {
    SCOPED_TRACE(planted.name);
    copy(planted.history.records);
    EXPECT_THAT(database_.broken(), UnorderedElementsAreArray(planted.broken));
    EXPECT_THAT(file_.broken_by_audit(), UnorderedElementsAreArray(planted.broken));
  }
}

/// A column of the journal, and values for it that mean trouble.
struct Column {
  std::string name;
  std::vector<std::string> values;
};

std::vector<Column> troublesome_columns() {
  const std::vector<std::string> small{"NULL", "0", "2", "9", "12"};
  const std::vector<std::string> large{"NULL", "0", "-1", "9", "9007199254740992"};
  const std::vector<std::string> text{"NULL", "''", "'  '", "'x'", "'default'"};
  const std::vector<std::string> blob{"NULL", "x''", "x'70'", "x'c3a4'"};
  return {{"kind", {"1", "4", "5", "9"}},
          {"at_us", {"0", "-62135596800000000", "at_us + 600000000"}},
          {"tenant", text},
          {"principal", text},
          {"operation", small},
          {"token", blob},
          {"nonce", blob},
          {"digest", {"NULL", "x''", "x'ff41'", "zeroblob(32)"}},
          {"rejection", small},
          {"reason", small},
          {"hold_ordinal", large},
          {"hold_salt", large},
          {"resource", text},
          {"requester", text},
          {"quantity", large},
          {"expires_us", large},
          {"capacity", large},
          {"ref", large},
          {"times", large},
          {"first_us", large}};
}

/// Damages journals, each seed in its own way.
class Damager {
 public:
  explicit Damager(unsigned seed) : dice_(seed) {}

  void damage(JournalFile& file) {
    const Rows seqs = file.rows("SELECT seq FROM journal");
    const std::string seq = one_of(seqs).front();
    switch (dice_() % 10) {
      case 0:
        return file.run("DELETE FROM journal WHERE seq > 1 AND seq = " + seq);
      case 1:
        file.run("CREATE TEMP TABLE again AS SELECT * FROM journal WHERE seq = " + seq);
        file.run("UPDATE again SET seq = (SELECT max(seq) + 1 FROM journal)");
        file.run("INSERT INTO journal SELECT * FROM again");
        return file.run("DROP TABLE again");
      default:
        return file.run(change(seq, one_of(seqs).front()));
    }
  }

 private:
  template <typename T>
  T one_of(const std::vector<T>& values) {
    return values[dice_() % values.size()];
  }

  std::string change(const std::string& seq, const std::string& other) {
    static const std::vector<Column> columns = troublesome_columns();
    const Column column = one_of(columns);
    const std::string value =
        dice_() % 2 == 0
            ? one_of(column.values)
            : fmt::format("(SELECT {} FROM journal WHERE seq = {})", column.name, other);
    return fmt::format("UPDATE journal SET {} = {} WHERE seq = {}", column.name, value, seq);
  }

  std::mt19937 dice_;
};

TEST_P(SharedViews, show_the_same_of_journals_damaged_at_random) {
  constexpr unsigned rounds = 10;
  for (unsigned seed = 1; seed <= rounds; ++seed) {
    SCOPED_TRACE(seed);
    Damager damager(seed);
    file_.run("DELETE FROM journal");
    file_.write(good_history().records);
    for (unsigned i = 0; i <= seed % 4; ++i) damager.damage(file_);
    database_.copy(file_);
    expect_all_views_the_same();
  }
}

TEST_P(SharedViews, bear_any_number) {
  file_.write(good_history().records);
  for (const char* column : {"at_us", "expires_us", "first_us", "capacity", "quantity", "hold_salt",
                             "hold_ordinal", "ref", "times"}) {
    for (const char* number : {"9223372036854775807", "-9223372036854775808"}) {
      SCOPED_TRACE(column);
      file_.run("SAVEPOINT before");
      file_.run(fmt::format("UPDATE journal SET {} = {} WHERE seq % 3 = 0", column, number));
      database_.copy(file_);
      EXPECT_EQ(database_.broken(), file_.broken_by_views());
      for (const std::string& view : view_names()) (void)database_.rows("SELECT * FROM " + view);
      file_.run("ROLLBACK TO before");
    }
  }
}

TEST_P(SharedViews, tell_instants_as_we_do) {
  History history;
  std::vector<Row> told;
  const std::vector<std::int64_t> instants_us{-62'135'596'800'000'000,
                                              -86'400'000'001,
                                              -1'000'000,
                                              -1,
                                              0,
                                              1,
                                              999'999,
                                              86'399'999'999,
                                              1'767'225'600'000'001,
                                              9'007'199'254'740'993,
                                              253'402'300'799'999'999};
  for (const std::int64_t us : instants_us) {
    history.now = Instant(Duration(us));
    history.declare("d" + std::to_string(us), "ward", 3);
    told.push_back({to_rfc3339(history.now)});
  }
  copy(history.records);
  EXPECT_EQ(database_.rows("SELECT at FROM records ORDER BY seq"), told);
}

TEST_P(SharedViews, show_tokens_as_text_where_they_are_text) {
  const std::vector<std::string> tokens{
      "t", " ", "\\", "Z\xc3\xbcrich", "\x01", "\x7f",
      // The first and the last of each length, and of what is left out for surrogates.
      "\xc2\x80", "\xdf\xbf", "\xe0\xa0\x80", "\xed\x9f\xbf", "\xee\x80\x80", "\xef\xbf\xbf",
      "\xf0\x90\x80\x80", "\xf3\xbf\xbf\xbf", "\xf4\x8f\xbf\xbf",
      // No text: cut off, too long, a surrogate, beyond the last, a NUL.
      "\xc3", "\x80", "\xc0\x80", "\xc1\xbf", "\xe0\x9f\xbf", "\xed\xa0\x80", "\xf0\x8f\xbf\xbf",
      "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xff", "a\xffz", std::string("t\0", 2)};
  History history;
  for (const std::string& token : tokens) history.declare(token, "ward", 3);
  copy(history.records);
  expect_the_same(database_, "SELECT seq, token_hex FROM records");
  const Rows shown = database_.rows("SELECT token FROM records ORDER BY seq");
  ASSERT_EQ(shown.size(), tokens.size());
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const bool text = is_valid_utf8(tokens[i]) && tokens[i].find('\0') == std::string::npos;
    if (text) {
      EXPECT_EQ(shown[i].front(), tokens[i]);
    }
  }
}

TEST_P(SharedViews, tell_tokens_and_names_apart_byte_by_byte) {
  History history;
  history.place("t", {.resource = "room", .requester = "g", .duration = 1h});
  history.place("T", {.resource = "Room", .requester = "g", .duration = 1h});
  history.place({"t\0", 2}, {.resource = "room ", .requester = "g", .duration = 1h});
  copy(history.records);
  EXPECT_THAT(database_.broken(), IsEmpty());
  EXPECT_THAT(database_.rows("SELECT count(*) FROM resources"), ElementsAre(Row{"3"}));
  EXPECT_THAT(database_.rows("SELECT ordinal FROM holds WHERE token = 't'"), ElementsAre(Row{"1"}));
  EXPECT_THAT(database_.rows("SELECT ordinal FROM holds WHERE resource = 'room '"),
              ElementsAre(Row{"3"}));
}

TEST_P(SharedViews, serve_every_query_in_the_documentation) {
  file_.write(documented_history().records);
  database_.copy(file_);
  for (const std::string& query : sql_in(HOLDFAST_SOURCE_DIR "/docs/audit.md")) {
    EXPECT_EQ(database_.rows(query).size(), file_.rows(query).size()) << query;
  }
}

TEST_P(SharedViews, mean_the_same_in_every_session) {
  const bool postgres = GetParam() == DatabaseServer::Engine::postgres;
  const std::vector<std::string> sessions =
      postgres
          ? std::vector<std::string>{"SET standard_conforming_strings = off",
                                     "SET DateStyle = German; SET IntervalStyle = sql_standard",
                                     "SET TimeZone = 'Asia/Kolkata'"}
          : std::vector<std::string>{"SET sql_mode = 'ANSI,ONLY_FULL_GROUP_BY'",
                                     "SET sql_mode = 'NO_BACKSLASH_ESCAPES,HIGH_NOT_PRECEDENCE'",
                                     "SET sql_mode = ''",
                                     "SET collation_connection = utf8mb4_unicode_ci",
                                     "SET time_zone = '+05:30', lc_time_names = 'de_DE'"};
  file_.write(good_history().records);
  for (const std::string& made_in : sessions) {
    JournalDatabase made(server(), made_in);
    made.copy(file_);
    for (const std::string& asked_in : sessions) {
      SCOPED_TRACE(made_in + "; " + asked_in);
      made.run(asked_in);
      expect_all_views_the_same(made);
      EXPECT_THAT(made.rows("SELECT token FROM holds WHERE id = 'h1-000000000abc001'"),
                  ElementsAre(Row{"p1"}));
    }
  }
}

}  // namespace
}  // namespace holdfast::test

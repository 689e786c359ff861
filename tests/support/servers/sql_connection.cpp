#include "support/servers/sql_connection.hpp"

#include <libpq-fe.h>
#include <mysql.h>

#include <regex>

namespace holdfast::test {

class SqlConnection::Driver {
 public:
  Driver() = default;
  virtual ~Driver() = default;
  Driver(const Driver&) = delete;
  Driver& operator=(const Driver&) = delete;
  virtual SqlRows execute(const std::string& sql) = 0;
};

namespace {

class PostgresDriver final : public SqlConnection::Driver {
 public:
  explicit PostgresDriver(const std::string& url)
      : connection_(PQconnectdb(url.c_str()), PQfinish) {
    if (PQstatus(connection_.get()) != CONNECTION_OK) {
      throw SqlError(PQerrorMessage(connection_.get()), "");
    }
    PQsetNoticeProcessor(
        connection_.get(), [](void*, const char*) {}, nullptr);
  }

  SqlRows execute(const std::string& sql) override {
    const std::unique_ptr<PGresult, decltype(&PQclear)> result(
        PQexec(connection_.get(), sql.c_str()), PQclear);
    const ExecStatusType status = PQresultStatus(result.get());
    if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK && status != PGRES_EMPTY_QUERY) {
      const char* state = PQresultErrorField(result.get(), PG_DIAG_SQLSTATE);
      throw SqlError(PQerrorMessage(connection_.get()) + sql, state == nullptr ? "" : state);
    }
    SqlRows rows(static_cast<std::size_t>(PQntuples(result.get())));
    for (int i = 0; i < PQntuples(result.get()); ++i) {
      for (int j = 0; j < PQnfields(result.get()); ++j) {
        const bool null = PQgetisnull(result.get(), i, j) != 0;
        rows[static_cast<std::size_t>(i)].emplace_back(null ? "-" : PQgetvalue(result.get(), i, j));
      }
    }
    return rows;
  }

 private:
  std::unique_ptr<PGconn, decltype(&PQfinish)> connection_;
};

class MariadbDriver final : public SqlConnection::Driver {
 public:
  explicit MariadbDriver(const std::string& url) : connection_(mysql_init(nullptr), mysql_close) {
    static const std::regex shape("mariadb://([^:]*):([^@]*)@([^:]*):([0-9]+)/(.*)");
    std::smatch part;
    if (!std::regex_match(url, part, shape)) throw SqlError("no address: " + url, "");
    mysql_optionsv(connection_.get(), MYSQL_SET_CHARSET_NAME, "utf8mb4");
    const auto port = static_cast<unsigned>(std::stoul(part.str(4)));
    const std::string database = part.str(5);
    if (mysql_real_connect(connection_.get(), part.str(3).c_str(), part.str(1).c_str(),
                           part.str(2).c_str(), database.empty() ? nullptr : database.c_str(), port,
                           nullptr, CLIENT_MULTI_STATEMENTS) == nullptr) {
      fail(url);
    }
  }

  SqlRows execute(const std::string& sql) override {
    if (mysql_real_query(connection_.get(), sql.data(), sql.size()) != 0) fail(sql);
    SqlRows rows;
    for (int more = 0; more == 0; more = mysql_next_result(connection_.get())) {
      rows = take_result(sql);
    }
    if (mysql_errno(connection_.get()) != 0) fail(sql);
    return rows;
  }

 private:
  [[noreturn]] void fail(const std::string& doing) {
    throw SqlError(std::string(mysql_error(connection_.get())) + "\n" + doing,
                   mysql_sqlstate(connection_.get()));
  }

  SqlRows take_result(const std::string& sql) {
    const std::unique_ptr<MYSQL_RES, decltype(&mysql_free_result)> result(
        mysql_store_result(connection_.get()), mysql_free_result);
    SqlRows rows;
    if (result == nullptr) {
      if (mysql_errno(connection_.get()) != 0) fail(sql);
      return rows;
    }
    const unsigned columns = mysql_num_fields(result.get());
    while (MYSQL_ROW row = mysql_fetch_row(result.get())) {
      const unsigned long* sizes = mysql_fetch_lengths(result.get());
      SqlRow& texts = rows.emplace_back();
      for (unsigned i = 0; i < columns; ++i) {
        texts.push_back(row[i] == nullptr ? "-" : std::string(row[i], sizes[i]));
      }
    }
    return rows;
  }

  std::unique_ptr<MYSQL, decltype(&mysql_close)> connection_;
};

}  // namespace

SqlConnection::SqlConnection(const std::string& url) {
  if (url.starts_with("mariadb://")) {
    driver_ = std::make_unique<MariadbDriver>(url);
  } else {
    driver_ = std::make_unique<PostgresDriver>(url);
  }
}

SqlConnection::~SqlConnection() = default;
SqlConnection::SqlConnection(SqlConnection&&) noexcept = default;
SqlConnection& SqlConnection::operator=(SqlConnection&&) noexcept = default;

SqlRows SqlConnection::execute(const std::string& sql) { return driver_->execute(sql); }

}  // namespace holdfast::test

#pragma once

#include <libpq-fe.h>

#include <chrono>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "store/shared/driver.hpp"

namespace holdfast::postgres {

using shared::Expected;
using shared::Fault;
using shared::Trouble;

/// A statement with a name under which each connection prepares it once.
struct Statement {
  std::string name;
  std::string sql;
};

/// The parameters of one statement, in PostgreSQL's binary form.
class Parameters {
 public:
  Parameters& number(std::int64_t value);
  Parameters& number(std::optional<std::int64_t> value);
  Parameters& flag(bool value);
  Parameters& bytes(std::string_view value);
  Parameters& bytes(const std::optional<std::string>& value);
  /// An array made by `NumberArray` or `BytesArray`.
  Parameters& array(std::string binary);

 private:
  friend class Connection;
  void add(std::string binary) { values_.emplace_back(std::move(binary)); }
  std::vector<std::optional<std::string>> values_;
};

/// An array of bigint, with NULL for what is not there.
class NumberArray {
 public:
  explicit NumberArray(std::size_t size);
  void add(std::int64_t value);
  void add(std::optional<std::int64_t> value);
  [[nodiscard]] std::string take() { return std::move(binary_); }

 private:
  std::string binary_;
};

/// An array of bytea, with NULL for the empty ones.
class BytesArray {
 public:
  explicit BytesArray(std::size_t size);
  void add(std::string_view value);
  void add_or_null(std::string_view value);
  [[nodiscard]] std::string take() { return std::move(binary_); }

 private:
  std::string binary_;
};

/// The rows of one statement.
class Result {
 public:
  explicit Result(PGresult* raw) : raw_(raw) {}
  [[nodiscard]] int rows() const { return PQntuples(raw_.get()); }
  [[nodiscard]] bool is_null(int row, int column) const {
    return PQgetisnull(raw_.get(), row, column) != 0;
  }
  /// A bigint, integer, smallint or boolean; 0 for NULL.
  [[nodiscard]] std::int64_t number(int row, int column) const;
  [[nodiscard]] std::optional<std::int64_t> number_or_null(int row, int column) const;
  /// A bytea or text; empty for NULL.
  [[nodiscard]] std::string_view bytes(int row, int column) const;
  [[nodiscard]] std::string_view command() const { return PQcmdStatus(raw_.get()); }
  [[nodiscard]] bool done() const {
    const ExecStatusType status = PQresultStatus(raw_.get());
    return status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK;
  }
  [[nodiscard]] const PGresult* raw() const { return raw_.get(); }

 private:
  struct Clear {
    void operator()(PGresult* raw) const { PQclear(raw); }
  };
  std::unique_ptr<PGresult, Clear> raw_;
};

/// A connection. Statements are queued and sent together: one round trip for all of them.
class Connection {
 public:
  [[nodiscard]] static Expected<Connection> open(const std::string& settings);

  void queue(const Statement& statement, Parameters parameters = {});
  /// Sends what is queued and waits for all of it. The first error ends it: nothing after it was
  /// carried out. `commits`: its last statement is a COMMIT, and losing its answer is `unknown`.
  [[nodiscard]] Expected<std::vector<Result>> run(bool commits = false);
  /// One statement without parameters, or several.
  [[nodiscard]] Expected<void> script(const std::string& sql);

  [[nodiscard]] bool broken() const { return broken_; }
  [[nodiscard]] bool in_transaction() const;
  [[nodiscard]] std::string server_version() const;
  /// As an identifier in SQL.
  [[nodiscard]] std::string quoted(const std::string& name) const;

 private:
  struct Close {
    void operator()(PGconn* raw) const { PQfinish(raw); }
  };
  struct Queued {
    const Statement* statement;
    Parameters parameters;
    bool prepares = false;
  };
  using Deadline = std::chrono::steady_clock::time_point;

  [[nodiscard]] bool send(const Queued& queued);
  [[nodiscard]] bool flush(Deadline deadline);
  [[nodiscard]] bool wait(short events, Deadline deadline);
  [[nodiscard]] bool receive(Deadline deadline);
  [[nodiscard]] Fault gone(bool commits);
  [[nodiscard]] Fault fault_of(const PGresult* result, bool committing);

  /// A warning came with a commit: it stands here, but not where it was to be replicated to.
  std::unique_ptr<std::string> warning_ = std::make_unique<std::string>();
  std::unique_ptr<PGconn, Close> raw_;
  std::set<std::string, std::less<>> prepared_;
  std::vector<Queued> queue_;
  bool broken_ = false;
};

}  // namespace holdfast::postgres

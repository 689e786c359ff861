#pragma once

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace holdfast::test {

/// What a database server refused, in its own words.
class SqlError : public std::runtime_error {
 public:
  SqlError(const std::string& words, std::string state)
      : std::runtime_error(words), state_(std::move(state)) {}
  /// The five characters of SQLSTATE; empty if there was no connection to get them from.
  [[nodiscard]] const std::string& state() const { return state_; }

 private:
  std::string state_;
};

/// Every column as text; NULL is "-".
using SqlRow = std::vector<std::string>;
using SqlRows = std::vector<SqlRow>;

/// A connection of a test's own to a database: postgres://… or mariadb://…, with user and password.
/// Everything throws `SqlError`. One thread at a time.
class SqlConnection {
 public:
  explicit SqlConnection(const std::string& url);
  ~SqlConnection();
  SqlConnection(SqlConnection&&) noexcept;
  SqlConnection& operator=(SqlConnection&&) noexcept;

  /// Runs statements, separated by semicolons, and gives the rows of the last.
  SqlRows execute(const std::string& sql);

  class Driver;

 private:
  std::unique_ptr<Driver> driver_;
};

}  // namespace holdfast::test

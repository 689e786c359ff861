#pragma once

#include <mysql.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "store/mariadb/address.hpp"
#include "store/mariadb/script.hpp"
#include "store/shared/driver.hpp"

namespace holdfast::mariadb {

/// A row of a result; good until the next one.
class Row {
 public:
  Row(MYSQL_ROW columns, const unsigned long* lengths) : columns_(columns), lengths_(lengths) {}

  [[nodiscard]] bool is_null(std::size_t at) const { return columns_[at] == nullptr; }
  /// Zero for NULL.
  [[nodiscard]] std::int64_t number(std::size_t at) const;
  [[nodiscard]] std::uint64_t count(std::size_t at) const {
    return static_cast<std::uint64_t>(number(at));
  }
  [[nodiscard]] Instant instant(std::size_t at) const { return Instant(Duration(number(at))); }
  /// Empty for NULL.
  [[nodiscard]] std::string_view bytes(std::size_t at) const;

 private:
  MYSQL_ROW columns_;
  const unsigned long* lengths_;
};

/// A connection, used by one thread at a time. What fails for want of a server that can work makes
/// it `broken`: another one may find a better server behind the same address.
class Connection {
 public:
  [[nodiscard]] static shared::Expected<Connection> open(const Address& address);

  /// Runs the statements in order, up to the first that fails or does not change as many rows as
  /// it has to: that is `Trouble::again`, and whoever began the transaction has to end it.
  [[nodiscard]] shared::Expected<void> run(const Script& script);
  [[nodiscard]] shared::Expected<void> run(std::string sql);
  [[nodiscard]] shared::Expected<void> read(std::string sql, Script::Take take);
  [[nodiscard]] shared::Expected<void> commit();

  [[nodiscard]] bool broken() const { return broken_; }
  void give_up() { broken_ = true; }
  /// Whether the server is a node of a cluster.
  [[nodiscard]] bool clustered() const { return clustered_; }
  /// Product and version.
  [[nodiscard]] std::string server() const;

 private:
  struct Close {
    void operator()(MYSQL* raw) const { mysql_close(raw); }
  };
  using Statements = std::vector<Script::Statement>;

  Connection() = default;
  shared::Expected<void> check_server();
  shared::Expected<void> set_up_session();
  shared::Expected<void> send(const std::string& packet);
  shared::Expected<void> take_results(Statements::const_iterator first,
                                      Statements::const_iterator last);
  shared::Expected<void> take_result(const Script::Statement& statement);
  shared::Fault fault();

  std::unique_ptr<MYSQL, Close> raw_;
  bool broken_ = false;
  bool clustered_ = false;
};

}  // namespace holdfast::mariadb

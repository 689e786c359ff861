#include "store/mariadb/script.hpp"

#include <fmt/format.h>

#include <iterator>

namespace holdfast::mariadb {
namespace {

void append_hex(std::string& sql, std::string_view bytes) {
  constexpr std::string_view digits = "0123456789abcdef";
  for (const char each : bytes) {
    const auto byte = static_cast<unsigned char>(each);
    sql += digits[byte >> 4U];
    sql += digits[byte & 15U];
  }
}

}  // namespace

void Values::next() {
  if (!first_) sql_ += ',';
  first_ = false;
}

Values& Values::number(std::int64_t value) {
  next();
  fmt::format_to(std::back_inserter(sql_), "{}", value);
  return *this;
}

Values& Values::bytes(std::string_view value) {
  next();
  sql_ += "x'";
  append_hex(sql_, value);
  sql_ += '\'';
  return *this;
}

Values& Values::null() {
  next();
  sql_ += "NULL";
  return *this;
}

std::string literal(std::string_view bytes) {
  std::string sql;
  Values(sql).bytes(bytes);
  return sql;
}

}  // namespace holdfast::mariadb

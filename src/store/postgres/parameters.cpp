#include <bit>

#include "store/postgres/connection.hpp"

namespace holdfast::postgres {
namespace {

constexpr std::int32_t bigint_oid = 20;
constexpr std::int32_t bytea_oid = 17;

template <typename Integer>
void put(std::string& out, Integer value) {
  using Unsigned = std::make_unsigned_t<Integer>;
  const auto bits = std::bit_cast<Unsigned>(value);
  for (std::size_t i = sizeof bits; i-- > 0;) out += static_cast<char>(bits >> (8 * i) & 0xffU);
}

std::string array_header(std::int32_t element, std::size_t size) {
  std::string out;
  put<std::int32_t>(out, size == 0 ? 0 : 1);  // dimensions
  put<std::int32_t>(out, 1);                  // there may be NULLs
  put<std::int32_t>(out, element);
  if (size == 0) return out;
  put<std::int32_t>(out, static_cast<std::int32_t>(size));
  put<std::int32_t>(out, 1);  // the first index
  return out;
}

void put_null(std::string& out) { put<std::int32_t>(out, -1); }

void put_bytes(std::string& out, std::string_view value) {
  put<std::int32_t>(out, static_cast<std::int32_t>(value.size()));
  out += value;
}

}  // namespace

Parameters& Parameters::number(std::int64_t value) {
  std::string binary;
  put(binary, value);
  add(std::move(binary));
  return *this;
}

Parameters& Parameters::number(std::optional<std::int64_t> value) {
  if (value) return number(*value);
  values_.emplace_back();
  return *this;
}

Parameters& Parameters::flag(bool value) {
  add(std::string(1, value ? '\1' : '\0'));
  return *this;
}

Parameters& Parameters::bytes(std::string_view value) {
  add(std::string(value));
  return *this;
}

Parameters& Parameters::bytes(const std::optional<std::string>& value) {
  values_.push_back(value);
  return *this;
}

Parameters& Parameters::array(std::string binary) {
  add(std::move(binary));
  return *this;
}

NumberArray::NumberArray(std::size_t size) : binary_(array_header(bigint_oid, size)) {
  binary_.reserve(binary_.size() + size * 12);
}

void NumberArray::add(std::int64_t value) {
  put<std::int32_t>(binary_, sizeof value);
  put(binary_, value);
}

void NumberArray::add(std::optional<std::int64_t> value) {
  value ? add(*value) : put_null(binary_);
}

BytesArray::BytesArray(std::size_t size) : binary_(array_header(bytea_oid, size)) {
  binary_.reserve(binary_.size() + size * 24);
}

void BytesArray::add(std::string_view value) { put_bytes(binary_, value); }

void BytesArray::add_or_null(std::string_view value) {
  value.empty() ? put_null(binary_) : put_bytes(binary_, value);
}

std::int64_t Result::number(int row, int column) const {
  if (is_null(row, column)) return 0;
  const char* const at = PQgetvalue(raw_.get(), row, column);
  const int size = PQgetlength(raw_.get(), row, column);
  // Sign and all: the first byte carries the sign, the others follow.
  std::int64_t value = size > 1 && (static_cast<unsigned char>(at[0]) & 0x80U) != 0 ? -1 : 0;
  for (int i = 0; i < size; ++i) value = value * 256 + static_cast<unsigned char>(at[i]);
  return value;
}

std::optional<std::int64_t> Result::number_or_null(int row, int column) const {
  if (is_null(row, column)) return std::nullopt;
  return number(row, column);
}

std::string_view Result::bytes(int row, int column) const {
  if (is_null(row, column)) return {};
  return {PQgetvalue(raw_.get(), row, column),
          static_cast<std::size_t>(PQgetlength(raw_.get(), row, column))};
}

}  // namespace holdfast::postgres

#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "schema/decimal.hpp"
#include "schema/schema.hpp"

namespace holdfast::schema {

enum class Kind : std::uint8_t { null, boolean, number, string, array, object };

/// A JSON value in the form that checks need: members are sorted by name, numbers are decimals. Its
/// texts are those of the document it was made from, which must outlive it.
struct Value {
  Kind kind = Kind::null;
  bool truth = false;
  std::string_view name;        ///< as a member
  std::string_view text;        ///< of a string
  Decimal number;               ///< of a number
  std::vector<Value> children;  ///< items, or members by name
  std::uint64_t weight = 1;     ///< about what it costs to compare all of it

  [[nodiscard]] const Value* member(std::string_view wanted) const;
};

struct ValueLimits {
  std::size_t depth;   ///< of arrays and objects
  std::uint64_t size;  ///< values in all
};

/// An error is about the value: too deep, too large, or a member that is there twice.
[[nodiscard]] tl::expected<Value, Error> to_value(simdjson::dom::element element,
                                                  const ValueLimits& limits);

/// An order of all values, names of members aside; equal is what JSON Schema calls equal. Recursion
/// is as deep as the values are.
[[nodiscard]] std::strong_ordering compare(const Value& left, const Value& right);

}  // namespace holdfast::schema

#pragma once

#include <simdjson.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "holdfast/types.hpp"

namespace holdfast::test {

/// A call as nothing but values: the form in which calls are kept in files, which must be readable
/// by versions of the code that are still to come. What an operation does not use stays as it is
/// here, and is not written.
struct PlainCall {
  Operation operation = Operation::none;
  std::string resource{};        ///< place, declare
  std::string requester{};       ///< place, a group too
  std::int64_t duration_us = 0;  ///< place and extend, a group too
  std::int64_t quantity = 1;     ///< place
  HoldId hold{};                 ///< confirm, release, expire, extend, cancel; a group's first
  std::int64_t capacity = 1;     ///< declare
  std::optional<std::int64_t> part{};  ///< confirm, cancel
  bool final = false;                  ///< confirm
  std::vector<GroupItem> items{};      ///< place a group
  Caller caller{};
  std::string token{};
  std::string nonce{};
  std::string confirmation{};
};

/// The same as the engine takes it.
[[nodiscard]] Call call_of(const PlainCall& plain);

/// As one line of JSON. Names, tokens and nonces that are not UTF-8 are `{"hex":"…"}`.
[[nodiscard]] std::string json_of(const PlainCall& plain);

/// Reads what `json_of` wrote. Throws if it is anything else.
[[nodiscard]] PlainCall plain_call_of(const simdjson::dom::element& json);

}  // namespace holdfast::test

#pragma once

#include <span>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "domain/operation.hpp"
#include "settings/settings.hpp"

/// From JSON bodies to commands. What has the wrong shape never reaches the engine: it is refused
/// here, with a pointer to what is wrong, and its token stays unused. Values that have the right
/// shape but make no sense are the engine's to refuse.
namespace holdfast::http {

struct BodyError {
  std::string pointer;  ///< RFC 6901; empty: the whole body
  std::string detail;
};

/// One or more, all from one body.
using BodyErrors = std::vector<BodyError>;

template <typename T>
using Read = tl::expected<T, BodyErrors>;

/// The hold that a caller names. What does not look like an id names none, and another none for
/// every text: the engine says so, records it, and tells two such requests apart.
[[nodiscard]] HoldId hold_named(const std::string& text);
/// Likewise of a group.
[[nodiscard]] GroupId group_named(const std::string& text);

/// Bodies must be followed by 64 readable bytes.

/// The parameters of an operation, with those that stand in the path, in the order of its fields.
/// Where all stand in the path the body may be left out, or be an empty object.
[[nodiscard]] Read<Command> read_command(const OperationSpec& spec, std::string_view body,
                                         std::span<const std::string> path, const Limits& limits);

/// One of a batch. What is wrong with an item is its own affair: the others run. (A body that is no
/// JSON, or has a number that would be rounded, is refused as a whole.)
struct BatchItem {
  Call call{};
  BodyErrors errors{};         ///< not empty: `call` is not to be made
  bool token_invalid = false;  ///< one of them is that its token cannot be one
};

/// `{operations: [{token, operation, params, nonce?, confirmation?}, …]}`
[[nodiscard]] Read<std::vector<BatchItem>> read_batch(std::string_view body, const Limits& limits,
                                                      std::size_t token_bytes_max);

}  // namespace holdfast::http

#pragma once

#include <simdjson.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "holdfast/clock.hpp"

/// Reading what a server wrote, which may be anything: what is missing, or of another kind than
/// expected, is simply not there.
namespace holdfast::client {

/// A value within a document; good for as long as the document is.
class Json {
 public:
  explicit Json(simdjson::dom::element value) : value_(value) {}

  /// Of an object: a member.
  [[nodiscard]] std::optional<Json> member(std::string_view name) const;
  [[nodiscard]] std::optional<std::string> text(std::string_view name) const;
  [[nodiscard]] std::optional<std::int64_t> integer(std::string_view name) const;
  [[nodiscard]] std::optional<bool> truth(std::string_view name) const;
  [[nodiscard]] std::optional<Instant> instant(std::string_view name) const;
  /// Bytes as `write_bytes` writes them: in hexadecimal besides, when they are not UTF-8.
  [[nodiscard]] std::optional<std::string> bytes(std::string_view name) const;
  /// Of an object: the elements of a member that is an array.
  [[nodiscard]] std::optional<std::vector<Json>> array(std::string_view name) const;
  /// The value itself, without white space.
  [[nodiscard]] std::string raw() const { return simdjson::minify(value_); }
  /// Likewise, of whole numbers not below zero.
  [[nodiscard]] std::optional<std::vector<std::uint64_t>> numbers(std::string_view name) const;

 private:
  simdjson::dom::element value_;
};

/// A JSON text, parsed.
class Document {
 public:
  explicit Document(std::string_view text);
  /// Nothing when the text is not JSON.
  [[nodiscard]] const std::optional<Json>& root() const { return root_; }

 private:
  simdjson::dom::parser parser_;
  std::optional<Json> root_;
};

}  // namespace holdfast::client

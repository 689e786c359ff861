#pragma once

#include <simdjson.h>

#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

#include "domain/digest.hpp"

/// JSON of which nothing may be passed over: whoever reads it with another program must see the
/// same. What was understood is written again, and must be all there was.
namespace holdfast::evidence {

/// How deep a line may be nested: as deep as whatever the service takes, and what is around it.
inline constexpr std::size_t depth_max = 512;

using Element = simdjson::dom::element;

class StrictJson {
 public:
  /// False if it is not JSON, or says something twice.
  [[nodiscard]] bool parse(std::string_view text);
  [[nodiscard]] const Element& root() const { return root_; }
  /// Its form by RFC 8785.
  [[nodiscard]] const std::string& text() const { return text_; }
  /// Goes on with a member.
  [[nodiscard]] bool descend(std::string_view name);

 private:
  simdjson::dom::parser parser_;
  std::string text_;
  Element root_{};
};

/// Why it cannot be understood.
[[nodiscard]] inline tl::unexpected<std::string> wrong(std::string what) {
  return tl::unexpected(std::move(what));
}

[[nodiscard]] std::optional<Element> member(const Element& object, std::string_view name);
/// How many members an object has; 0 if it is none.
[[nodiscard]] std::size_t members_of(const Element& value);
[[nodiscard]] std::optional<Digest> digest_in(const std::optional<Element>& value);
[[nodiscard]] std::optional<std::uint64_t> number_in(const std::optional<Element>& value);

}  // namespace holdfast::evidence

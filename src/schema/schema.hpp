#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

namespace simdjson::dom {
class element;
}

/// JSON Schema, draft 2020-12: schemas are compiled once and then checked against values.
///
/// Schemas and values may both come from strangers. Nothing they say crashes the process, recurses
/// without bound or takes more than `Options::work_max` steps.
///
/// Numbers are compared as decimals: 9007199254740993 is not 9007199254740992, 0.3 is a multiple of
/// 0.1, and 1.0 is an integer. Integers have 64 bits; a number with a fraction or an exponent is
/// the shortest decimal of its double. Larger numbers are no values: the reader refuses them.
///
/// `pattern` and `patternProperties` know the expressions that src/schema/regex.hpp describes.
///
/// `$ref` and `$dynamicRef` stay inside the document. `$id` names a part of it; nothing is fetched.
namespace holdfast::schema {

struct Options {
  /// A keyword or a format that draft 2020-12 does not know is an error of the schema. Keywords
  /// that begin with "x-" are always ignored. Without it, whatever is unknown is ignored.
  bool strict = true;
  /// Values must have their `format`, if it is one of date-time, date, time, email, uuid, uri, ipv4
  /// and ipv6. The other formats of the draft are annotations, and so are all of them without this.
  bool assert_format = true;
  std::size_t misfits_max = 32;        ///< 0 is taken for 1
  std::size_t depth_max = 64;          ///< of arrays and objects, in schemas and in values
  std::uint64_t work_max = 5'000'000;  ///< steps of one check, each of them small
};

/// Why a text is no schema, and where in it. The pointer is empty when it is no JSON at all.
struct Error {
  std::string pointer;
  std::string text;
};

/// One place where a value does not fit. Pointers are JSON Pointers (RFC 6901) into the value and
/// into the schema, there to the keyword, after references were followed. The text never quotes the
/// value, which may be secret.
struct Misfit {
  std::string pointer;
  std::string schema_pointer;
  std::string text;
};

struct Compiled;

/// A compiled schema. Immutable: threads may share it and check at the same time.
class Schema {
 public:
  [[nodiscard]] static tl::expected<std::shared_ptr<const Schema>, Error> compile(
      std::string_view json, const Options& options = {});

  /// Empty: the value fits. What is no JSON, has a member twice, is too deep or takes too much work
  /// does not fit, and that is told as a misfit, too.
  [[nodiscard]] std::vector<Misfit> check(std::string_view json_value) const;
  [[nodiscard]] std::vector<Misfit> check(simdjson::dom::element value) const;

  /// Whether `check` would find nothing; stops at the first misfit.
  [[nodiscard]] bool fits(simdjson::dom::element value) const;

  /// Pointers to what is secret in the value, sorted: to wherever a schema with `"secret": true`
  /// applies. Of `anyOf`, `oneOf`, `if` and `contains` only what fits applies; when nothing of an
  /// `anyOf` or `oneOf` fits, all of it does. When in doubt more is secret, not less: a value that
  /// cannot be read or takes too much work is secret as a whole, which is one empty pointer.
  [[nodiscard]] std::vector<std::string> secrets_in(simdjson::dom::element value) const;

  /// The schema as it was given.
  [[nodiscard]] const std::string& text() const;

  explicit Schema(std::unique_ptr<const Compiled> compiled);  ///< for `compile` alone
  ~Schema();
  Schema(const Schema&) = delete;
  Schema& operator=(const Schema&) = delete;

 private:
  std::unique_ptr<const Compiled> compiled_;
};

}  // namespace holdfast::schema

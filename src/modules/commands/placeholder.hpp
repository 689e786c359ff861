#pragma once

#include <simdjson.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <utility>
#include <vector>

#include "modules/commands/envelope.hpp"

/// `{args.amount}` and so on: what stands for a value in a template, and that value.
namespace holdfast::commands {

/// An error: why something cannot be.
[[nodiscard]] inline tl::unexpected<std::string> refuse(std::string why) {
  return tl::unexpected(std::move(why));
}

enum class PlaceholderSource : std::uint8_t {
  args,
  target,
  key,
  command_id,
  tenant,
  actor_id,
  effective_actor_id,
  correlation_id,
  secret,
};

struct Placeholder {
  PlaceholderSource source;
  std::vector<std::string> path{};  ///< of `args` and `target`: members, from the outside in
  std::string text;                 ///< as it is written, without braces
};

/// Reads what stands between the braces. An error is a sentence that says what may stand there.
[[nodiscard]] tl::expected<Placeholder, std::string> parse_placeholder(std::string_view text);

/// What a command has to fill a template with.
struct TemplateValues {
  const Envelope& envelope;
  std::string_view tenant;
  std::string_view key;
  std::string_view command_id;
};

/// The secret of that name, if there is one.
using SecretLookup = std::function<std::optional<std::string>(std::string_view name)>;

/// A value as it is found: text as it reads, everything else as canonical JSON.
struct FieldValue {
  enum class Kind : std::uint8_t { text, number, boolean, null, composite };
  Kind kind = Kind::text;
  std::string text;
};

/// Finds the values of one command. Errors name the placeholder and never a value.
class Fields {
 public:
  /// What is passed must outlive it.
  Fields(const TemplateValues& values, const SecretLookup& secrets);
  [[nodiscard]] tl::expected<FieldValue, std::string> at(const Placeholder& placeholder);

 private:
  [[nodiscard]] tl::expected<FieldValue, std::string> in_json(const std::string& json,
                                                              const Placeholder& placeholder);

  const TemplateValues& values_;
  const SecretLookup& secrets_;
  simdjson::dom::parser parser_;
};

}  // namespace holdfast::commands

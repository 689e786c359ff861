#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <utility>
#include <vector>

#include "holdfast/clock.hpp"
#include "signatures/scheme.hpp"

/// What an operator declares of those that send webhooks. Declarations are read from a registry
/// file by `src/registry`; here is what they mean. They never change once they are read.
namespace holdfast::webhooks {

/// What happens to a webhook that was taken in.
enum class Follows : std::uint8_t {
  command,  ///< a command is submitted
  forward,  ///< it is sent on to a URL
  pull,     ///< a worker leases it
};

inline constexpr Follows all_follows[] = {Follows::command, Follows::forward, Follows::pull};

[[nodiscard]] std::string_view name(Follows follows);
[[nodiscard]] std::optional<Follows> follows_named(std::string_view name);

struct Source {
  std::string name;
  std::string tenant = "default";
  signatures::Scheme scheme = signatures::Standard{};
  std::vector<std::string> secrets{};  ///< names in the file of secrets; all are tried
  Duration tolerance = std::chrono::minutes(5);
  /// How long an event id is recognised, counted from when it came first.
  Duration window = std::chrono::hours(24 * 7);

  Follows follows = Follows::pull;
  std::string target{};  ///< `entity.action`, the URL, or the kind that workers lease
  /// Of a command: the members of its arguments, each with an RFC 6901 pointer into the body.
  /// Empty: the body, which is an object then, is the arguments.
  std::vector<std::pair<std::string, std::string>> args{};
  Duration timeout = std::chrono::seconds(10);  ///< of a forward

  Duration lease = std::chrono::seconds(30);  ///< for whoever sends on or submits
  std::uint32_t attempts_max = 20;
  Duration backoff = std::chrono::seconds(1);
  Duration backoff_max = std::chrono::minutes(30);

  /// Of a command: before and behind the first dot.
  [[nodiscard]] std::pair<std::string, std::string> intent() const;
};

/// Every source there is, by name. Shared between threads; never changes.
struct Sources {
  std::map<std::string, std::shared_ptr<const Source>, std::less<>> by_name;

  /// Null if there is none of that name.
  [[nodiscard]] std::shared_ptr<const Source> find(std::string_view name) const {
    const auto found = by_name.find(name);
    return found == by_name.end() ? nullptr : found->second;
  }
};

/// The token of a webhook. Its first byte, FF, is in no key that comes over HTTP or in JSON, so no
/// command and no hold can have the same.
[[nodiscard]] std::string event_token(std::string_view source, std::string_view event_id);

/// The key of the command that follows from a webhook: `wh1-` and SHA-256 of source and event id.
[[nodiscard]] std::string command_key(std::string_view source, std::string_view event_id);

/// Who takes webhooks of a source in, and submits what follows.
[[nodiscard]] std::string principal_of(std::string_view source);

/// The arguments of a command, made of a body: an object in canonical JSON. An error is a sentence
/// that quotes nothing of the body.
[[nodiscard]] tl::expected<std::string, std::string> arguments_of(const Source& source,
                                                                  std::string_view body);

}  // namespace holdfast::webhooks

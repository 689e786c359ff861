#pragma once

#include <memory>
#include <string>

#include "load.hpp"
#include "modules/commands/prepare.hpp"

/// Commands to measure with: `free.do` without an effect, `push.do`, which calls a provider behind
/// shield S3, and `pull.do`, which workers do.
namespace holdfast::bench {

inline constexpr std::string_view push_provider = "provider";
inline constexpr std::string_view pull_provider = "workers";

[[nodiscard]] std::shared_ptr<const commands::Registry> registry_for(const std::string& url,
                                                                     std::size_t concurrency_max);

/// The i-th submission of `<entity>.do`; the same one every time.
[[nodiscard]] Call submission_numbered(const std::string& entity, std::uint64_t i);

/// The request that the dispatcher makes of a submission, as near as makes no difference.
[[nodiscard]] std::string request_body(std::uint64_t i);

}  // namespace holdfast::bench

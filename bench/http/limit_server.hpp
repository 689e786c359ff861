#pragma once

#include <cstdint>
#include <string>

namespace holdfast::bench {

/// The limit: reads whole requests and sends a fixed answer of so many bytes, with nothing in
/// between. Prints its port, and serves until it is killed.
[[noreturn]] void serve_limit(std::size_t answer_bytes);

}  // namespace holdfast::bench

#pragma once

#include "base/siphash.hpp"

namespace holdfast {

/// A hashing key made at random when the process starts and told to nobody, so that no caller can
/// look for inputs whose hashes meet. What it hashes must not outlive the process.
[[nodiscard]] const HashKey& process_key();

}  // namespace holdfast

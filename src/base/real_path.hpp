#pragma once

#include <string>

namespace holdfast {

/// The name of the file itself, if this one is a symbolic link to it, there or not; else the name
/// as it was given. What is kept beside a file is found by this, so that every name leads to the
/// same.
[[nodiscard]] std::string behind_links(const std::string& path);

}  // namespace holdfast

#pragma once

#include <string>

namespace holdfast {

/// The name of the file itself, if this one is a symbolic link to it, there or not; else the name
/// as it was given. What is kept beside a file is found by this, so that every name leads to the
/// same.
[[nodiscard]] std::string behind_links(const std::string& path);

/// Makes the names in the folder durable that the file itself is in: what was there before a crash
/// is there after it. False if that failed.
[[nodiscard]] bool sync_folder_of(const std::string& path);

}  // namespace holdfast

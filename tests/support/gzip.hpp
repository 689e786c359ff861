#pragma once

#include <filesystem>
#include <string>
#include <string_view>

/// Files compressed by the program gzip, which every Debian has.
namespace holdfast::test {

/// What the file holds. Throws if there is no such file, or it is damaged.
[[nodiscard]] std::string gunzipped(const std::filesystem::path& file);

/// Makes the file, or replaces it as a whole. The same bytes make the same file.
void write_gzipped(const std::filesystem::path& file, std::string_view bytes);

}  // namespace holdfast::test

#pragma once

#include <string>
#include <string_view>

#include "store/sqlite/file/connection.hpp"
#include "store/store.hpp"

/// What is said of a store's file that cannot be used: what is wrong with it, and what to do.
namespace holdfast::sqlite {

/// What SQLite said of this file, in words.
[[nodiscard]] StoreError describe(const std::string& path, const Fault& fault,
                                  Effect effect = Effect::none);
/// The same of what was found by looking at the file. It had no effect.
[[nodiscard]] StoreError error_about(const std::string& path, std::string_view text);
/// Of a file with a hard link.
[[nodiscard]] StoreError second_name(const std::string& path);

}  // namespace holdfast::sqlite

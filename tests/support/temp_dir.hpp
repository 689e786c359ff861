#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace holdfast::test {

/// A directory of one's own, empty at first, gone with everything in it at the end.
class TempDir {
 public:
  TempDir();
  /// One that a sync costs nothing in, where the machine has that: for tests that are about
  /// something else, and write a lot.
  [[nodiscard]] static TempDir in_memory();
  ~TempDir();
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] std::string file(std::string_view name) const { return path_ / name; }

 private:
  explicit TempDir(const std::filesystem::path& parent);

  std::filesystem::path path_;
};

}  // namespace holdfast::test

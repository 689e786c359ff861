#include "support/temp_dir.hpp"

#include <unistd.h>

#include <cstdlib>

#include "base/assert.hpp"

namespace holdfast::test {

TempDir::TempDir() : TempDir(std::filesystem::temp_directory_path()) {}

TempDir::TempDir(const std::filesystem::path& parent) {
  std::string pattern = parent / "holdfast-test-XXXXXX";
  HOLDFAST_ASSERT(::mkdtemp(pattern.data()) != nullptr);
  path_ = pattern;
}

TempDir TempDir::in_memory() {
  const char* const memory = "/dev/shm";
  return ::access(memory, W_OK) == 0 ? TempDir(memory) : TempDir();
}

TempDir::~TempDir() {
  std::error_code ignored;  // a file another process still has open is no reason to fail
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace holdfast::test

#include "support/temp_dir.hpp"

#include <cstdlib>

#include "base/assert.hpp"

namespace holdfast::test {

TempDir::TempDir() {
  std::string pattern = std::filesystem::temp_directory_path() / "holdfast-test-XXXXXX";
  HOLDFAST_ASSERT(::mkdtemp(pattern.data()) != nullptr);
  path_ = pattern;
}

TempDir::~TempDir() {
  std::error_code ignored;  // a file another process still has open is no reason to fail
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace holdfast::test

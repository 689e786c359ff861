#include "base/real_path.hpp"

#include <filesystem>

namespace holdfast {

std::string behind_links(const std::string& path) {
  constexpr int links_max = 40;  // as many as Linux follows
  std::filesystem::path real = path;
  std::error_code error;
  for (int i = 0; i < links_max && std::filesystem::is_symlink(real, error); ++i) {
    const std::filesystem::path target = std::filesystem::read_symlink(real, error);
    if (error) break;
    real = real.parent_path() / target;  // an absolute target replaces everything before it
  }
  return real.string();
}

}  // namespace holdfast

#include "support/gzip.hpp"

#include <fstream>
#include <stdexcept>

#include "support/command.hpp"

namespace holdfast::test {

namespace fs = std::filesystem;

std::string gunzipped(const fs::path& file) {
  if (!fs::exists(file)) throw std::runtime_error("there is no file " + file.string());
  return output_of("gzip -dc '" + file.string() + "'");
}

void write_gzipped(const fs::path& file, std::string_view bytes) {
  fs::create_directories(file.parent_path());
  const fs::path plain = file.parent_path() / file.stem();
  std::ofstream(plain, std::ios::binary) << bytes;
  (void)output_of("gzip -9nf '" + plain.string() + "'");
}

}  // namespace holdfast::test

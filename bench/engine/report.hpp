#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::bench {

/// Rows for the JSON file, as they are printed.
class Report {
 public:
  void line(std::string_view kind, std::uint64_t records, std::string_view rest) {
    rows_.push_back(fmt::format(R"({{"kind":"{}","records":{}{}}})", kind, records, rest));
  }
  void save(const std::string& path) const {
    std::ofstream out(path);
    out << "[\n";
    for (std::size_t i = 0; i < rows_.size(); ++i)
      out << rows_[i] << (i + 1 < rows_.size() ? ",\n" : "\n");
    out << "]\n";
  }

 private:
  std::vector<std::string> rows_;
};

}  // namespace holdfast::bench

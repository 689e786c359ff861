#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "signatures/verify.hpp"

namespace holdfast::test {

/// The headers of a request, to be looked up as the service does: names in whatever case.
struct HeaderList {
  std::vector<std::pair<std::string, std::string>> headers;

  [[nodiscard]] signatures::HeaderLookup lookup() const {
    return [this](std::string_view name) {
      signatures::Header found;
      for (const auto& [each, value] : headers) {
        if (!same_name(each, name)) continue;
        ++found.count;
        found.value = value;
      }
      return found;
    };
  }

  /// Another value for the header that has this name, or the header, if there was none.
  HeaderList& set(const std::string& name, std::string value) {
    remove(name);
    headers.emplace_back(name, std::move(value));
    return *this;
  }
  HeaderList& remove(std::string_view name) {
    std::erase_if(headers, [&](const auto& each) { return same_name(each.first, name); });
    return *this;
  }

 private:
  static bool same_name(std::string_view left, std::string_view right) {
    return std::equal(left.begin(), left.end(), right.begin(), right.end(), [](char a, char b) {
      const auto lower = [](char c) {
        return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
      };
      return lower(a) == lower(b);
    });
  }
};

}  // namespace holdfast::test

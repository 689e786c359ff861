#pragma once

#include <string>

namespace holdfast::test {

/// Files in PEM.
struct Certificate {
  std::string certificate;
  std::string key;
};

/// A certificate for these names, signed by itself, in two files whose names begin with `path`. It
/// is good from two days ago to `days_left` days from now.
[[nodiscard]] Certificate make_certificate(const std::string& path,
                                           const std::string& names = "DNS:localhost,IP:127.0.0.1",
                                           int days_left = 1);

}  // namespace holdfast::test

#pragma once

#include <string>
#include <string_view>

namespace holdfast::cli {

/// A file that must not be there yet, and is there only once it is whole: until `finish` it has no
/// name where the file system allows that, else one that nobody else has.
class NewFile {
 public:
  explicit NewFile(std::string path) : path_(std::move(path)) {}
  ~NewFile();
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;

  // False once something failed.

  [[nodiscard]] bool open();
  [[nodiscard]] bool write(std::string_view text);
  /// Gives it its name, durably, unless somebody else has taken that meanwhile.
  [[nodiscard]] bool finish();

  /// A sentence that names the file; empty: nothing failed.
  [[nodiscard]] const std::string& failure() const { return failure_; }

 private:
  [[nodiscard]] bool flush();
  [[nodiscard]] bool give_name();
  bool failed(std::string_view what);

  const std::string path_;
  std::string part_;  // its name until it is whole, if it needs one
  int fd_ = -1;
  std::string buffer_;
  std::string failure_;
};

}  // namespace holdfast::cli

#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace holdfast::effects {

/// What must not be recorded, though a provider may repeat it: values of secrets. One that is a
/// whole value of a JSON text is found however short it is; within other text, one of four bytes
/// or more.
class Redaction {
 public:
  /// A secret as text.
  void add_text(std::string secret);
  /// A secret as JSON: a text, a number, or a whole object.
  void add_json(std::string_view secret);

  /// `"[secret]"` in the place of every secret. `json` is canonical, and so is what is returned.
  [[nodiscard]] std::string in_json(std::string_view json) const;
  [[nodiscard]] std::string in_text(std::string text) const;

 private:
  std::vector<std::string> texts_;   ///< as they read
  std::vector<std::string> values_;  ///< as canonical JSON
};

}  // namespace holdfast::effects

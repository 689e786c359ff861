#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/siphash.hpp"

/// Values that the registry marks as secret. In rows and records they are sealed: encrypted with a
/// key of the store's, which no export and no view has. Only a dispatcher or worker that is to act
/// gets them in clear.
namespace holdfast::commands {

/// What seals: made of the store's own secret.
class Sealer {
 public:
  explicit Sealer(const HashKey& store_secret);

  /// `{"$sealed":"…"}`: AES-256-GCM of a value's text, bound to `scope`. The same value in the same
  /// scope gives the same text, so that deciding anew decides the same.
  [[nodiscard]] std::string seal(std::string_view value, std::string_view scope) const;
  /// The value; nothing if it was altered, or sealed with another key or in another scope.
  [[nodiscard]] std::optional<std::string> open(std::string_view sealed,
                                                std::string_view scope) const;

 private:
  std::string key_;
};

/// Seals the values at these JSON pointers of a canonical document.
[[nodiscard]] std::string seal_all(std::string_view json, const std::vector<std::string>& pointers,
                                   const Sealer& sealer, std::string_view scope);
/// The document with everything sealed in it in clear again; nothing if something cannot be opened.
[[nodiscard]] std::optional<std::string> open_all(std::string_view json, const Sealer& sealer,
                                                  std::string_view scope);
/// The document as everybody may see it: `"[secret]"` where something is sealed.
[[nodiscard]] std::string without_secrets(std::string_view json);

}  // namespace holdfast::commands

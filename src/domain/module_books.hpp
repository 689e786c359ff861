#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "domain/record.hpp"

namespace holdfast {

/// An invariant in words, under a name that never changes.
struct InvariantRow {
  std::string_view id;
  std::string_view statement;
};

/// What a module's books find.
class ModuleFindings {
 public:
  virtual ~ModuleFindings() = default;
  /// One check of the invariant at that place of the module's table. `text` is called only when it
  /// fails.
  virtual void check(std::size_t invariant, bool good, const Record& record,
                     const std::function<std::string()>& text) = 0;
};

/// The judge of a module's records. It keeps books of its own, from what the records say, and
/// shares nothing with what decides and applies them.
class ModuleBooks {
 public:
  virtual ~ModuleBooks() = default;
  /// Is shown every record of the module's kinds in order, however wrong it is, and must not fail.
  virtual void see(const Record& record, ModuleFindings& findings) = 0;
};

}  // namespace holdfast

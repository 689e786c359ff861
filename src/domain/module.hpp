#pragma once

#include <span>

#include "domain/kind.hpp"
#include "domain/operation.hpp"

namespace holdfast {

/// A kind of thing that Holdfast keeps, with everything that can be done to it.
struct Module {
  std::string_view name;
  std::span<const OperationSpec> operations;
  std::span<const KindRow> kinds;
  /// Appends the records of what the clock alone makes due, of those that were loaded as due.
  void (*sweep)(const WorkingSet& rows, std::span<const std::uint64_t> due, Draft& draft);
};

/// All of them, in order. The list is in `modules/modules.cpp`.
[[nodiscard]] std::span<const Module* const> modules();

}  // namespace holdfast

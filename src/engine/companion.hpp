#pragma once

#include <string>
#include <tl/expected.hpp>

#include "engine/service.hpp"

namespace holdfast {

/// Works beside a store that is open, through its service: see `Options::companion`.
class Companion {
 public:
  virtual ~Companion() = default;
  /// As `ServiceOptions::prepare`; before `begin` it is not called.
  virtual void prepare(Call& call) = 0;
  /// As `ServiceOptions::on_batch`; before `begin`, too.
  virtual void note(const BatchReport& batch) = 0;
  /// The store is open. The error says why it cannot work with it.
  [[nodiscard]] virtual tl::expected<void, std::string> begin(Service& service) = 0;
  /// The store is about to be closed. Afterwards the service is not used.
  virtual void end() = 0;
};

}  // namespace holdfast

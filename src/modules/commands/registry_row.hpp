#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "domain/module_rows.hpp"

/// Which registry is in force, as the journal says: one row for the whole store.
namespace holdfast::commands {

struct RegistryRow {
  static constexpr RowSpace space{2004};
  /// It is nobody's: every tenant has the same registry.
  static constexpr std::string_view tenant_of_all{};
  static constexpr std::string_view only_key = "registry";

  std::string digest;      ///< SHA-256 of what is published
  std::string previous{};  ///< of the one before; empty: there was none
  Instant at{};            ///< when it was adopted

  void write(JsonWriter& json) const;
  [[nodiscard]] static std::optional<RegistryRow> read(std::string_view json);
  [[nodiscard]] RowIndex index(std::string_view key) const;
};

/// The token of an adoption. Several nodes that adopt the same registry after the same one have the
/// same token, and so make one record; to go back and forth makes one each time.
[[nodiscard]] std::string adoption_token(const std::optional<RegistryRow>& before,
                                         std::string_view digest);

}  // namespace holdfast::commands

#pragma once

#include <optional>

#include "domain/kind.hpp"
#include "domain/module_state.hpp"
#include "store/sqlite/state/hold_table.hpp"
#include "store/sqlite/state/name_table.hpp"
#include "store/sqlite/state/token_table.hpp"

namespace holdfast::sqlite {

/// The state decisions need, in memory: `apply` folded over the journal. Changed only through the
/// primitives of `apply`. Not safe for several threads by itself.
class Resident {
 public:
  explicit Resident(const Rules& rules);

  // The primitives of `apply`.
  void place(const Record& record);
  void resolve(const Record& record);
  void amend(const Record& record);
  void gather(const Record& record);
  void declare(const Record& record);
  void change_rows(const Record& record);
  void bind_token(const Record& record);
  void spend_nonce(const Record& record);

  /// Forgets tokens and nonces past their window: at most so many of each. True if there may be
  /// more.
  bool forget(Instant now, std::size_t limit);

  /// What would make one of the above impossible, in words; for records from a file, which may say
  /// anything. Nothing, for a record that follows from the ones before.
  [[nodiscard]] std::optional<std::string> contradiction(const Record& record) const;

  [[nodiscard]] std::optional<std::string> contradiction_of_hold(const Record& record,
                                                                 StateChange does) const;
  [[nodiscard]] std::optional<std::string> contradiction_of_group(const Record& record) const;

  [[nodiscard]] std::optional<HoldRow> hold(std::uint64_t ordinal) const;
  [[nodiscard]] HoldRow row(const HoldSlot& slot, std::uint64_t ordinal) const;
  [[nodiscard]] std::optional<std::uint32_t> tenant(std::string_view name) const {
    return is_last_tenant(name) ? last_tenant_ : tenants_.find(0, name);
  }
  [[nodiscard]] const ResourceSlot* resource(std::string_view tenant, std::string_view name) const;
  [[nodiscard]] std::string_view resource_name(std::uint32_t number) const {
    return resource_names_.name(number);
  }
  [[nodiscard]] std::uint32_t resource_tenant(std::uint32_t number) const {
    return resource_names_.scope(number);
  }
  [[nodiscard]] std::optional<std::uint32_t> requester(std::string_view tenant,
                                                       std::string_view name) const;
  [[nodiscard]] std::string_view requester_name(std::uint32_t number) const {
    return requester_names_.name(number);
  }

  [[nodiscard]] const HoldTable& holds() const { return holds_; }
  [[nodiscard]] const TokenTable& tokens() const { return tokens_; }
  /// Spent nonces, each with the outcome it was spent with.
  [[nodiscard]] const TokenTable& nonces() const { return nonces_; }
  [[nodiscard]] std::size_t name_bytes() const;
  /// Rows of modules.
  [[nodiscard]] const ModuleStates& rows() const { return rows_; }
  /// The one that the outcome of a token is answered from; null: it is answered from none.
  [[nodiscard]] const ModuleRow* row_spoken_of(const TokenRow& outcome, std::string_view tenant,
                                               std::string_view token) const;
  /// Why a record could not change the rows of its module; empty: all could. Such a record was
  /// altered: the rest of its journal is not to be trusted.
  [[nodiscard]] std::string_view objection() const { return objection_; }

 private:
  std::uint32_t intern_tenant(std::string_view name);
  [[nodiscard]] bool is_last_tenant(std::string_view name) const {
    return last_tenant_ < tenants_.size() && tenants_.name(last_tenant_) == name;
  }

  NameTable tenants_;
  std::uint32_t last_tenant_ = 0;  ///< the one interned last: most often the next one, too
  NameTable resource_names_;
  NameTable requester_names_;
  HoldTable holds_;
  TokenTable tokens_;
  TokenTable nonces_;
  ModuleStates rows_{true};
  std::string_view objection_;
};

}  // namespace holdfast::sqlite

#pragma once

#include <array>
#include <boost/unordered/unordered_flat_map.hpp>
#include <optional>

#include "domain/invariants_holds.hpp"
#include "domain/invariants_windows.hpp"
#include "domain/kind.hpp"

namespace holdfast::audit {

/// The books of tokens and nonces: DP-1 to DP-4, IR-1 to IR-4, IR-7, IR-8 and NG-1.
class TokenBooks {
 public:
  TokenBooks(const Rules& rules, const Names& names, Findings& findings);

  void see(const Record& record);
  /// What was to follow and did not.
  void finish();

  [[nodiscard]] std::size_t tokens() const { return latest_.size(); }

 private:
  /// A record that is the outcome of a token.
  struct Binding {
    std::uint64_t seq = 0;
    std::int64_t at_us = 0;
    std::optional<std::int64_t> ends_us{};  ///< of a token that says itself when it is forgotten
    std::uint64_t digest = 0;
    std::uint64_t principal = 0;
    std::uint64_t hold = 0;  ///< the ordinal it answers with; 0: none
    Operation operation = Operation::none;
    RecordKind kind = RecordKind::rejected;
    Rejection rejection{};  ///< zero: none
    Reason reason = Reason::none;

    [[nodiscard]] bool same_request(const Binding& other) const {
      return operation == other.operation && digest == other.digest && principal == other.principal;
    }
    [[nodiscard]] bool same_answer(const Binding& other) const {
      return kind == other.kind && rejection == other.rejection && reason == other.reason &&
             hold == other.hold;
    }
    [[nodiscard]] bool changes_state() const { return kind != RecordKind::rejected; }
  };

  /// An older binding of a token that was recorded again since.
  struct Superseded {
    Hash128 token;
    Binding binding;
  };

  [[nodiscard]] Binding binding_of(const Record& record) const;
  [[nodiscard]] bool within_window(const Binding& binding, std::int64_t at_us) const {
    if (binding.ends_us) return at_us < *binding.ends_us;
    return windows_.within(binding.operation, binding.at_us, at_us);
  }

  void check_parts(const Record& record, const KindRow& kind);
  void expect_parts_to_end(const Record& record, bool good);
  void outcome(const Record& record);
  void bind_again(const Record& record, const Binding& first, const Binding& second);
  void check_nonce(const Record& record);
  void repeat(const Record& record);
  void check_no_effect(const Record& record);
  void check_reference(const Record& record, const Binding& first);
  [[nodiscard]] const Binding* find(const Hash128& token, std::uint64_t seq) const;

  std::uint64_t awaited_ = 0;  ///< the outcome that the parts seen last belong to; 0: none
  Hash128 awaited_token_{};
  Record last_part_;
  const Names& names_;
  Findings& findings_;
  WindowBooks windows_;
  boost::unordered_flat_map<Hash128, Binding, HashOfHash> latest_;
  boost::unordered_flat_map<std::uint64_t, Superseded> superseded_;  // by sequence number

  /// A record that spent a nonce.
  struct Spending {
    std::uint64_t tenant = 0;
    Binding binding;
  };
  boost::unordered_flat_map<Hash128, Binding, HashOfHash> nonces_;
  boost::unordered_flat_map<std::uint64_t, Spending> spendings_;  // by sequence number
};

}  // namespace holdfast::audit

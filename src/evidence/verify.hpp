#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "domain/invariants.hpp"
#include "domain/record_layout.hpp"
#include "evidence/head.hpp"

/// Checks what somebody else exported, with nothing but the public key: that it is what was signed,
/// that nothing is missing, and that it keeps every invariant.
namespace holdfast::evidence {

/// What is wrong, with the first record that shows it. If any of several may be the one, they are
/// `seq` to `last_seq`.
struct Defect {
  std::uint64_t seq = 0;
  std::uint64_t last_seq = 0;
  std::string text;
};

struct Verification {
  std::uint64_t records = 0;
  std::uint64_t hidden = 0;  ///< of them, another tenant's: only their hashes are there
  std::uint64_t heads = 0;   ///< signatures that were checked, published ones included
  SignedHead head{};         ///< the last one
  std::optional<Defect> defect{};
  /// What the records say. Only if they are all there and are what was signed.
  std::optional<AuditReport> audit{};

  [[nodiscard]] bool holds() const { return !defect && (!audit || audit->clean()); }
};

/// Shown an export line by line. Lines may be anything.
class Verifier {
 public:
  /// `published` are heads that were kept from before: what is exported must agree with them.
  Verifier(const PublicKey& key, std::vector<SignedHead> published);
  ~Verifier();
  Verifier(const Verifier&) = delete;
  Verifier& operator=(const Verifier&) = delete;

  /// False once there is a defect: what follows does not matter.
  bool line(std::string_view text);
  [[nodiscard]] Verification finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// A longer line is no line of an export: the longest detail there can be, and what is around it.
inline constexpr std::size_t line_bytes_max = layout::detail_bytes_max + (std::size_t{1} << 20U);

}  // namespace holdfast::evidence

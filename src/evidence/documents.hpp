#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "evidence/head.hpp"
#include "evidence/merkle.hpp"

/// What the service answers, and how whoever gets it checks it: a head, perhaps with what leads to
/// it from an earlier one, and a record with what leads from it to a head.
namespace holdfast::evidence {

struct Extension {
  SignedHead head{};
  std::uint64_t since = 0;  ///< the size of the earlier head
  Path path{};
};

struct Proof {
  SignedHead head{};
  std::string leaf{};  ///< JSON
  Digest leaf_hash{};
  std::uint64_t seq = 0;
  Path path{};
};

// As JSON, by RFC 8785.

[[nodiscard]] std::string document(const SignedHead& head);
[[nodiscard]] std::string document(const Extension& extension);
[[nodiscard]] std::string document(const Proof& proof);

struct DocumentVerdict {
  SignedHead head{};
  std::optional<std::uint64_t> proved{};   ///< the record
  std::string leaf{};                      ///< what it says
  std::optional<std::uint64_t> extends{};  ///< the size of the earlier head
  std::string defect{};                    ///< empty: it holds
};

/// Checks a document, which may be anything. `published` are heads that were kept from before: a
/// proof must lead to each of them, a head continue them.
[[nodiscard]] DocumentVerdict verify_document(std::string_view text, const PublicKey& key,
                                              const std::vector<SignedHead>& published);

/// The head of any document, or of a line of an export.
[[nodiscard]] tl::expected<SignedHead, std::string> head_from(std::string_view text);

/// Why a head is not to be believed; empty: it is.
[[nodiscard]] std::string head_defect(const SignedHead& head, const PublicKey& key);

}  // namespace holdfast::evidence

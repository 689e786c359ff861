#pragma once

#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "signatures/verify.hpp"

/// What the headers of a webhook say, before any of it is believed.
namespace holdfast::signatures {

/// A signature as bytes, and what it would have to be checked with.
struct Candidate {
  Secret::Kind made_with = Secret::Kind::shared;
  std::string bytes;
};

struct Statement {
  std::string event_id;      ///< empty: it is in the body, at `pointer`
  std::string_view pointer;  ///< the scheme's
  std::optional<Instant> timestamp;
  Hash hash = Hash::sha256;
  Content content;
  std::vector<Candidate> signatures;  ///< may be none that we can check
};

/// Looks at the shape of headers only.
[[nodiscard]] tl::expected<Statement, Refusal> read_statement(const Scheme& scheme,
                                                              const HeaderLookup& headers,
                                                              std::string_view body);

/// Whether this can be the id of an event: 1 to 256 printable ASCII characters, no space.
[[nodiscard]] bool is_event_id(std::string_view text);
/// The same without a dot: what Standard Webhooks can sign.
[[nodiscard]] bool is_standard_id(std::string_view text);

}  // namespace holdfast::signatures

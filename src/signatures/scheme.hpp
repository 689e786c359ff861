#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <variant>

#include "signatures/mac.hpp"
#include "signatures/secret.hpp"

/// How senders of webhooks sign. For each scheme: what the signature covers, where the id of the
/// event is, and what a thief can do who has one genuine webhook but no secret.
namespace holdfast::signatures {

/// The id is the text or whole number at this RFC 6901 pointer into the body. The signature covers
/// it. The number 5 and the text "5" are one id.
struct IdInBody {
  std::string pointer = "/id";
};
/// The id is this header. No signature covers it: a thief can send the same body again under
/// another id, which no table of seen ids finds.
struct IdInHeader {
  std::string name;
};
using IdPlace = std::variant<IdInBody, IdInHeader>;

/// Standard Webhooks: `webhook-id`, `webhook-timestamp`, `webhook-signature`. The content is
/// `id.timestamp.body`; a signature is `v1,` and the base64 of an HMAC-SHA256, or `v1a,` and that
/// of an Ed25519 signature; several stand in one header, one space between them. Other versions are
/// passed over. The signature covers id, time and body. An id has no dot, so that the content can
/// be taken apart in one way only.
struct Standard {};

/// `t=<seconds>,v1=<hex>` in one header, as Stripe has it. The content is `t.body`; v1 is an
/// HMAC-SHA256 in lower case and may stand several times; other names are passed over. The
/// signature covers time and body, and the id if it is in the body.
struct Timestamped {
  std::string header = "Stripe-Signature";
  IdPlace event_id = IdInBody{};
};

/// `X-Hub-Signature-256: sha256=<hex>`, HMAC-SHA256 in lower case; the id is `X-GitHub-Delivery`.
/// The signature covers the body and nothing else. There is no time stamp: a webhook of any age is
/// accepted, and so is the same body under another id. Who needs more must find it in the body.
struct Github {};

enum class Encoding : std::uint8_t { hex, base64 };

/// An HMAC in a header, behind a prefix if there is one. Digits of hex are in either case. With a
/// time stamp, which is in seconds, the content is `timestamp.body` and the signature covers both;
/// without one it is the body, and a webhook of any age is accepted. The id is covered if it is in
/// the body.
struct Hmac {
  std::string header;
  Hash hash = Hash::sha256;
  Encoding encoding = Encoding::hex;
  std::string prefix;  ///< `sha256=`, say; must be there, exactly so
  std::optional<std::string> timestamp_header;
  IdPlace event_id = IdInBody{};
};

using Scheme = std::variant<Standard, Timestamped, Github, Hmac>;

/// Whether the signature covers the event id: whether an id that was seen cannot come again in the
/// disguise of another.
[[nodiscard]] bool covers_event_id(const Scheme& scheme);
/// Whether the signature covers a time, so that old webhooks are refused.
[[nodiscard]] bool covers_time(const Scheme& scheme);

/// What is wrong with how a scheme was set: a name that no header can have, a pointer that is none,
/// a prefix or a name too long. Empty: nothing. Ask when settings are read; `verify` does not look.
[[nodiscard]] std::string mistake_in(const Scheme& scheme);

/// A secret in the form that the senders of this scheme use: `Secret::standard` for `Standard`,
/// else `Secret::plain`.
[[nodiscard]] tl::expected<Secret, std::string> secret_for(const Scheme& scheme,
                                                           std::string_view text);

}  // namespace holdfast::signatures

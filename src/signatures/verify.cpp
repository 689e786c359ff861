#include "signatures/verify.hpp"

#include "base/json_pointer.hpp"
#include "signatures/statement.hpp"

namespace holdfast::signatures {
namespace {

tl::unexpected<Refusal> refuse(Reason reason, std::string text) {
  return tl::unexpected(Refusal{reason, std::move(text)});
}

/// Every signature is tried, whether or not one before it fits.
bool fits(const Secret& secret, const Statement& statement) {
  const bool shared = secret.kind() == Secret::Kind::shared;
  const std::string code = shared ? hmac(statement.hash, secret.bytes(), statement.content) : "";
  bool fits = false;
  for (const Candidate& each : statement.signatures) {
    if (each.made_with != secret.kind()) continue;
    const bool this_one = shared ? same_bytes(code, each.bytes)
                                 : ed25519_fits(secret.bytes(), statement.content, each.bytes);
    fits = fits || this_one;
  }
  return fits;
}

std::optional<std::size_t> first_that_fits(std::span<const Secret> secrets,
                                           const Statement& statement) {
  std::optional<std::size_t> first;
  for (std::size_t i = 0; i < secrets.size(); ++i) {
    if (fits(secrets[i], statement) && !first) first = i;
  }
  return first;
}

/// How far apart two instants are, also where the difference has no room in a Duration.
std::uint64_t microseconds_between(Instant earlier, Instant later) {
  return static_cast<std::uint64_t>(later.time_since_epoch().count()) -
         static_cast<std::uint64_t>(earlier.time_since_epoch().count());
}

std::optional<Refusal> untimely(Instant timestamp, Instant now, Duration tolerance) {
  const auto most = static_cast<std::uint64_t>(tolerance.count());
  if (timestamp < now && microseconds_between(timestamp, now) > most)
    return Refusal{Reason::stale, "it was signed longer ago than is tolerated"};
  if (timestamp > now && microseconds_between(now, timestamp) > most)
    return Refusal{Reason::from_the_future, "it was signed later than now by more than tolerated"};
  return std::nullopt;
}

}  // namespace

tl::expected<Verified, Refusal> verify(const Scheme& scheme, std::span<const Secret> secrets,
                                       const HeaderLookup& headers, std::string_view body,
                                       Instant now, Duration tolerance) {
  auto statement = read_statement(scheme, headers, body);
  if (!statement) return tl::unexpected(std::move(statement.error()));
  const auto key = first_that_fits(secrets, *statement);
  if (!key) return refuse(Reason::forged, "no signature fits a secret");
  if (statement->timestamp) {
    if (auto wrong = untimely(*statement->timestamp, now, tolerance))
      return tl::unexpected(std::move(*wrong));
  }
  Verified verified{std::move(statement->event_id), statement->timestamp, *key};
  if (!verified.event_id.empty()) return verified;
  auto id = scalar_at(body, statement->pointer);
  if (!id || !is_event_id(*id))
    return refuse(Reason::malformed,
                  "the body has no event id at " + std::string(statement->pointer) +
                      ": one text of printable ASCII, or one whole number, is wanted there");
  verified.event_id = std::move(*id);
  return verified;
}

}  // namespace holdfast::signatures

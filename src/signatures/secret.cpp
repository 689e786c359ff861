#include "signatures/secret.hpp"

#include <array>
#include <span>

#include "base/assert.hpp"
#include "signatures/base64.hpp"

namespace holdfast::signatures {
namespace {

constexpr std::string_view shared_prefix = "whsec_";
constexpr std::string_view public_prefix = "whpk_";
constexpr std::size_t public_key_bytes = 32;

}  // namespace

tl::expected<Secret, std::string> Secret::standard(std::string_view text) {
  const bool shared = text.starts_with(shared_prefix);
  if (!shared && !text.starts_with(public_prefix))
    return tl::unexpected<std::string>("a secret begins with whsec_, a public key with whpk_");
  auto bytes = from_base64(text.substr((shared ? shared_prefix : public_prefix).size()));
  if (!bytes)
    return tl::unexpected<std::string>("behind whsec_ or whpk_ stands base64, with its padding");
  if (shared && (bytes->size() < standard_bytes_min || bytes->size() > standard_bytes_max))
    return tl::unexpected<std::string>("behind whsec_ are 24 to 64 bytes");
  if (!shared && bytes->size() != public_key_bytes)
    return tl::unexpected<std::string>("behind whpk_ are 32 bytes");
  return Secret(shared ? Kind::shared : Kind::public_key, std::move(*bytes));
}

tl::expected<Secret, std::string> Secret::plain(std::string_view text) {
  if (text.empty() || text.size() > plain_bytes_max)
    return tl::unexpected<std::string>("a secret has 1 to 1024 bytes");
  return Secret(Kind::shared, std::string(text));
}

Secret Secret::fresh(Random& random, std::size_t bytes) {
  HOLDFAST_ASSERT(bytes >= standard_bytes_min && bytes <= standard_bytes_max);
  std::array<std::uint8_t, standard_bytes_max> drawn{};
  random.fill(std::span(drawn).first(bytes));
  return {Kind::shared, std::string(reinterpret_cast<const char*>(drawn.data()), bytes)};
}

std::string Secret::text() const {
  const std::string_view prefix = kind_ == Kind::shared ? shared_prefix : public_prefix;
  return std::string(prefix) + to_base64(bytes_);
}

}  // namespace holdfast::signatures

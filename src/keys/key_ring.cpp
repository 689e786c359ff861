#include <fmt/format.h>
#include <openssl/crypto.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

#include "base/whole_file.hpp"
#include "domain/digest.hpp"
#include "keys/key_text.hpp"
#include "keys/keys.hpp"

namespace holdfast::http {
namespace {

struct Credential {
  std::string_view id;
  std::string_view secret;
};

/// `hf_<12 digits>_<64 digits>`. That the digits are hexadecimal need not be looked at: only those
/// that are can be found.
std::optional<Credential> parse_credential(std::string_view text) {
  constexpr std::size_t id_at = 3;
  constexpr std::size_t id_size = 12;
  constexpr std::size_t secret_at = id_at + id_size + 1;
  constexpr std::size_t secret_size = 64;
  if (text.size() != secret_at + secret_size) return std::nullopt;
  if (!text.starts_with("hf_") || text[secret_at - 1] != '_') return std::nullopt;
  return Credential{text.substr(id_at, id_size), text.substr(secret_at)};
}

struct KeyInForce {
  std::string id;
  Digest secret;
  Identity identity;
};

/// Sorted by id, without those that were revoked.
std::vector<KeyInForce> keys_in_force(std::vector<Key> keys) {
  std::vector<KeyInForce> in_force;
  for (Key& key : keys) {
    const auto secret = Digest::from_hex(key.secret_sha256);
    if (key.revoked_at || !secret) continue;
    in_force.push_back({.id = std::move(key.id),
                        .secret = *secret,
                        .identity = {.caller = {.tenant = std::move(key.tenant),
                                                .principal = std::move(key.principal)},
                                     .role = key.role,
                                     .keyed = true}});
  }
  std::sort(in_force.begin(), in_force.end(),
            [](const KeyInForce& a, const KeyInForce& b) { return a.id < b.id; });
  return in_force;
}

}  // namespace

struct KeyRing::Impl {
  std::string path;
  bool required = false;
  std::vector<KeyInForce> keys{};
  /// Of what `keys` came from; unset: look again. A version of the file cannot be mistaken for an
  /// earlier one with the same inode and clock tick: writers only ever make the file longer.
  std::optional<FileStamp> seen{};
  std::string trouble{};
  bool once = false;    ///< somebody has asked for one look only
  bool looked = false;  ///< and has had it: what is there was read, or nothing is there

  void look() {
    if (once && looked) return;
    struct stat status {};
    if (::stat(path.c_str(), &status) != 0) return lose(errno);
    required = true;
    if (seen != FileStamp(status)) load();
    looked = seen.has_value();
  }

  void lose(int error) {
    seen.reset();
    keys.clear();
    const bool missing = error == ENOENT || error == ENOTDIR;
    looked = missing;
    required = required || !missing;
    if (!required) return;
    trouble = fmt::format("cannot read {}: {}", path, std::generic_category().message(error));
  }

  void load() {
    seen.reset();
    keys.clear();
    auto file = read_whole_file(path, key_file_bytes_max);
    if (!file || !*file) {  // tried again at the next use: it may be a passing shortage
      trouble = file ? path + " is gone" : file.error();
      return;
    }
    seen = (*file)->stamp;
    auto parsed = parse_keys((*file)->text);
    trouble = parsed ? std::string() : fmt::format("{} {}", path, parsed.error());
    if (parsed) keys = keys_in_force(std::move(*parsed));
  }

  [[nodiscard]] const KeyInForce* find(std::string_view id) const {
    const auto found = std::lower_bound(
        keys.begin(), keys.end(), id,
        [](const KeyInForce& key, std::string_view wanted) { return key.id < wanted; });
    return found != keys.end() && found->id == id ? &*found : nullptr;
  }
};

KeyRing::KeyRing(std::string path) : impl_(std::make_unique<Impl>(Impl{.path = std::move(path)})) {}
KeyRing::~KeyRing() = default;

KeyRing::OneLook::OneLook(KeyRing& keys) : keys_(keys) {
  keys_.impl_->once = true;
  keys_.impl_->looked = false;
}
KeyRing::OneLook::~OneLook() { keys_.impl_->once = false; }

bool KeyRing::required() {
  impl_->look();
  return impl_->required;
}

std::optional<Identity> KeyRing::identify(std::string_view text) {
  impl_->look();
  const auto credential = parse_credential(text);
  if (!credential) return std::nullopt;
  // An unknown id takes the same work as a wrong secret, so that time does not tell which ids are.
  static constexpr Digest nobody{};
  const KeyInForce* key = impl_->find(credential->id);
  const Digest& wanted = key != nullptr ? key->secret : nobody;
  const Digest given = sha256(credential->secret);
  const bool same = CRYPTO_memcmp(given.bytes.data(), wanted.bytes.data(), given.bytes.size()) == 0;
  if (key == nullptr || !same) return std::nullopt;
  return key->identity;
}

bool KeyRing::can_be_key(std::string_view credential) {
  return parse_credential(credential).has_value();
}

const std::string& KeyRing::trouble() const { return impl_->trouble; }

}  // namespace holdfast::http

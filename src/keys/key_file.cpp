#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/real_path.hpp"
#include "base/utf8.hpp"
#include "base/whole_file.hpp"
#include "domain/digest.hpp"
#include "keys/key_text.hpp"
#include "keys/keys.hpp"
#include "store/open.hpp"

namespace holdfast::http {
namespace {

struct RoleName {
  Role role;
  std::string_view name;
};
constexpr std::array role_names{RoleName{Role::operator_role, "operator"},
                                RoleName{Role::client, "client"},
                                RoleName{Role::auditor, "auditor"}};

std::string random_hex(Random& random, std::size_t bytes_count) {
  std::array<std::uint8_t, 32> bytes{};
  const std::span<std::uint8_t> used = std::span(bytes).first(bytes_count);
  random.fill(used);
  std::string text;
  for (const std::uint8_t byte : used) text += fmt::format("{:02x}", byte);
  return text;
}

auto find(std::vector<Key>& keys, std::string_view id) {
  return std::find_if(keys.begin(), keys.end(), [&](const Key& key) { return key.id == id; });
}

}  // namespace

std::string_view name(Role role) {
  for (const RoleName& each : role_names) {
    if (each.role == role) return each.name;
  }
  return "";
}

std::optional<Role> role_named(std::string_view wanted) {
  for (const RoleName& each : role_names) {
    if (each.name == wanted) return each.role;
  }
  return std::nullopt;
}

bool can_be_caller(std::string_view name) {
  return !name.empty() && name.size() <= name_bytes_max &&
         name.find('\0') == std::string_view::npos && is_valid_utf8(name);
}

std::string KeyFile::beside(const std::string& store) {
  if (is_shared(store)) return "holdfast-keys";  // a database has no folder: where the node runs
  return behind_links(store) + "-keys";
}

tl::expected<std::vector<Key>, std::string> KeyFile::read() const {
  auto file = read_whole_file(path_, key_file_bytes_max);
  if (!file) return tl::unexpected(std::move(file.error()));
  if (!*file) return std::vector<Key>();
  auto keys = parse_keys((*file)->text);
  if (!keys) return tl::unexpected(fmt::format("{} {}", path_, keys.error()));
  return keys;
}

tl::expected<KeyFile::Created, std::string> KeyFile::create(std::string tenant,
                                                            std::string principal, Role role,
                                                            Instant now, Random& random) const {
  if (!can_be_caller(tenant) || !can_be_caller(principal)) {
    return tl::unexpected(fmt::format("a {} is UTF-8 text of 1 to {} bytes without a zero byte",
                                      can_be_caller(tenant) ? "principal" : "tenant",
                                      name_bytes_max));
  }
  const auto lock = FileLock::acquire(path_);
  if (!lock) return tl::unexpected(lock.error());
  auto keys = read();
  if (!keys) return tl::unexpected(std::move(keys.error()));
  Key key{.id = random_hex(random, 6),
          .secret_sha256 = {},
          .tenant = std::move(tenant),
          .principal = std::move(principal),
          .role = role,
          .created_at = now};
  while (find(*keys, key.id) != keys->end()) key.id = random_hex(random, 6);
  const std::string secret = random_hex(random, 32);
  key.secret_sha256 = sha256(secret).hex();
  keys->push_back(key);
  const std::string text = text_of_keys(*keys);
  // Only half of the room is for making keys: there must always be enough to revoke them.
  if (text.size() > key_file_bytes_max / 2) {
    return tl::unexpected(fmt::format("{} is full, with {} keys", path_, keys->size() - 1));
  }
  auto written = replace_whole_file(path_, text);
  if (!written) return tl::unexpected(std::move(written.error()));
  return Created{.key = key, .credential = fmt::format("hf_{}_{}", key.id, secret)};
}

tl::expected<Key, std::string> KeyFile::revoke(std::string_view id, Instant now) const {
  const auto lock = FileLock::acquire(path_);
  if (!lock) return tl::unexpected(lock.error());
  auto keys = read();
  if (!keys) return tl::unexpected(std::move(keys.error()));
  const auto key = find(*keys, id);
  if (key == keys->end()) return tl::unexpected(fmt::format("{} has no key {}", path_, id));
  if (!key->revoked_at) key->revoked_at = now;
  // Written even when nothing changed: the revocation before this one may have failed half-way.
  auto written = replace_whole_file(path_, text_of_keys(*keys));
  if (!written) return tl::unexpected(std::move(written.error()));
  return *key;
}

}  // namespace holdfast::http

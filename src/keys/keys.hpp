#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "holdfast/clock.hpp"
#include "holdfast/types.hpp"

/// Who may call. A credential is `hf_<id>_<secret>`; what is kept of it is the SHA-256 of the
/// secret, in a small file beside the store that is only ever replaced as a whole.
namespace holdfast::http {

/// What a key's holder may do. Everybody may read what is its tenant's.
enum class Role : std::uint8_t {
  operator_role,  ///< everything
  client,         ///< place, confirm, release, expire
  auditor,        ///< only look
};

[[nodiscard]] std::string_view name(Role role);  ///< `operator`, `client`, `auditor`
[[nodiscard]] std::optional<Role> role_named(std::string_view wanted);

/// Whether this can be a tenant or a principal: UTF-8 text of 1 to `name_bytes_max` bytes without a
/// zero byte, as the engine asks of callers.
[[nodiscard]] bool can_be_caller(std::string_view name);

struct Key {
  std::string id;             ///< 12 hexadecimal digits
  std::string secret_sha256;  ///< 64 hexadecimal digits
  std::string tenant = "default";
  std::string principal;
  Role role = Role::client;
  Instant created_at{};
  std::optional<Instant> revoked_at{};
};

/// A file of more is refused; keys are made until it is half full, and can be revoked always.
inline constexpr std::size_t key_file_bytes_max = std::size_t{16} << 20U;

/// The file of keys as it is on disk. Reading takes no lock: writers replace the file. Several
/// processes may write at once; each change is whole and durable when it returns.
class KeyFile {
 public:
  explicit KeyFile(std::string path) : path_(std::move(path)) {}

  /// No file: no keys. What cannot be read or makes no sense is an error that says where.
  [[nodiscard]] tl::expected<std::vector<Key>, std::string> read() const;
  /// Makes a key and returns its credential, which is shown once and never again. After an error
  /// there is no new key that anybody could use.
  struct Created {
    Key key;
    std::string credential;
  };
  [[nodiscard]] tl::expected<Created, std::string> create(std::string tenant, std::string principal,
                                                          Role role, Instant now,
                                                          Random& random) const;
  /// Revokes a key; the one revoked. Revoking again keeps the first instant, and mends a revocation
  /// that failed half-way.
  [[nodiscard]] tl::expected<Key, std::string> revoke(std::string_view id, Instant now) const;

  [[nodiscard]] const std::string& path() const { return path_; }
  /// Where a store's keys are unless somewhere else was said: `<store>-keys`, by the store's own
  /// name when it was given by a link.
  [[nodiscard]] static std::string beside(const std::string& store);

 private:
  std::string path_;
};

/// What authentication gives: the caller and what it may do.
struct Identity {
  Caller caller{};
  Role role = Role::operator_role;
  bool keyed = false;  ///< by a key, not by being on this machine
};

/// The keys in force, for one thread. Looks at the file's stamp before every use, unless told that
/// one look will do, and reads it again when it has changed, so that a revoked key is refused from
/// the moment `revoke` returned. A file that can no longer be read leaves nobody in.
class KeyRing {
 public:
  explicit KeyRing(std::string path);
  ~KeyRing();
  KeyRing(KeyRing&&) = delete;
  KeyRing& operator=(KeyRing&&) = delete;

  /// While one lives, the file is looked at once, with the first use: for requests that have all
  /// been received already. A look that failed does not count.
  class OneLook {
   public:
    explicit OneLook(KeyRing& keys);
    ~OneLook();
    OneLook(const OneLook&) = delete;
    OneLook& operator=(const OneLook&) = delete;

   private:
    KeyRing& keys_;
  };

  /// Whether credentials are needed at all: the file exists. Once needed, always needed.
  [[nodiscard]] bool required();
  /// The identity of `Authorization: Bearer <credential>`; none if it is not a key in force.
  /// Secrets are compared in constant time.
  [[nodiscard]] std::optional<Identity> identify(std::string_view credential);
  /// Whether this has the form of a credential. What has not is none, whatever the file says.
  [[nodiscard]] static bool can_be_key(std::string_view credential);
  /// Why nobody gets in, as of the last use; empty when the file could be read or never was there.
  [[nodiscard]] const std::string& trouble() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace holdfast::http

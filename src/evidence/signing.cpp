#include "evidence/signing.hpp"

#include <fmt/format.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <sys/stat.h>

#include "base/assert.hpp"
#include "base/hex.hpp"
#include "base/real_path.hpp"
#include "base/whole_file.hpp"
#include "store/open.hpp"

namespace holdfast::evidence {
namespace {

constexpr std::size_t key_file_bytes_max = 65'536;

template <std::size_t size>
std::string hex_of(const std::array<std::uint8_t, size>& bytes) {
  return to_hex({reinterpret_cast<const char*>(bytes.data()), size});
}

template <typename T>
std::optional<T> of_hex(std::string_view text) {
  T value;
  return holdfast::from_hex(text, value.bytes) ? std::optional(value) : std::nullopt;
}

struct Free {
  void operator()(BIO* bio) const { BIO_free(bio); }
  void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
  void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
};
using Bio = std::unique_ptr<BIO, Free>;
using Key = std::unique_ptr<EVP_PKEY, Free>;
using Context = std::unique_ptr<EVP_MD_CTX, Free>;

Bio reading(std::string_view text) {
  Bio bio(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
  HOLDFAST_ASSERT(bio != nullptr);
  return bio;
}

std::string written(const Bio& bio) {
  char* data = nullptr;
  const long size = BIO_get_mem_data(bio.get(), &data);
  return {data, static_cast<std::size_t>(size)};
}

Bio writing() {
  Bio bio(BIO_new(BIO_s_mem()));
  HOLDFAST_ASSERT(bio != nullptr);
  return bio;
}

Key key_of(const PublicKey& key) {
  Key made(
      EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, nullptr, key.bytes.data(), key.bytes.size()));
  HOLDFAST_ASSERT(made != nullptr);
  return made;
}

bool raw_public(const EVP_PKEY* key, PublicKey& raw) {
  std::size_t size = raw.bytes.size();
  return EVP_PKEY_get_base_id(key) == EVP_PKEY_ED25519 &&
         EVP_PKEY_get_raw_public_key(key, raw.bytes.data(), &size) == 1 && size == raw.bytes.size();
}

const unsigned char* bytes_of(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

/// Asked for a password, we have none: the terminal is not ours.
int no_password(char* /*buffer*/, int /*size*/, int /*writes*/, void* /*data*/) { return -1; }

}  // namespace

std::string Signature::hex() const { return hex_of(bytes); }
std::optional<Signature> Signature::from_hex(std::string_view text) {
  return of_hex<Signature>(text);
}

std::string PublicKey::hex() const { return hex_of(bytes); }
std::optional<PublicKey> PublicKey::from_hex(std::string_view text) {
  return of_hex<PublicKey>(text);
}

std::string PublicKey::pem() const {
  const Bio bio = writing();
  HOLDFAST_ASSERT(PEM_write_bio_PUBKEY(bio.get(), key_of(*this).get()) == 1);
  return written(bio);
}

std::optional<PublicKey> PublicKey::from_text(std::string_view text) {
  constexpr std::string_view space = " \t\r\n";
  const std::size_t begin = std::min(text.find_first_not_of(space), text.size());
  text.remove_prefix(begin);
  text = text.substr(0, text.find_last_not_of(space) + 1);
  if (!text.starts_with("-----")) {
    std::string digits(text.substr(0, 2 * sizeof(bytes) + 1));
    for (char& each : digits)
      each = each >= 'A' && each <= 'F' ? static_cast<char>(each + 32) : each;
    return from_hex(digits);
  }
  const Key key(PEM_read_bio_PUBKEY(reading(text).get(), nullptr, no_password, nullptr));
  PublicKey raw;
  if (key == nullptr || !raw_public(key.get(), raw)) return std::nullopt;
  return raw;
}

bool PublicKey::verifies(std::string_view message, const Signature& signature) const {
  const Key key = key_of(*this);
  const Context context(EVP_MD_CTX_new());
  HOLDFAST_ASSERT(context != nullptr);
  return EVP_DigestVerifyInit(context.get(), nullptr, nullptr, nullptr, key.get()) == 1 &&
         EVP_DigestVerify(context.get(), signature.bytes.data(), signature.bytes.size(),
                          bytes_of(message), message.size()) == 1;
}

SigningKey::SigningKey(std::shared_ptr<void> key) : key_(std::move(key)) {
  HOLDFAST_ASSERT(raw_public(static_cast<EVP_PKEY*>(key_.get()), public_key_));
}

SigningKey SigningKey::fresh() {
  EVP_PKEY* const key = EVP_PKEY_Q_keygen(nullptr, nullptr, "ED25519");
  HOLDFAST_ASSERT(key != nullptr);
  return SigningKey(
      std::shared_ptr<void>(key, [](void* each) { EVP_PKEY_free(static_cast<EVP_PKEY*>(each)); }));
}

std::optional<SigningKey> SigningKey::from_pem(std::string_view text) {
  Key key(PEM_read_bio_PrivateKey(reading(text).get(), nullptr, no_password, nullptr));
  if (key == nullptr || EVP_PKEY_get_base_id(key.get()) != EVP_PKEY_ED25519) return std::nullopt;
  return SigningKey(std::shared_ptr<void>(
      key.release(), [](void* each) { EVP_PKEY_free(static_cast<EVP_PKEY*>(each)); }));
}

std::string SigningKey::pem() const {
  const Bio bio = writing();
  auto* const key = static_cast<EVP_PKEY*>(key_.get());
  HOLDFAST_ASSERT(
      PEM_write_bio_PKCS8PrivateKey(bio.get(), key, nullptr, nullptr, 0, nullptr, nullptr) == 1);
  return written(bio);
}

Signature SigningKey::sign(std::string_view message) const {
  Signature signature;
  std::size_t size = signature.bytes.size();
  const Context context(EVP_MD_CTX_new());
  auto* const key = static_cast<EVP_PKEY*>(key_.get());
  const bool ok = context != nullptr &&
                  EVP_DigestSignInit(context.get(), nullptr, nullptr, nullptr, key) == 1 &&
                  EVP_DigestSign(context.get(), signature.bytes.data(), &size, bytes_of(message),
                                 message.size()) == 1;
  HOLDFAST_ASSERT(ok && size == signature.bytes.size());
  return signature;
}

tl::expected<std::optional<SigningKey>, std::string> SigningKeyFile::read() const {
  auto file = read_whole_file(path_, key_file_bytes_max);
  if (!file) return tl::unexpected(std::move(file.error()));
  if (!*file) return std::optional<SigningKey>();
  auto key = SigningKey::from_pem((*file)->text);
  if (!key) {
    return tl::unexpected(fmt::format(
        "{} holds no Ed25519 private key, PEM without a password; it is left as it is", path_));
  }
  return key;
}

tl::expected<SigningKey, std::string> SigningKeyFile::read_or_make() const {
  if (auto found = read(); !found || *found) {
    if (!found) return tl::unexpected(std::move(found.error()));
    return std::move(**found);
  }
  const auto lock = FileLock::acquire(path_);
  if (!lock) return tl::unexpected(lock.error());
  auto found = read();  // somebody else may have been faster
  if (!found) return tl::unexpected(std::move(found.error()));
  if (*found) return std::move(**found);
  SigningKey key = SigningKey::fresh();
  if (auto made = replace_whole_file(path_, key.pem()); !made) {
    return tl::unexpected(std::move(made.error()));
  }
  return key;
}

std::string SigningKeyFile::warning() const {
  struct stat status {};
  if (::stat(path_.c_str(), &status) != 0 || (status.st_mode & S_IROTH) == 0) return {};
  return fmt::format(
      "{} is the key that signs evidence, and everybody on this machine can read it: chmod 600",
      path_);
}

std::string SigningKeyFile::beside(const std::string& store) {
  if (is_shared(store)) return "holdfast-evidence-key";  // a database has no folder
  return behind_links(store) + "-evidence-key";
}

}  // namespace holdfast::evidence

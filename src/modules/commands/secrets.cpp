#include "modules/commands/secrets.hpp"

#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <simdjson.h>

#include <algorithm>
#include <array>
#include <functional>
#include <memory>

#include "base/assert.hpp"
#include "base/hex.hpp"
#include "modules/commands/json.hpp"

namespace holdfast::commands {
namespace {

namespace dom = simdjson::dom;

constexpr std::string_view mark = "$sealed";
constexpr std::size_t nonce_bytes = 12;
constexpr std::size_t tag_bytes = 16;

std::string hmac(std::string_view key, std::string_view text) {
  std::array<unsigned char, 32> out{};
  unsigned int size = 0;
  const auto* done =
      HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()),
           reinterpret_cast<const unsigned char*>(text.data()), text.size(), out.data(), &size);
  HOLDFAST_ASSERT(done != nullptr && size == out.size());
  return {reinterpret_cast<const char*>(out.data()), out.size()};
}

struct Freed {
  void operator()(EVP_CIPHER_CTX* context) const { EVP_CIPHER_CTX_free(context); }
};
using Cipher = std::unique_ptr<EVP_CIPHER_CTX, Freed>;

const unsigned char* bytes_of(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

unsigned char* bytes_of(std::string& text) { return reinterpret_cast<unsigned char*>(text.data()); }

/// A value and what is written in its place, found in a document from the outside in.
using Replace = std::function<std::optional<std::string>(const std::string& pointer,
                                                         const dom::element& value)>;

void rewrite(JsonWriter& json, const std::string& pointer, const dom::element& value,
             const Replace& replace) {
  if (const auto other = replace(pointer, value)) return json.raw(*other);
  dom::array array;
  dom::object object;
  if (value.get(array) == simdjson::SUCCESS) {
    std::size_t index = 0;
    json.begin_array();
    for (const dom::element& each : array)
      rewrite(json, pointer + "/" + std::to_string(index++), each, replace);
    return json.end_array();
  }
  if (value.get(object) != simdjson::SUCCESS) return json.raw(canonical_text(value));
  json.begin_object();
  for (const auto& each : object) {
    json.key(each.key);
    rewrite(json, pointer + pointer_step(each.key), each.value, replace);
  }
  json.end_object();
}

std::optional<std::string> rewritten(std::string_view text, const Replace& replace) {
  dom::parser parser;
  dom::element root;
  if (parser.parse(text.data(), text.size()).get(root) != simdjson::SUCCESS) return std::nullopt;
  std::string out;
  JsonWriter json(out);
  rewrite(json, "", root, replace);
  return out;
}

std::optional<std::string_view> sealed_in(const dom::element& value) {
  dom::object object;
  std::string_view sealed;
  if (value.get(object) != simdjson::SUCCESS || object.size() != 1) return std::nullopt;
  if (object[mark].get(sealed) != simdjson::SUCCESS) return std::nullopt;
  return sealed;
}

}  // namespace

Sealer::Sealer(const HashKey& store_secret)
    : key_(hmac({reinterpret_cast<const char*>(store_secret.data()), sizeof store_secret},
                "holdfast sealed values 1")) {}

std::string Sealer::seal(std::string_view value, std::string_view scope) const {
  const std::string bound = std::string(scope) + '\n' + std::string(value);
  std::string out = hmac(key_, bound).substr(0, nonce_bytes);
  const std::string nonce = out;
  out.resize(nonce_bytes + value.size() + tag_bytes);
  const Cipher cipher(EVP_CIPHER_CTX_new());
  int size = 0;
  const bool good =
      EVP_EncryptInit_ex(cipher.get(), EVP_aes_256_gcm(), nullptr, bytes_of(std::string_view(key_)),
                         bytes_of(std::string_view(nonce))) == 1 &&
      EVP_EncryptUpdate(cipher.get(), nullptr, &size, bytes_of(scope),
                        static_cast<int>(scope.size())) == 1 &&
      EVP_EncryptUpdate(cipher.get(), bytes_of(out) + nonce_bytes, &size, bytes_of(value),
                        static_cast<int>(value.size())) == 1 &&
      EVP_EncryptFinal_ex(cipher.get(), bytes_of(out) + nonce_bytes + value.size(), &size) == 1 &&
      EVP_CIPHER_CTX_ctrl(cipher.get(), EVP_CTRL_GCM_GET_TAG, tag_bytes,
                          bytes_of(out) + nonce_bytes + value.size()) == 1;
  HOLDFAST_ASSERT(good);
  return to_hex(out);
}

std::optional<std::string> Sealer::open(std::string_view sealed, std::string_view scope) const {
  if (sealed.size() < 2 * (nonce_bytes + tag_bytes)) return std::nullopt;
  std::string bytes(sealed.size() / 2, '\0');
  if (!from_hex(sealed, bytes)) return std::nullopt;
  const std::size_t length = bytes.size() - nonce_bytes - tag_bytes;
  std::string out(length, '\0');
  const Cipher cipher(EVP_CIPHER_CTX_new());
  int size = 0;
  const bool good =
      EVP_DecryptInit_ex(cipher.get(), EVP_aes_256_gcm(), nullptr, bytes_of(std::string_view(key_)),
                         bytes_of(bytes)) == 1 &&
      EVP_DecryptUpdate(cipher.get(), nullptr, &size, bytes_of(scope),
                        static_cast<int>(scope.size())) == 1 &&
      EVP_DecryptUpdate(cipher.get(), bytes_of(out), &size, bytes_of(bytes) + nonce_bytes,
                        static_cast<int>(length)) == 1 &&
      EVP_CIPHER_CTX_ctrl(cipher.get(), EVP_CTRL_GCM_SET_TAG, tag_bytes,
                          bytes_of(bytes) + nonce_bytes + length) == 1 &&
      EVP_DecryptFinal_ex(cipher.get(), bytes_of(out) + length, &size) == 1;
  return good ? std::optional(std::move(out)) : std::nullopt;
}

std::string seal_all(std::string_view json, const std::vector<std::string>& pointers,
                     const Sealer& sealer, std::string_view scope) {
  const auto secret = [&](const std::string& pointer,
                          const dom::element& value) -> std::optional<std::string> {
    if (std::find(pointers.begin(), pointers.end(), pointer) == pointers.end()) return std::nullopt;
    std::string out;
    JsonWriter sealed(out);
    sealed.begin_object();
    text_member(sealed, mark, sealer.seal(canonical_text(value), scope));
    sealed.end_object();
    return out;
  };
  if (pointers.empty()) return std::string(json);
  return rewritten(json, secret).value_or(std::string(json));
}

std::optional<std::string> open_all(std::string_view json, const Sealer& sealer,
                                    std::string_view scope) {
  if (json.find(mark) == std::string_view::npos) return std::string(json);
  bool good = true;
  auto clear = rewritten(
      json, [&](const std::string&, const dom::element& value) -> std::optional<std::string> {
        const auto sealed = sealed_in(value);
        if (!sealed) return std::nullopt;
        auto opened = sealer.open(*sealed, scope);
        good = good && opened.has_value();
        return opened.value_or("null");
      });
  return good ? clear : std::nullopt;
}

std::string without_secrets(std::string_view json) {
  if (json.find(mark) == std::string_view::npos) return std::string(json);
  return rewritten(json,
                   [](const std::string&, const dom::element& value) -> std::optional<std::string> {
                     if (!sealed_in(value)) return std::nullopt;
                     return R"("[secret]")";
                   })
      .value_or("null");
}

}  // namespace holdfast::commands

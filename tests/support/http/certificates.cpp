#include "support/http/certificates.hpp"

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <cstdio>
#include <memory>

#include "base/assert.hpp"

namespace holdfast::test {
namespace {

template <typename T, void (*release)(T*)>
struct Release {
  void operator()(T* object) const { release(object); }
};
using Key = std::unique_ptr<EVP_PKEY, Release<EVP_PKEY, EVP_PKEY_free>>;
using Signed = std::unique_ptr<X509, Release<X509, X509_free>>;
using Extension = std::unique_ptr<X509_EXTENSION, Release<X509_EXTENSION, X509_EXTENSION_free>>;

void extend(X509& certificate, int kind, const char* value) {
  X509V3_CTX context;
  X509V3_set_ctx(&context, &certificate, &certificate, nullptr, nullptr, 0);
  const Extension extension(X509V3_EXT_conf_nid(nullptr, &context, kind, value));
  HOLDFAST_ASSERT(X509_add_ext(&certificate, extension.get(), -1) == 1);
}

Signed sign(EVP_PKEY& key, const std::string& names, int days_left) {
  constexpr long day_s = 86'400;
  Signed certificate(X509_new());
  X509_set_version(certificate.get(), X509_VERSION_3);
  ASN1_INTEGER_set(X509_get_serialNumber(certificate.get()), 1);
  X509_gmtime_adj(X509_getm_notBefore(certificate.get()), -2 * day_s);
  X509_gmtime_adj(X509_getm_notAfter(certificate.get()), days_left * day_s);
  X509_set_pubkey(certificate.get(), &key);
  X509_NAME* const name = X509_get_subject_name(certificate.get());
  const std::string text = "localhost";
  X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC,
                             reinterpret_cast<const unsigned char*>(text.c_str()), -1, -1, 0);
  X509_set_issuer_name(certificate.get(), name);
  extend(*certificate, NID_subject_alt_name, names.c_str());
  extend(*certificate, NID_basic_constraints, "critical,CA:TRUE");
  HOLDFAST_ASSERT(X509_sign(certificate.get(), &key, EVP_sha256()) > 0);
  return certificate;
}

template <typename Write>
void write_file(const std::string& path, const Write& write) {
  std::FILE* const file = std::fopen(path.c_str(), "w");
  HOLDFAST_ASSERT(file != nullptr && write(file) == 1);
  std::fclose(file);
}

}  // namespace

Certificate make_certificate(const std::string& path, const std::string& names, int days_left) {
  const Key key(EVP_PKEY_Q_keygen(nullptr, nullptr, "EC", "P-256"));
  const Signed certificate = sign(*key, names, days_left);
  Certificate files{.certificate = path + ".pem", .key = path + ".key"};
  write_file(files.certificate,
             [&](std::FILE* file) { return PEM_write_X509(file, certificate.get()); });
  write_file(files.key, [&](std::FILE* file) {
    return PEM_write_PrivateKey(file, key.get(), nullptr, nullptr, 0, nullptr, nullptr);
  });
  return files;
}

}  // namespace holdfast::test

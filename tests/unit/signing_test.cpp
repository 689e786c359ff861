#include "evidence/signing.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <openssl/evp.h>
#include <sys/stat.h>

#include <fstream>
#include <thread>
#include <vector>

#include "base/hex.hpp"
#include "support/temp_dir.hpp"

namespace holdfast::evidence {
namespace {

using test::TempDir;
using testing::HasSubstr;

struct Vector {
  std::string_view secret, key, message, signature;
};

// RFC 8032, 7.1: tests 1 to 3.
constexpr std::array vectors{
    Vector{"9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
           "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a", "",
           "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e"
           "39701cf9b46bd25bf5f0595bbe24655141438e7a100b"},
    Vector{"4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
           "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c", "72",
           "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f"
           "3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00"},
    Vector{"c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7",
           "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025", "af82",
           "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67"
           "f760984dc6594a7c15e9716ed28dc027beceea1ec40a"}};

std::string bytes_of(std::string_view hex) {
  std::string bytes(hex.size() / 2, '\0');
  EXPECT_TRUE(from_hex(hex, bytes));
  return bytes;
}

/// PKCS #8, as RFC 8410 has it.
std::string pem_of(std::string_view secret) {
  const std::string der = bytes_of("302e020100300506032b657004220420" + std::string(secret));
  std::string text(4 * ((der.size() + 2) / 3) + 1, '\0');
  const int size = EVP_EncodeBlock(reinterpret_cast<unsigned char*>(text.data()),
                                   reinterpret_cast<const unsigned char*>(der.data()),
                                   static_cast<int>(der.size()));
  text.resize(static_cast<std::size_t>(size));
  return "-----BEGIN PRIVATE KEY-----\n" + text + "\n-----END PRIVATE KEY-----\n";
}

TEST(Signing, signs_as_rfc_8032_does) {
  for (const Vector& each : vectors) {
    const auto key = SigningKey::from_pem(pem_of(each.secret));
    ASSERT_TRUE(key);
    EXPECT_EQ(key->public_key().hex(), each.key);
    const std::string message = bytes_of(each.message);
    EXPECT_EQ(key->sign(message).hex(), each.signature);
    EXPECT_TRUE(key->public_key().verifies(message, key->sign(message)));
    EXPECT_FALSE(key->public_key().verifies(message + "x", key->sign(message)));
    Signature forged = key->sign(message);
    forged.bytes[40] ^= 1U;
    EXPECT_FALSE(key->public_key().verifies(message, forged));
    EXPECT_FALSE(SigningKey::fresh().public_key().verifies(message, key->sign(message)));
    EXPECT_EQ(SigningKey::from_pem(key->pem())->public_key(), key->public_key());
  }
}

TEST(Signing, public_keys_are_read_in_both_forms) {
  const PublicKey key = SigningKey::fresh().public_key();
  EXPECT_EQ(PublicKey::from_text(key.pem()), key);
  EXPECT_EQ(PublicKey::from_text(" \n" + key.hex() + "\r\n"), key);
  for (const std::string& wrong :
       {std::string(), std::string(" "), key.hex().substr(1), key.hex() + "0", std::string("-----"),
        SigningKey::fresh().pem(), std::string(64, 'g')})
    EXPECT_FALSE(PublicKey::from_text(wrong)) << wrong;
}

TEST(Signing, a_key_is_made_once_and_only_its_owner_may_read_it) {
  const TempDir folder;
  const SigningKeyFile file(folder.file("store-evidence-key"));
  const auto none = file.read();
  ASSERT_TRUE(none);
  EXPECT_FALSE(*none);
  std::vector<std::optional<PublicKey>> made(8);
  {
    std::vector<std::jthread> threads;
    for (auto& each : made) threads.emplace_back([&] { each = file.read_or_make()->public_key(); });
  }
  for (const auto& each : made) EXPECT_EQ(each, made.front());
  struct stat status {};
  ASSERT_EQ(::stat(file.path().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0600U);
}

TEST(Signing, a_file_that_is_no_key_is_left_alone) {
  const TempDir folder;
  const SigningKeyFile file(folder.file("k"));
  for (const std::string& text :
       {std::string("something else"), SigningKey::fresh().public_key().pem(), std::string()}) {
    std::ofstream(file.path()) << text;
    const auto made = file.read_or_make();
    ASSERT_FALSE(made);
    EXPECT_THAT(made.error(), HasSubstr("no Ed25519 private key"));
    std::ifstream in(file.path());
    EXPECT_EQ(std::string(std::istreambuf_iterator<char>(in), {}), text);
  }
}

}  // namespace
}  // namespace holdfast::evidence

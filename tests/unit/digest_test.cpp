#include "domain/digest.hpp"

#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

namespace holdfast {
namespace {

constexpr std::string_view hex_of_empty =
    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
constexpr std::string_view hex_of_abc =
    "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
constexpr std::string_view hex_of_two_blocks =
    "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1";
constexpr std::string_view hex_of_million_a =
    "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0";

TEST(Sha256, matches_the_fips_180_samples) {
  EXPECT_EQ(sha256("").hex(), hex_of_empty);
  EXPECT_EQ(sha256({}).hex(), hex_of_empty);
  EXPECT_EQ(sha256("abc").hex(), hex_of_abc);
  EXPECT_EQ(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq").hex(),
            hex_of_two_blocks);
  EXPECT_EQ(sha256(std::string(1000000, 'a')).hex(), hex_of_million_a);
}

TEST(Sha256, keeps_no_state_between_calls) {
  const Digest first = sha256("one");
  const Digest other = sha256("two");
  EXPECT_EQ(sha256("one"), first);
  EXPECT_NE(first, other);
}

TEST(Sha256, works_from_many_threads) {
  constexpr int thread_count = 8;
  std::vector<std::jthread> threads;
  threads.reserve(thread_count);
  for (int t = 0; t < thread_count; ++t) {
    threads.emplace_back([t] {
      const std::string own(static_cast<std::size_t>(t), 'x');
      const Digest expected = sha256(own);
      for (int i = 0; i < 500; ++i) {
        EXPECT_EQ(sha256(own), expected);
        EXPECT_EQ(sha256("abc").hex(), hex_of_abc);
      }
    });
  }
}

TEST(Digest, hex_goes_there_and_back) {
  const Digest digest = sha256("abc");
  EXPECT_EQ(Digest::from_hex(digest.hex()), digest);
  EXPECT_EQ(Digest{}.hex(), std::string(64, '0'));
  EXPECT_EQ(Digest::from_hex(std::string(64, '0')), Digest{});
}

TEST(Digest, from_hex_refuses_any_other_spelling) {
  const std::string good(hex_of_abc);
  std::string upper = good;
  upper[0] = 'B';
  std::string not_hex = good;
  not_hex[63] = 'g';
  EXPECT_FALSE(Digest::from_hex(""));
  EXPECT_FALSE(Digest::from_hex(good.substr(1)));
  EXPECT_FALSE(Digest::from_hex(good + "0"));
  EXPECT_FALSE(Digest::from_hex(" " + good.substr(1)));
  EXPECT_FALSE(Digest::from_hex(upper));
  EXPECT_FALSE(Digest::from_hex(not_hex));
}

// Written into every store; this test fails where a change would orphan them.
TEST(Digest, function_name_is_fixed) { EXPECT_EQ(digest_function, "sha256-jcs-v1"); }

}  // namespace
}  // namespace holdfast

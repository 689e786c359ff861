#include "effects/secrets_file.hpp"

#include <gmock/gmock.h>
#include <sys/stat.h>

#include <fstream>

#include "support/temp_dir.hpp"

namespace holdfast::effects {
namespace {

class EffectSecrets : public testing::Test {
 protected:
  void write(const std::string& text) { std::ofstream(path_) << text; }

  const test::TempDir dir_;
  const std::string path_ = dir_.file("secrets");
  SecretsFile file_{path_};
};

TEST_F(EffectSecrets, are_lines_with_a_name_and_a_value) {
  write("# cards\n\nCARD_TOKEN=sk=live \r\nB2=x");
  ASSERT_TRUE(file_.read());
  EXPECT_EQ(file_.find("CARD_TOKEN"), "sk=live ");
  EXPECT_EQ(file_.find("B2"), "x");
  EXPECT_EQ(file_.find("C"), std::nullopt);
}

TEST_F(EffectSecrets, are_taken_as_a_whole_and_errors_name_no_value) {
  write("A=1234");
  ASSERT_TRUE(file_.read());
  const std::string sk = "sk_live";
  for (const std::string& text : {sk, "=" + sk, "A B=" + sk, "A=" + sk + "\nA=" + sk, "A=\x01" + sk,
                                  "A=" + sk + "\nB=", "A=\xFF" + sk}) {
    write(text);
    const auto read = file_.read();
    ASSERT_FALSE(read) << text;
    EXPECT_THAT(read.error(), testing::HasSubstr(path_ + ":"));
    EXPECT_THAT(read.error(), testing::Not(testing::HasSubstr(sk)));
    EXPECT_EQ(file_.find("A"), "1234");
  }
}

TEST_F(EffectSecrets, must_be_there_if_a_file_is_named) {
  EXPECT_FALSE(file_.read());
  EXPECT_TRUE(SecretsFile().read());
}

TEST_F(EffectSecrets, are_better_kept_from_others) {
  write("A=1");
  ASSERT_EQ(::chmod(path_.c_str(), 0644), 0);
  EXPECT_THAT(file_.warning(), testing::HasSubstr("0600"));
  ASSERT_EQ(::chmod(path_.c_str(), 0600), 0);
  EXPECT_EQ(file_.warning(), "");
}

}  // namespace
}  // namespace holdfast::effects

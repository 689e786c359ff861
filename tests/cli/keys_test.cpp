#include "keys/keys.hpp"

#include <fstream>

#include "cli/runner.hpp"

namespace holdfast::test {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::MatchesRegex;
using testing::Not;

class KeysCommand : public CliTest {
 protected:
  [[nodiscard]] Json created(const std::string& principal) const {
    return json({"keys", "create", "--principal", principal});
  }
  [[nodiscard]] http::KeyRing ring() const { return http::KeyRing(store() + "-keys"); }
};

TEST_F(KeysCommand, CreateShowsTheCredentialOnce) {
  const Ran first = run({"keys", "create", "--principal", "web_shop"});
  EXPECT_EQ(first.exit_code, 0) << first.err;
  EXPECT_THAT(first.out, AllOf(HasSubstr("web_shop may now call as a client of tenant default"),
                               HasSubstr("shown this once"), HasSubstr("the first key")));
  const std::string credential = first.out.substr(first.out.find("hf_"), 80);
  EXPECT_THAT(credential, MatchesRegex("hf_[0-9a-f]{12}_[0-9a-f]{64}"));
  const auto identity = ring().identify(credential);
  ASSERT_TRUE(identity);
  EXPECT_EQ(identity->caller, (Caller{.tenant = "default", .principal = "web_shop"}));

  const Ran second = run({"keys", "create", "--principal", "ada"});
  EXPECT_THAT(second.out, Not(HasSubstr("the first key")));
  EXPECT_THAT(run({"keys", "list"}).out, AllOf(HasSubstr("web_shop"), HasSubstr("ada"),
                                               HasSubstr("2 keys in holdfast.db-keys"),
                                               Not(HasSubstr(credential.substr(16)))));
}

TEST_F(KeysCommand, CreateTakesTenantAndRole) {
  const Json json = this->json(
      {"keys", "create", "--principal", "ada", "--role", "operator", "--tenant", "hotel"});
  EXPECT_THAT(json.keys("/answer"), ElementsAre("id", "principal", "tenant", "role", "created_at",
                                                "revoked_at", "credential"));
  EXPECT_EQ(json.number("/status"), 201);
  const auto identity = ring().identify(json.text("/answer/credential"));
  ASSERT_TRUE(identity);
  EXPECT_EQ(identity->caller, (Caller{.tenant = "hotel", .principal = "ada"}));
  EXPECT_EQ(identity->role, http::Role::operator_role);
  EXPECT_EQ(this->json({"keys", "list", "--tenant", "hotel"}).size("/answer/items"), 1U);
  EXPECT_EQ(this->json({"keys", "list", "--tenant", "motel"}).size("/answer/items"), 0U);
}

TEST_F(KeysCommand, RevokedKeysAreListedAsSuch) {
  const Json key = created("web_shop");
  const std::string id = key.text("/answer/id");
  http::KeyRing keys = ring();
  ASSERT_TRUE(keys.identify(key.text("/answer/credential")));
  const Ran ran = run({"keys", "revoke", id});
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("Key " + id + " of web_shop is revoked"));
  EXPECT_FALSE(keys.identify(key.text("/answer/credential")));

  const Json again = json({"keys", "revoke", key.text("/answer/credential")});
  const Json listed = json({"keys", "list"});
  EXPECT_EQ(listed.size("/answer/items"), 1U);
  EXPECT_EQ(listed.text("/answer/items/0/revoked_at"), again.text("/answer/revoked_at"));
  EXPECT_FALSE(listed.has("/answer/items/0/secret_sha256"));
  EXPECT_THAT(run({"keys", "list"}).out, HasSubstr("revoked 20"));
}

TEST_F(KeysCommand, TheFileIsBesideTheStoreOrWhereOneSays) {
  EXPECT_EQ(run({"keys", "create", "--principal", "p", "--store", "rooms.db"}).exit_code, 0);
  EXPECT_EQ(run({"keys", "create", "--principal", "p", "--keys", "elsewhere"}).exit_code, 0);
  EXPECT_TRUE(std::filesystem::exists(folder.file("rooms.db-keys")));
  EXPECT_TRUE(std::filesystem::exists(folder.file("elsewhere")));
  EXPECT_FALSE(std::filesystem::exists(folder.file("rooms.db")));
  EXPECT_THAT(run({"keys", "list"}).out, HasSubstr("0 keys"));
  EXPECT_THAT(run({"keys", "list"}, {.environment = {{"HOLDFAST_KEYS", "elsewhere"}}}).out,
              HasSubstr("1 key in elsewhere"));
}

TEST_F(KeysCommand, MistakesAreExplained) {
  const auto refused = [&](std::vector<std::string> words) {
    words.insert(words.begin(), "keys");
    const Ran ran = run(words);
    EXPECT_EQ(ran.exit_code, 2) << ran.out;
    return ran.err;
  };
  EXPECT_THAT(refused({"create"}), HasSubstr("--principal web_shop"));
  EXPECT_THAT(refused({"create", "--principal", ""}), HasSubstr("cannot have a key"));
  EXPECT_THAT(refused({"create", "--principal", "p", "--role", "god"}),
              HasSubstr("client, operator or auditor"));
  EXPECT_THAT(refused({"create", "x", "--principal", "p"}), HasSubstr("one word too many"));
  EXPECT_THAT(refused({"revoke"}), HasSubstr("which key?"));
  EXPECT_THAT(refused({"creat"}), HasSubstr("create, list or revoke"));
  EXPECT_THAT(refused({}), HasSubstr("ACTION"));
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST_F(KeysCommand, WhatIsNotThereIsNotKnown) {
  EXPECT_EQ(run({"keys", "revoke", "000000000000"}).exit_code, 12);
  const Ran credential = run({"keys", "revoke", "hf_000000000000_" + std::string(64, 'a')});
  EXPECT_EQ(credential.exit_code, 12);
  EXPECT_THAT(credential.err, testing::Not(HasSubstr("aaaa"))) << "it may be somebody's";
  EXPECT_EQ(json({"keys", "revoke", "000000000000"}, 12).text("/answer/code"), "not-known");
}

TEST_F(KeysCommand, AFileThatMakesNoSenseIsLeftAlone) {
  std::ofstream(store() + "-keys") << "precious";
  for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{
           {"keys", "list"}, {"keys", "create", "--principal", "p"}, {"keys", "revoke", "x"}}) {
    const Ran ran = run(words);
    EXPECT_EQ(ran.exit_code, 1);
    EXPECT_THAT(ran.err, HasSubstr("holdfast.db-keys is not a file of keys"));
  }
  std::string text;
  std::getline(std::ifstream(store() + "-keys"), text);
  EXPECT_EQ(text, "precious");
}

TEST_F(KeysCommand, ACredentialThatNobodySawIsTakenBack) {
  for (const RunOptions& lost : {RunOptions{.out_to = "/dev/full"}, RunOptions{.deaf = true}}) {
    const Ran ran = run({"keys", "create", "--principal", "p"}, lost);
    EXPECT_EQ(ran.exit_code, 1);
    EXPECT_THAT(ran.err, AllOf(HasSubstr("was revoked again"), HasSubstr("make another")));
  }
  const Json listed = json({"keys", "list"});
  ASSERT_EQ(listed.size("/answer/items"), 2U);
  EXPECT_NE(listed.text("/answer/items/0/revoked_at"), "");
  EXPECT_NE(listed.text("/answer/items/1/revoked_at"), "");
}

TEST_F(KeysCommand, HelpTeaches) {
  const Ran ran = run({"keys", "--help"});
  EXPECT_EQ(ran.exit_code, 0);
  EXPECT_THAT(ran.out,
              AllOf(HasSubstr("Usage: holdfast keys"), HasSubstr("Examples:\n  holdfast keys"),
                    HasSubstr("--principal NAME"), HasSubstr("--role ROLE")));
}

}  // namespace
}  // namespace holdfast::test

#include "keys/keys.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <set>
#include <sstream>
#include <thread>

#include "domain/digest.hpp"
#include "support/temp_dir.hpp"

namespace holdfast::http {
namespace {

using std::chrono::seconds;
using testing::AllOf;
using testing::HasSubstr;
using testing::MatchesRegex;
using testing::Not;

constexpr Instant noon{seconds(1'700'000'000)};

class Keys : public testing::Test {
 protected:
  KeyFile::Created make(const std::string& principal = "shop", Role role = Role::client) const {
    auto created = file.create("hotel", principal, role, noon, *system_random());
    EXPECT_TRUE(created);
    return created ? *created : KeyFile::Created{};
  }
  void overwrite(const std::string& text) const { std::ofstream(file.path()) << text; }
  [[nodiscard]] std::string text() const {
    std::ostringstream all;
    all << std::ifstream(file.path()).rdbuf();
    return all.str();
  }
  [[nodiscard]] std::string error_for(const std::string& contents) const {
    overwrite(contents);
    const auto keys = file.read();
    return keys ? "" : keys.error();
  }

  test::TempDir folder;
  KeyFile file{KeyFile::beside(folder.file("rooms.db"))};
};

TEST_F(Keys, AreMadeReadAndRecognised) {
  EXPECT_EQ(file.path(), folder.file("rooms.db-keys"));
  EXPECT_TRUE(file.read()->empty());
  const KeyFile::Created created = make("shop", Role::auditor);
  EXPECT_THAT(created.credential, MatchesRegex("hf_[0-9a-f]{12}_[0-9a-f]{64}"));
  const auto keys = file.read();
  ASSERT_TRUE(keys) << keys.error();
  ASSERT_EQ(keys->size(), 1U);
  EXPECT_EQ(keys->front().id, created.credential.substr(3, 12));
  EXPECT_EQ(keys->front().secret_sha256, sha256(created.credential.substr(16)).hex());
  EXPECT_EQ(keys->front().created_at, noon);
  EXPECT_FALSE(keys->front().revoked_at);

  KeyRing ring(file.path());
  const auto identity = ring.identify(created.credential);
  ASSERT_TRUE(identity);
  EXPECT_EQ(identity->caller, (Caller{.tenant = "hotel", .principal = "shop"}));
  EXPECT_EQ(identity->role, Role::auditor);
}

/// A service that does not run as root must be able to read what root made for it.
TEST_F(Keys, RootGivesTheFileToTheOwnerOfTheStore) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give files away";
  std::ofstream(folder.file("rooms.db")) << "";
  ASSERT_EQ(::chown(folder.file("rooms.db").c_str(), 65534, 65533), 0);
  (void)make();
  struct stat status {};
  for (const char* name : {"rooms.db-keys", "rooms.db-keys-lock"}) {
    ASSERT_EQ(::stat(folder.file(name).c_str(), &status), 0);
    EXPECT_EQ(status.st_uid, 65534U) << name;
    EXPECT_EQ(status.st_gid, 65533U) << name;
  }
}

TEST_F(Keys, SecretsAreNotKept) {
  const KeyFile::Created created = make();
  EXPECT_THAT(text(), AllOf(HasSubstr(created.key.id), Not(HasSubstr(created.credential)),
                            Not(HasSubstr(created.credential.substr(16)))));
}

TEST_F(Keys, OnlyTheOwnerMayReadTheFile) {
  const mode_t before = ::umask(0);
  const KeyFile::Created first = make();
  ::chmod(file.path().c_str(), 0666);
  const KeyFile::Created second = make();
  ::umask(before);
  struct stat status {};
  ASSERT_EQ(::stat(file.path().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0600U);
  EXPECT_EQ(file.read()->size(), 2U);
}

TEST_F(Keys, OtherCredentialsAreRefused) {
  const std::string good = make().credential;
  KeyRing ring(file.path());
  ASSERT_TRUE(ring.identify(good));
  for (std::size_t i = 0; i < good.size(); ++i) {
    std::string bad = good;
    bad[i] = bad[i] == '0' ? '1' : '0';
    EXPECT_FALSE(ring.identify(bad)) << bad;
  }
  for (const std::string& bad :
       {std::string(), good + "0", good.substr(0, good.size() - 1), std::string(good.size(), 'f'),
        std::string(good.size(), '\0'), std::string(100'000, 'h')}) {
    EXPECT_FALSE(ring.identify(bad));
  }
  EXPECT_TRUE(ring.identify(good));
}

TEST_F(Keys, ARevokedKeyIsRefusedAtOnce) {
  const KeyFile::Created first = make("first");
  const KeyFile::Created second = make("second");
  KeyRing ring(file.path());
  ASSERT_TRUE(ring.identify(first.credential));
  ASSERT_TRUE(ring.identify(second.credential));
  const auto revoked = file.revoke(first.key.id, noon + seconds(5));
  ASSERT_TRUE(revoked) << revoked.error();
  EXPECT_FALSE(ring.identify(first.credential));
  EXPECT_TRUE(ring.identify(second.credential));

  EXPECT_EQ(file.revoke(first.key.id, noon + seconds(9))->revoked_at, noon + seconds(5));
  EXPECT_EQ(file.read()->front().revoked_at, noon + seconds(5));
  EXPECT_THAT(file.revoke("000000000000", noon).error(), HasSubstr("has no key 000000000000"));
}

TEST_F(Keys, OneLookServesRequestsThatWereThereBeforeIt) {
  const KeyFile::Created created = make();
  KeyRing ring(file.path());
  {
    const KeyRing::OneLook look(ring);
    EXPECT_TRUE(ring.identify(created.credential));
    ASSERT_TRUE(file.revoke(created.key.id, noon));
    EXPECT_TRUE(ring.identify(created.credential)) << "the file was looked at again";
  }
  EXPECT_FALSE(ring.identify(created.credential));
  const std::string other = make("other").credential;
  const KeyRing::OneLook look(ring);
  EXPECT_TRUE(ring.identify(other)) << "the next look sees what has changed";
}

TEST_F(Keys, ALookThatFailedIsNotTheOne) {
  const KeyFile::Created created = make();
  const std::string away = file.path() + "-away";
  std::filesystem::rename(file.path(), away);
  std::filesystem::create_directory(file.path());
  KeyRing ring(file.path());
  const KeyRing::OneLook look(ring);
  EXPECT_FALSE(ring.identify(created.credential));
  std::filesystem::remove(file.path());
  std::filesystem::rename(away, file.path());
  EXPECT_TRUE(ring.identify(created.credential));
}

TEST_F(Keys, NewKeysAreKnownAtOnceHoweverFastTheyCome) {
  KeyRing ring(file.path());
  for (int i = 0; i < 40; ++i) {
    const KeyFile::Created created = make();
    ASSERT_TRUE(ring.identify(created.credential)) << i;
    ASSERT_TRUE(file.revoke(created.key.id, noon));
    ASSERT_FALSE(ring.identify(created.credential)) << i;
  }
}

TEST_F(Keys, AreRequiredFromTheFirstOnForEver) {
  KeyRing ring(file.path());
  EXPECT_FALSE(ring.required());
  const KeyFile::Created created = make();
  EXPECT_TRUE(ring.required());
  EXPECT_TRUE(ring.identify(created.credential));
  ASSERT_EQ(::unlink(file.path().c_str()), 0);
  EXPECT_TRUE(ring.required());
  EXPECT_FALSE(ring.identify(created.credential));
  EXPECT_THAT(ring.trouble(), HasSubstr("No such file"));
}

TEST_F(Keys, AFileThatMakesNoSenseLeavesNobodyIn) {
  const std::string credential = make().credential;
  const std::string good = text();
  KeyRing ring(file.path());
  ASSERT_TRUE(ring.identify(credential));
  for (const std::string& bad :
       {std::string("garbage"), std::string(), good.substr(0, good.size() / 2), good + good}) {
    overwrite(bad);
    EXPECT_FALSE(ring.identify(credential)) << bad;
    EXPECT_TRUE(ring.required());
    EXPECT_THAT(ring.trouble(), HasSubstr(file.path()));
  }
  overwrite(good);
  EXPECT_TRUE(ring.identify(credential));
  EXPECT_EQ(ring.trouble(), "");
}

TEST_F(Keys, ThatCannotBeReadAreRequiredStill) {
  ASSERT_EQ(::symlink(file.path().c_str(), file.path().c_str()), 0);  // leads nowhere, for ever
  KeyRing ring(file.path());
  EXPECT_TRUE(ring.required());
  EXPECT_NE(ring.trouble(), "");
}

TEST_F(Keys, NothingIsWrittenOverWhatIsNotUnderstood) {
  overwrite("precious");
  EXPECT_FALSE(file.create("hotel", "shop", Role::client, noon, *system_random()));
  EXPECT_FALSE(file.revoke("0123456789ab", noon));
  EXPECT_EQ(text(), "precious");
}

TEST_F(Keys, ErrorsSayWhatIsWrongAndWhere) {
  make("first");
  make("second");
  const std::string good = text();
  const auto with = [&](const std::string& old, const std::string& put) {
    std::string changed = good;
    return changed.replace(changed.rfind(old), old.size(), put);
  };
  EXPECT_EQ(error_for(good), "");
  EXPECT_THAT(error_for("[]"), AllOf(HasSubstr(file.path()), HasSubstr("no version")));
  EXPECT_THAT(error_for(with("\"version\":1", "\"version\":2")), HasSubstr("is of version 2"));
  EXPECT_THAT(error_for(with("\"version\":1", "\"version\":1,\"more\":1")),
              HasSubstr("and no more"));
  EXPECT_THAT(error_for(with("\"client\"", "\"god\"")), HasSubstr("key 2 has a \"role\""));
  EXPECT_THAT(error_for(with("\"role\":", "\"rule\":")), HasSubstr("key 2 has a \"rule\""));
  EXPECT_THAT(error_for(with("\"tenant\":\"hotel\",", "")), HasSubstr("key 2 has no \"tenant\""));
  EXPECT_THAT(error_for(with("\"tenant\"", "\"role\":\"client\",\"tenant\"")),
              HasSubstr("is not a file of keys"));
  overwrite(good);
  const std::string first_id = file.read()->front().id;
  const std::string second_id = file.read()->back().id;
  EXPECT_THAT(error_for(with(second_id, first_id)),
              HasSubstr("key 2 has the id " + first_id + " of an earlier one"));
}

TEST_F(Keys, NamesMustBeOnesTheEngineTakes) {
  for (const std::string& bad : {std::string(), std::string("a\0b", 3), std::string("\xff"),
                                 std::string(name_bytes_max + 1, 'x')}) {
    EXPECT_FALSE(file.create("hotel", bad, Role::client, noon, *system_random()));
    EXPECT_FALSE(file.create(bad, "shop", Role::client, noon, *system_random()));
  }
  const KeyFile::Created odd = make("\"quoted\"\n\xE2\x82\xAC");
  KeyRing ring(file.path());
  EXPECT_EQ(ring.identify(odd.credential)->caller.principal, "\"quoted\"\n\xE2\x82\xAC");
}

TEST_F(Keys, TheSameRandomnessMakesOtherIds) {
  const auto first = file.create("t", "p", Role::client, noon, *seeded_random(7));
  const auto second = file.create("t", "p", Role::client, noon, *seeded_random(7));
  ASSERT_TRUE(first && second);
  EXPECT_NE(first->key.id, second->key.id);
}

TEST_F(Keys, ALinkIsFollowedAndStays) {
  const KeyFile real(folder.file("real-keys"));
  ASSERT_TRUE(real.create("t", "p", Role::client, noon, *system_random()));
  ASSERT_EQ(::symlink(real.path().c_str(), file.path().c_str()), 0);
  make();
  EXPECT_EQ(real.read()->size(), 2U);
  struct stat status {};
  ASSERT_EQ(::lstat(file.path().c_str(), &status), 0);
  EXPECT_TRUE(S_ISLNK(status.st_mode));
}

TEST_F(Keys, ThreadsLoseNothing) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int n = 0; n < 10; ++n) make();
    });
  }
  for (std::thread& each : threads) each.join();
  std::set<std::string> ids;
  const auto keys = file.read();
  for (const Key& each : *keys) ids.insert(each.id);
  EXPECT_EQ(ids.size(), 40U);
}

/// Runs `work` in several processes at once; they end with its value.
template <typename Work>
void in_processes(int count, Work work) {
  std::vector<pid_t> children;
  for (int i = 0; i < count; ++i) {
    const pid_t child = ::fork();
    if (child == 0) ::_exit(work() ? 0 : 1);
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = 0;
    ::waitpid(child, &status, 0);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  }
}

TEST_F(Keys, ProcessesLoseNothing) {
  const std::string doomed = make("doomed").key.id;
  in_processes(4, [&] {
    for (int n = 0; n < 10; ++n) {
      if (!file.create("t", "p", Role::client, noon, *system_random())) return false;
    }
    return file.revoke(doomed, noon).has_value();
  });
  EXPECT_EQ(file.read()->size(), 41U);
  EXPECT_TRUE(file.read()->front().revoked_at);
}

TEST_F(Keys, AFullDiskLosesNothing) {
  const std::string credential = make().credential;
  const std::string before = text();
  in_processes(1, [&] {
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{.rlim_cur = before.size() + 10, .rlim_max = before.size() + 10};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    const auto created = file.create("t", "p", Role::client, noon, *system_random());
    return !created && created.error().find("cannot write") != std::string::npos;
  });
  EXPECT_EQ(text(), before);
  EXPECT_TRUE(KeyRing(file.path()).identify(credential));
  EXPECT_NE(::access((file.path() + "-new").c_str(), F_OK), 0);
}

TEST_F(Keys, ALeftoverOfAKilledWriterIsReplaced) {
  std::ofstream(file.path() + "-new") << "half a fi";
  make();
  EXPECT_EQ(file.read()->size(), 1U);
}

TEST_F(Keys, RolesHaveNames) {
  for (const Role role : {Role::operator_role, Role::client, Role::auditor}) {
    EXPECT_EQ(role_named(name(role)), role);
  }
  EXPECT_EQ(name(Role::operator_role), "operator");
  EXPECT_FALSE(role_named("god"));
}

}  // namespace
}  // namespace holdfast::http

#include <fmt/format.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "cli/runner.hpp"
#include "store/sqlite/file/connection.hpp"

namespace holdfast::test {
namespace {

using testing::AllOf;
using testing::AnyOf;
using testing::HasSubstr;
using testing::Not;

class EvidenceCommand : public CliTest {
 protected:
  void make_history() const {
    const std::string id = placed("room");
    json({"confirm", id, "--token", "pay"});
    json({"confirm", id, "--token", "pay"});
    json({"release", placed("other"), "--token", "pay"}, 16);
  }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(folder.file(name), std::ios::binary) << text;
  }
  [[nodiscard]] std::string read(const std::string& name) const {
    std::ifstream in(folder.file(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  void export_all() const {
    write("pub", run({"evidence", "key"}).out);
    const Ran ran = run({"evidence", "export", "--out", "e.jsonl"});
    ASSERT_EQ(ran.exit_code, 0) << ran.err;
  }
  [[nodiscard]] Ran verify(const std::string& file, std::vector<std::string> more = {}) const {
    more.insert(more.begin(), {"evidence", "verify", file, "--public-key", "pub"});
    return run(more);
  }
};

TEST_F(EvidenceCommand, AnExportIsVerifiedWithThePublicKeyAlone) {
  make_history();
  export_all();
  std::filesystem::remove(store());
  const Ran ran = verify("e.jsonl");
  EXPECT_EQ(ran.exit_code, 0) << ran.out << ran.err;
  EXPECT_THAT(ran.out, AllOf(HasSubstr("all of them what was signed; none is missing"),
                             HasSubstr("They keep every invariant")));
  const Json json = this->json({"evidence", "verify", "e.jsonl", "--public-key", "pub"});
  EXPECT_TRUE(json.truth("/answer/holds"));
  EXPECT_TRUE(json.truth("/answer/audit/clean"));
  EXPECT_TRUE(json.is_null("/answer/defect"));
  EXPECT_EQ(json.number("/answer/records"), json.number("/answer/head/size"));
}

TEST_F(EvidenceCommand, TokensAreInClearOnlyWhenAskedFor) {
  make_history();
  EXPECT_THAT(run({"evidence", "export"}).out, Not(HasSubstr("\"pay\"")));
  const Ran clear = run({"evidence", "export", "--tokens"});
  EXPECT_THAT(clear.out, HasSubstr("\"token\":\"pay\""));
  write("clear", clear.out);
  write("pub", run({"evidence", "key"}).out);
  EXPECT_EQ(verify("clear").exit_code, 0);
}

TEST_F(EvidenceCommand, TheFirstBadRecordIsNamed) {
  make_history();
  export_all();
  std::string text = read("e.jsonl");
  const std::size_t at = text.find("\"kind\":\"confirmed\"");
  ASSERT_NE(at, std::string::npos);
  text.replace(at, 18, "\"kind\":\"released\" ");
  write("bad.jsonl", text);
  const Ran ran = verify("bad.jsonl");
  EXPECT_EQ(ran.exit_code, 1);
  EXPECT_THAT(ran.out, HasSubstr("Record 2: its content is not what its hash was made of"));
  const Json json = this->json({"evidence", "verify", "bad.jsonl", "--public-key", "pub"}, 1);
  EXPECT_FALSE(json.truth("/answer/holds"));
  EXPECT_EQ(json.number("/answer/defect/seq"), 2);
  for (const std::string& wrong : {std::string(), std::string("\n"), std::string("{"),
                                   std::string(3'000'000, 'x'), text.substr(0, text.size() / 2)}) {
    write("bad.jsonl", wrong);
    EXPECT_EQ(verify("bad.jsonl").exit_code, 1) << wrong.substr(0, 100);
  }
}

TEST_F(EvidenceCommand, AStoreThatWasRewrittenContradictsItsOldHead) {
  make_history();
  write("head.json", run({"evidence", "head"}).out);
  (void)placed("later");
  export_all();
  EXPECT_EQ(verify("e.jsonl", {"--head", "head.json"}).exit_code, 0);
  write("wrapped.json", run({"evidence", "head", "--json"}).out);
  EXPECT_EQ(verify("e.jsonl", {"--head", "wrapped.json"}).exit_code, 0);
  EXPECT_EQ(verify("wrapped.json").exit_code, 0);
  std::filesystem::remove(store());
  std::filesystem::remove(store() + "-wal");
  (void)placed("room");
  std::filesystem::remove(folder.file("e.jsonl"));
  export_all();
  EXPECT_EQ(verify("e.jsonl").exit_code, 0);
  const Ran ran = verify("e.jsonl", {"--head", "head.json"});
  EXPECT_EQ(ran.exit_code, 1);
  EXPECT_THAT(ran.out, HasSubstr("records are missing"));
}

TEST_F(EvidenceCommand, NothingIsSignedOverADamagedJournal) {
  make_history();
  write("pub", run({"evidence", "key"}).out);
  {
    auto connection = sqlite::Connection::open(store(), SQLITE_OPEN_READWRITE);
    ASSERT_TRUE(connection);
    ASSERT_TRUE(connection->run("UPDATE journal SET requester = 'eve' WHERE seq = 1"));
  }
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"evidence", "export", "--out", "e.jsonl"}, {"evidence", "head"}}) {
    const Ran ran = run(words);
    EXPECT_EQ(ran.exit_code, 1);
    EXPECT_THAT(ran.err, HasSubstr("the journal is damaged at record 1"));
  }
  EXPECT_FALSE(std::filesystem::exists(folder.file("e.jsonl")));
}

TEST_F(EvidenceCommand, OneTenantsExportTellsNothingOfTheOthers) {
  json({"hold", "theirs", "ada", "1h", "--tenant", "south"});
  json({"hold", "ours", "ada", "1h", "--tenant", "north"});
  const Ran ran = run({"evidence", "export", "--tenant", "north"});
  EXPECT_THAT(ran.out, AllOf(HasSubstr("ours"), Not(HasSubstr("theirs")), Not(HasSubstr("south"))));
  write("north", ran.out);
  write("pub", run({"evidence", "key"}).out);
  const Ran found = verify("north");
  EXPECT_EQ(found.exit_code, 0) << found.out;
  EXPECT_THAT(found.out, HasSubstr("1 of them is not shown"));
}

TEST_F(EvidenceCommand, TheKeyIsMadeOnceAndSaidSo) {
  (void)placed("room");
  const Ran first = run({"evidence", "key"});
  EXPECT_THAT(first.out, HasSubstr("-----BEGIN PUBLIC KEY-----"));
  EXPECT_THAT(first.err, HasSubstr("made the key that signs evidence, holdfast.db-evidence-key"));
  const Ran second = run({"evidence", "key"});
  EXPECT_EQ(second.out, first.out);
  EXPECT_EQ(second.err, "");
  struct stat status {};
  ASSERT_EQ(::stat((store() + "-evidence-key").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0600U);
  EXPECT_THAT(run({"evidence", "key"}, {.environment = {{"HOLDFAST_EVIDENCE_KEY", "mine"}}}).err,
              HasSubstr("mine"));
  EXPECT_TRUE(std::filesystem::exists(folder.file("mine")));
}

TEST_F(EvidenceCommand, NothingIsOverwrittenAndNothingHalfIsLeft) {
  make_history();
  write("e.jsonl", "precious");
  const Ran ran = run({"evidence", "export", "--out", "e.jsonl"});
  EXPECT_EQ(ran.exit_code, 1);
  EXPECT_THAT(ran.err, HasSubstr("is there already"));
  EXPECT_EQ(read("e.jsonl"), "precious");
  EXPECT_EQ(run({"evidence", "export", "--out", "no/such/folder/e"}).exit_code, 1);
  EXPECT_EQ(run({"evidence", "export"}, {.out_to = "/dev/full"}).exit_code, 1);
  write("holdfast.db-evidence-key", "no key");
  EXPECT_EQ(run({"evidence", "export", "--out", "f.jsonl"}).exit_code, 1);
  for (const auto& each : std::filesystem::directory_iterator(folder.path()))
    EXPECT_THAT(each.path().filename(), AnyOf("e.jsonl", testing::StartsWith("holdfast.db")));
}

TEST_F(EvidenceCommand, WhateverItIsCalledWhatIsGivenIsUnderstood) {
  make_history();
  export_all();
  const std::string all = read("e.jsonl");
  write("bom.jsonl", "\xef\xbb\xbf" + all);
  EXPECT_EQ(verify("bom.jsonl").exit_code, 0);
  write("space.jsonl", " " + all);
  EXPECT_EQ(verify("space.jsonl").exit_code, 0);
  // The last line of an export is a head like any other.
  const std::size_t last = all.rfind('\n', all.size() - 2) + 1;
  write("last.json", all.substr(last));
  EXPECT_THAT(verify("last.json").out, HasSubstr("The head is signed."));
  EXPECT_EQ(verify("e.jsonl", {"--head", "last.json"}).exit_code, 0);
  write("bom.json", "\xef\xbb\xbf" + all.substr(last));
  EXPECT_EQ(verify("e.jsonl", {"--head", "bom.json"}).exit_code, 0);
  // What is left of an export is none, however little that is.
  write("cut.jsonl", all.substr(0, all.find('\n') + 1));
  EXPECT_THAT(verify("cut.jsonl").out, HasSubstr("it was cut off"));
  write("headless.jsonl", all.substr(all.find('\n') + 1));
  EXPECT_THAT(verify("headless.jsonl").out, HasSubstr("the first line is not a head"));
  std::string key = json({"evidence", "key"}).text("/answer/public_key");
  for (char& each : key) each = static_cast<char>(std::toupper(each));
  EXPECT_EQ(run({"evidence", "verify", "e.jsonl", "--public-key", key}).exit_code, 0);
}

TEST_F(EvidenceCommand, NoKeyIsMadeForWhatIsNoStore) {
  write("list.txt", "no store");
  const Ran ran = run({"evidence", "key", "list.txt"});
  EXPECT_EQ(ran.exit_code, 1);
  EXPECT_THAT(ran.err, HasSubstr("list.txt"));
  EXPECT_FALSE(std::filesystem::exists(folder.file("list.txt-evidence-key")));
}

TEST_F(EvidenceCommand, AKeyThatEverybodyCanReadIsWarnedOf) {
  (void)placed("room");
  const Ran made = run({"evidence", "key"});
  ASSERT_EQ(::chmod((store() + "-evidence-key").c_str(), 0644), 0);
  const Ran ran = run({"evidence", "key"});
  EXPECT_EQ(ran.out, made.out);
  EXPECT_THAT(ran.err, HasSubstr("everybody on this machine can read it"));
}

TEST_F(EvidenceCommand, MisuseIsExplained) {
  (void)placed("room");
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"evidence"},
        {"evidence", "prove"},
        {"evidence", "verify"},
        {"evidence", "verify", "e.jsonl"},
        {"evidence", "verify", "e.jsonl", "--public-key", "pub", "--tokens"},
        {"evidence", "head", "--out", "x"},
        {"evidence", "key", "--tenant", "north"},
        {"evidence", "export", "--head", "x"},
        {"evidence", "export", "--json"},
        {"evidence", "export", "--out", ""},
        {"evidence", "export", "--server", "http://127.0.0.1:1"},
        {"evidence", "verify", "e", "--public-key", "k", "--evidence-key", "p"}}) {
    const Ran ran = run(words);
    EXPECT_EQ(ran.exit_code, 2) << ran.out << ran.err;
    EXPECT_NE(ran.out + ran.err, "");
  }
  EXPECT_EQ(run({"evidence", "export", "nothing.db"}).exit_code, 1);
  EXPECT_FALSE(std::filesystem::exists(folder.file("nothing.db-evidence-key")));
  EXPECT_EQ(run({"evidence", "verify", "nothing", "--public-key", std::string(64, '0')}).exit_code,
            1);
  EXPECT_EQ(run({"evidence", "verify", "holdfast.db", "--public-key", "nothing"}).exit_code, 1);
}

}  // namespace
}  // namespace holdfast::test

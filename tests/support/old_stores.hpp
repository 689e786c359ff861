#pragma once

#include <memory>
#include <string>
#include <vector>

#include "support/plain_call.hpp"
#include "support/servers/database_server.hpp"
#include "support/temp_dir.hpp"

/// Stores that earlier versions of the program made, kept in tests/fixtures with everything their
/// callers were told and everything that was signed. tests/fixtures/README.md says how they came to
/// be. Failing is throwing.
namespace holdfast::test {

/// Which store: the version of its schema, and the engine.
struct OldStoreName {
  int schema = 0;
  std::string engine;  ///< sqlite, postgres, mariadb

  friend bool operator==(const OldStoreName&, const OldStoreName&) = default;
};

/// All there are; of one schema, if one is given.
[[nodiscard]] std::vector<OldStoreName> old_stores(int schema = 0);
/// For the names of tests: `schema_2_sqlite`.
[[nodiscard]] std::string text_of(const OldStoreName& name);

/// A call that was made, and what it was told. Asked again, it must be told the same, byte for
/// byte.
struct KeptAnswer {
  PlainCall call;
  bool collision = false;  ///< the token belongs to another call; else it is this one's
  int status = 0;          ///< of HTTP
  std::string body;
};

/// One of them, unpacked: a file in a folder of its own, or an empty database filled. It is as its
/// program left it; what a test does to it is done to a copy. Gone at the end.
class OldStore {
 public:
  explicit OldStore(const OldStoreName& name);

  /// What `Options::store` has to be. Nothing else need be asked for: its window is its own, and
  /// the classes of its operations are the usual ones.
  [[nodiscard]] std::string store() const;
  /// Every token with an outcome, and calls that collided with one. In no tenant's order.
  [[nodiscard]] const std::vector<KeptAnswer>& answers() const { return answers_; }
  /// How many records it has.
  [[nodiscard]] std::uint64_t records() const { return records_; }

  // What was signed, as files: the key, its public half, heads from the smallest to that of
  // everything, and the export of everything.

  [[nodiscard]] std::string signing_key() const { return folder_.file("evidence-key"); }
  [[nodiscard]] std::string public_key() const { return folder_.file("evidence.pub"); }
  [[nodiscard]] const std::vector<std::string>& heads() const { return heads_; }
  [[nodiscard]] std::string exported() const { return folder_.file("evidence.jsonl"); }

 private:
  void unpack_store();
  void read_answers();

  OldStoreName name_;
  TempDir folder_ = TempDir::in_memory();
  std::unique_ptr<TestDatabase> database_;
  std::vector<KeptAnswer> answers_;
  std::vector<std::string> heads_;
  std::uint64_t records_ = 0;
};

/// Asks every call again, of a store that this program can open: what was answered otherwise than
/// then, or counted twice. Empty: nothing. `copy`: another store with the same records.
[[nodiscard]] std::vector<std::string> answered_otherwise(const OldStore& old,
                                                          const std::string& copy = {});

/// A line of the file of answers.
[[nodiscard]] std::string json_of(const KeptAnswer& kept);
/// Where the files of one are kept.
[[nodiscard]] std::filesystem::path folder_of(const OldStoreName& name);

}  // namespace holdfast::test

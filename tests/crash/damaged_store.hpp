#pragma once

#include <string>
#include <vector>

#include "crash/witness.hpp"
#include "support/disks/faulty_vfs.hpp"
#include "support/temp_dir.hpp"

namespace holdfast::test {

[[nodiscard]] std::string read_bytes(const std::string& path);
void write_bytes(const std::string& path, const std::string& bytes);

/// Runs SQL on a store's file, with no Holdfast in between. Every row of every result, as text; an
/// error ends it and is part of it.
std::string run_sql(const std::string& path, const std::string& sql);

/// A store with a past, for others to damage copies of.
class DamagedStore {
 public:
  /// What is left behind: the file alone, or the file and the log of a process that was killed.
  enum class Left { closed, killed };
  explicit DamagedStore(Left left);

  [[nodiscard]] const std::string& database() const { return database_; }
  [[nodiscard]] const std::string& log() const { return log_; }
  /// After each call: how long the log was, and how many records there were.
  struct Step {
    std::size_t log_bytes;
    std::uint64_t records;
  };
  [[nodiscard]] const std::vector<Step>& steps() const { return steps_; }
  /// What the SQL views say.
  [[nodiscard]] const std::string& views() const { return views_; }

  /// How opening these bytes instead went.
  struct Verdict {
    bool opened = false;
    std::string refusal;
    /// Everything shown was right, until something was refused because of the damage.
    bool late = false;
    /// What was shown and is not right.
    std::vector<std::string> complaints;

    /// Takes what the judge said, up to where the store itself says that it is damaged.
    bool found_out(std::vector<std::string> said);
  };
  /// Opens them, looks at everything, writes something, and opens them again.
  [[nodiscard]] Verdict try_to_open(const std::string& database) const;

  /// Opens these bytes, and says how many records there are; or why they are refused.
  [[nodiscard]] StoreResult<std::uint64_t> try_records_in(const std::string& database,
                                                          const std::string& log) const;
  /// The same, where they must not be refused.
  [[nodiscard]] std::uint64_t records_in(const std::string& database, const std::string& log) const;

  [[nodiscard]] Opening opening(const std::string& path, const FaultyDisk& disk) const;

 private:
  void use(Service& service, const std::string& path);

  std::shared_ptr<SettableClock> clock_ = std::make_shared<SettableClock>(start);
  Witness witness_;
  std::string database_;
  std::string log_;
  std::string views_;
  std::vector<Step> steps_;
};

}  // namespace holdfast::test

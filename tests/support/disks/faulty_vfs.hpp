#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

/// A disk that fails when told to: a layer below SQLite, chosen by `StoreOptions::vfs`.
namespace holdfast::test {

enum class DiskFile : std::uint8_t { database, log, other };
enum class DiskAction : std::uint8_t { read, write, sync, truncate, remove };

/// Something SQLite asks of the disk.
struct DiskCall {
  DiskAction action;
  DiskFile file;
  std::int64_t offset = 0;
  std::int64_t bytes = 0;
};

/// How the disk is at first.
enum class DiskMemory : std::uint8_t {
  none,      ///< everything goes to the real disk, syncs too
  unsynced,  ///< remembers what is not synced, for `lose_power`; no sync is real
};

class DiskState;

/// All members may be called from any thread. Outlives every connection made through it.
class FaultyDisk {
 public:
  explicit FaultyDisk(DiskMemory memory = DiskMemory::none);
  ~FaultyDisk();
  FaultyDisk(const FaultyDisk&) = delete;
  FaultyDisk& operator=(const FaultyDisk&) = delete;

  /// What SQLite knows it by.
  [[nodiscard]] const std::string& vfs() const;

  /// Asked before every call, on its thread. Unless it says SQLITE_OK, the call fails with what it
  /// says. It may block, and then so does the call.
  using Fault = std::function<int(const DiskCall&)>;
  void set_fault(Fault fault);
  void clear_fault() { set_fault({}); }

  /// From now on files may grow by so many bytes together; then the disk is full, and a write
  /// stops short as it does there.
  void set_room(std::int64_t bytes);
  /// There is all the room in the world again.
  void make_room();

  /// A disk that says it has synced, and has not.
  void lie_about_syncs(bool lie);

  /// As if the process using it were killed: what it has open fails from now on, and nothing it
  /// does reaches the disk. Everything it wrote is there, synced or not.
  void kill_process();
  /// Files may be opened again.
  void restart_process();

  /// As if the power were lost, with luck drawn from the seed: in place of each file stands what
  /// the disk had of it. Needs `DiskMemory::unsynced`, and a killed process whose files are closed.
  void lose_power(std::uint64_t seed);

  /// How many calls of this kind there were so far.
  [[nodiscard]] std::uint64_t count(DiskAction action, DiskFile file) const;

 private:
  const std::unique_ptr<DiskState> state_;
};

}  // namespace holdfast::test

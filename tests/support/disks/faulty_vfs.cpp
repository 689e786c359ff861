#include "support/disks/faulty_vfs.hpp"

#include <sqlite3.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <map>
#include <mutex>
#include <sstream>

#include "base/assert.hpp"
#include "support/disks/faulty_vfs_power.hpp"

namespace holdfast::test {
namespace {

constexpr std::int64_t no_limit = INT64_MAX;

std::string read_whole(const std::string& path) {
  const std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return std::move(text).str();
}

std::string next_name() {
  static std::atomic<int> made{0};
  return "faulty-" + std::to_string(++made);
}

}  // namespace

/// The disk as SQLite's functions see it.
class DiskState {
 public:
  explicit DiskState(DiskMemory memory_kind)
      : memory(memory_kind), real(sqlite3_vfs_find(nullptr)) {}

  /// What every call has to pass: the process lives, and no fault strikes.
  int pass(const DiskCall& call, std::uint64_t of_generation) {
    std::shared_ptr<const FaultyDisk::Fault> striking;
    {
      const std::lock_guard lock(mutex);
      if (dead || of_generation != generation) return SQLITE_IOERR;
      ++counts[{call.action, call.file}];
      striking = fault;
    }
    return striking && *striking ? (*striking)(call) : SQLITE_OK;
  }

  /// How much of a growth there is room for. Needs the mutex.
  std::int64_t take_room(std::int64_t growth) {
    if (room == no_limit) return growth;
    const std::int64_t taken = std::min(room, growth);
    room -= taken;
    return taken;
  }

  UnsyncedFile* remembered(const char* path, bool found) {
    if (memory == DiskMemory::none || path == nullptr) return nullptr;
    const std::lock_guard lock(mutex);
    const auto known = files.find(path);
    if (known != files.end() && found) return &known->second;
    UnsyncedFile fresh = found ? UnsyncedFile(read_whole(path)) : UnsyncedFile();
    return &files.insert_or_assign(path, std::move(fresh)).first->second;
  }

  /// Needs the mutex.
  void directory_synced() {
    for (auto& [path, file] : files) file.directory_synced();
  }

  // Constant once registered.
  const DiskMemory memory;
  const std::string name = next_name();
  sqlite3_vfs* const real;
  sqlite3_vfs registered{};

  std::mutex mutex;
  // Guarded by mutex.
  std::shared_ptr<const FaultyDisk::Fault> fault;
  std::int64_t room = no_limit;
  std::uint64_t generation = 1;  ///< of the process: what an earlier one has open is dead
  bool dead = false;
  bool lies = false;
  std::map<std::string, UnsyncedFile> files;
  std::mt19937_64 random{1};
  std::map<std::pair<DiskAction, DiskFile>, std::uint64_t> counts;
};

namespace {

/// An open file: SQLite's part first, the real file right behind.
struct Handle {
  sqlite3_file base;
  DiskState* disk;
  UnsyncedFile* unsynced;  ///< guarded by the disk's mutex; null if nothing is remembered
  std::uint64_t generation;
  DiskFile kind;

  sqlite3_file* real() { return reinterpret_cast<sqlite3_file*>(this + 1); }
  int pass(DiskAction action, std::int64_t offset, std::int64_t bytes) const {
    return disk->pass({action, kind, offset, bytes}, generation);
  }
};
static_assert(sizeof(Handle) % 8 == 0, "the real file is aligned as SQLite aligns ours");

Handle& handle(sqlite3_file* file) { return *reinterpret_cast<Handle*>(file); }
DiskState& state(sqlite3_vfs* vfs) { return *static_cast<DiskState*>(vfs->pAppData); }

int close_file(sqlite3_file* file) {
  sqlite3_file* real = handle(file).real();
  return real->pMethods == nullptr ? SQLITE_OK : real->pMethods->xClose(real);
}

int read_file(sqlite3_file* file, void* out, int size, sqlite3_int64 offset) {
  Handle& at = handle(file);
  if (const int code = at.pass(DiskAction::read, offset, size); code != SQLITE_OK) return code;
  return at.real()->pMethods->xRead(at.real(), out, size, offset);
}

int write_file(sqlite3_file* file, const void* bytes, int size, sqlite3_int64 offset) {
  Handle& at = handle(file);
  if (const int code = at.pass(DiskAction::write, offset, size); code != SQLITE_OK) return code;
  sqlite3_file* real = at.real();
  // One lock for the write and its remembrance: they must be in the same order.
  const std::lock_guard lock(at.disk->mutex);
  sqlite3_int64 size_now = 0;
  if (const int code = real->pMethods->xFileSize(real, &size_now); code != SQLITE_OK) return code;
  const std::int64_t growth = std::max<std::int64_t>(0, offset + size - size_now);
  const auto fits = static_cast<int>(size - (growth - at.disk->take_room(growth)));
  if (fits > 0) {
    const int code = real->pMethods->xWrite(real, bytes, fits, offset);
    if (code != SQLITE_OK) return code;
    if (at.unsynced != nullptr) {
      at.unsynced->write(offset, {static_cast<const char*>(bytes), static_cast<std::size_t>(fits)});
    }
  }
  return fits == size ? SQLITE_OK : SQLITE_FULL;
}

int truncate_file(sqlite3_file* file, sqlite3_int64 size) {
  Handle& at = handle(file);
  if (const int code = at.pass(DiskAction::truncate, size, 0); code != SQLITE_OK) return code;
  const std::lock_guard lock(at.disk->mutex);
  const int code = at.real()->pMethods->xTruncate(at.real(), size);
  if (code == SQLITE_OK && at.unsynced != nullptr) at.unsynced->truncate(size);
  return code;
}

int sync_file(sqlite3_file* file, int flags) {
  Handle& at = handle(file);
  std::uint64_t mark = 0;
  if (at.unsynced != nullptr) {
    const std::lock_guard lock(at.disk->mutex);
    mark = at.unsynced->mark();  // what is written from here on may miss this sync
  }
  const int code = at.pass(DiskAction::sync, 0, 0);
  if (at.unsynced == nullptr) {
    return code != SQLITE_OK ? code : at.real()->pMethods->xSync(at.real(), flags);
  }
  const std::lock_guard lock(at.disk->mutex);
  if (at.disk->dead || at.generation != at.disk->generation) return SQLITE_IOERR_FSYNC;
  if (code != SQLITE_OK) {
    at.unsynced->sync_failed(mark, at.disk->random);
  } else if (!at.disk->lies) {
    at.unsynced->synced(mark);
    // The first sync of a new journal or log syncs its directory, too; SQLite sees to it.
    if (!at.unsynced->there() && at.kind != DiskFile::database) at.disk->directory_synced();
  }
  return code;
}

// The rest is the real file's.

int file_size(sqlite3_file* file, sqlite3_int64* size) {
  sqlite3_file* real = handle(file).real();
  return real->pMethods->xFileSize(real, size);
}
int lock_file(sqlite3_file* file, int level) {
  sqlite3_file* real = handle(file).real();
  return real->pMethods->xLock(real, level);
}
int unlock_file(sqlite3_file* file, int level) {
  sqlite3_file* real = handle(file).real();
  return real->pMethods->xUnlock(real, level);
}
int check_reserved_lock(sqlite3_file* file, int* held) {
  sqlite3_file* real = handle(file).real();
  return real->pMethods->xCheckReservedLock(real, held);
}
int file_control(sqlite3_file* file, int operation, void* argument) {
  sqlite3_file* real = handle(file).real();
  return real->pMethods->xFileControl(real, operation, argument);
}
int sector_size(sqlite3_file* file) {
  sqlite3_file* real = handle(file).real();
  return real->pMethods->xSectorSize(real);
}
int characteristics(sqlite3_file* file) {
  sqlite3_file* real = handle(file).real();
  return real->pMethods->xDeviceCharacteristics(real);
}
int shm_map(sqlite3_file* file, int page, int size, int extend, void volatile** out) {
  sqlite3_file* real = handle(file).real();
  return real->pMethods->xShmMap(real, page, size, extend, out);
}
int shm_lock(sqlite3_file* file, int offset, int count, int flags) {
  sqlite3_file* real = handle(file).real();
  return real->pMethods->xShmLock(real, offset, count, flags);
}
void shm_barrier(sqlite3_file* file) {
  sqlite3_file* real = handle(file).real();
  real->pMethods->xShmBarrier(real);
}
int shm_unmap(sqlite3_file* file, int remove) {
  sqlite3_file* real = handle(file).real();
  return real->pMethods->xShmUnmap(real, remove);
}

/// Version 2: shared memory, but no mapped reads, which would pass by us.
constexpr sqlite3_io_methods methods{2,
                                     close_file,
                                     read_file,
                                     write_file,
                                     truncate_file,
                                     sync_file,
                                     file_size,
                                     lock_file,
                                     unlock_file,
                                     check_reserved_lock,
                                     file_control,
                                     sector_size,
                                     characteristics,
                                     shm_map,
                                     shm_lock,
                                     shm_barrier,
                                     shm_unmap,
                                     nullptr,
                                     nullptr};

int open_file(sqlite3_vfs* vfs, const char* path, sqlite3_file* file, int flags, int* out_flags) {
  DiskState& disk = state(vfs);
  Handle& at = handle(file);
  at.base.pMethods = nullptr;
  {
    const std::lock_guard lock(disk.mutex);
    if (disk.dead) return SQLITE_CANTOPEN;
    at.generation = disk.generation;
  }
  at.disk = &disk;
  at.kind = (flags & SQLITE_OPEN_MAIN_DB) != 0 ? DiskFile::database
            : (flags & SQLITE_OPEN_WAL) != 0   ? DiskFile::log
                                               : DiskFile::other;
  const bool found = path != nullptr && std::filesystem::exists(path);
  const int code = disk.real->xOpen(disk.real, path, at.real(), flags, out_flags);
  if (at.real()->pMethods == nullptr) return code;
  at.base.pMethods = &methods;  // from here on SQLite closes it, whatever we say
  if (code == SQLITE_OK) at.unsynced = disk.remembered(path, found);
  return code;
}

int delete_file(sqlite3_vfs* vfs, const char* path, int sync_directory) {
  DiskState& disk = state(vfs);
  std::uint64_t generation = 0;
  {
    const std::lock_guard lock(disk.mutex);
    generation = disk.generation;
  }
  const DiskFile kind = std::string_view(path).ends_with("-wal") ? DiskFile::log : DiskFile::other;
  const int passed = disk.pass({DiskAction::remove, kind}, generation);
  if (passed != SQLITE_OK) return passed;
  const int code = disk.real->xDelete(disk.real, path, sync_directory);
  const std::lock_guard lock(disk.mutex);
  const auto known = disk.files.find(path);
  if (code != SQLITE_OK || known == disk.files.end()) return code;
  known->second.remove();
  if (sync_directory != 0) disk.directory_synced();
  return code;
}

}  // namespace

FaultyDisk::FaultyDisk(DiskMemory memory) : state_(std::make_unique<DiskState>(memory)) {
  sqlite3_vfs& vfs = state_->registered;
  vfs = *state_->real;  // the functions we do not replace do not look at their own structure
  vfs.iVersion = 2;
  vfs.pNext = nullptr;
  vfs.zName = state_->name.c_str();
  vfs.szOsFile = static_cast<int>(sizeof(Handle)) + state_->real->szOsFile;
  vfs.pAppData = state_.get();
  vfs.xOpen = open_file;
  vfs.xDelete = delete_file;
  HOLDFAST_ASSERT(sqlite3_vfs_register(&vfs, 0) == SQLITE_OK);
}

FaultyDisk::~FaultyDisk() { sqlite3_vfs_unregister(&state_->registered); }

const std::string& FaultyDisk::vfs() const { return state_->name; }

void FaultyDisk::set_fault(Fault fault) {
  auto shared = std::make_shared<const Fault>(std::move(fault));
  const std::lock_guard lock(state_->mutex);
  state_->fault = std::move(shared);
}

void FaultyDisk::set_room(std::int64_t bytes) {
  const std::lock_guard lock(state_->mutex);
  state_->room = bytes;
}

void FaultyDisk::make_room() { set_room(no_limit); }

void FaultyDisk::lie_about_syncs(bool lie) {
  const std::lock_guard lock(state_->mutex);
  state_->lies = lie;
}

void FaultyDisk::kill_process() {
  const std::lock_guard lock(state_->mutex);
  state_->dead = true;
  ++state_->generation;
}

void FaultyDisk::restart_process() {
  const std::lock_guard lock(state_->mutex);
  state_->dead = false;
}

void FaultyDisk::lose_power(std::uint64_t seed) {
  const std::lock_guard lock(state_->mutex);
  HOLDFAST_ASSERT(state_->memory == DiskMemory::unsynced && state_->dead);
  std::mt19937_64 luck(seed);
  for (auto& [path, file] : state_->files) {
    std::filesystem::remove(path + "-shm");  // shared memory does not outlive the power
    if (const auto& left = file.lose_power(luck)) {
      std::ofstream(path, std::ios::binary | std::ios::trunc) << *left;
    } else {
      std::filesystem::remove(path);
    }
  }
  state_->files.clear();
}

std::uint64_t FaultyDisk::count(DiskAction action, DiskFile file) const {
  const std::lock_guard lock(state_->mutex);
  const auto found = state_->counts.find({action, file});
  return found == state_->counts.end() ? 0 : found->second;
}

}  // namespace holdfast::test

#include "store/sqlite/file/write_health.hpp"

#include <sqlite3.h>

#include <cstddef>
#include <vector>

#include "base/real_path.hpp"

namespace holdfast::sqlite {
namespace {

constexpr std::chrono::seconds look_every{1};
/// More than a small batch adds to the log.
constexpr std::size_t probe_bytes = 65'536;

}  // namespace

void WriteHealth::failed(const StoreError& error) {
  const std::lock_guard lock(mutex_);
  last_ = error;
  looked_ = std::chrono::steady_clock::now();
  unwell_ = true;
}

std::optional<StoreError> WriteHealth::trouble() {
  if (!unwell_) return std::nullopt;
  const std::lock_guard lock(mutex_);
  if (!unwell_) return std::nullopt;
  const auto now = std::chrono::steady_clock::now();
  if (now - looked_ < look_every) return last_;
  looked_ = now;
  if (!disk_takes_a_file()) return last_;
  unwell_ = false;
  return std::nullopt;
}

/// By the same way SQLite writes.
bool WriteHealth::disk_takes_a_file() const {
  sqlite3_vfs* const vfs = sqlite3_vfs_find(vfs_.empty() ? nullptr : vfs_.c_str());
  if (vfs == nullptr) return false;
  std::vector<std::max_align_t> memory(1 + static_cast<std::size_t>(vfs->szOsFile) /
                                               sizeof(std::max_align_t));
  auto* const file = reinterpret_cast<sqlite3_file*>(memory.data());
  const std::string path = behind_links(store_) + "-probe";
  constexpr int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_DELETEONCLOSE |
                        SQLITE_OPEN_TEMP_JOURNAL;
  const int opened = vfs->xOpen(vfs, path.c_str(), file, flags, nullptr);
  if (file->pMethods == nullptr) return false;
  const std::string bytes(probe_bytes, '\0');
  const bool taken =
      opened == SQLITE_OK &&
      file->pMethods->xWrite(file, bytes.data(), static_cast<int>(bytes.size()), 0) == SQLITE_OK &&
      file->pMethods->xSync(file, SQLITE_SYNC_NORMAL) == SQLITE_OK;
  file->pMethods->xClose(file);
  return taken;
}

}  // namespace holdfast::sqlite

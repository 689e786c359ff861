#pragma once

#include <sys/mount.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <string>

#include "support/temp_dir.hpp"

namespace holdfast::test {

/// A small disk of the kernel's own. Gone at the end, with everything on it. Only root may have
/// one.
class SmallDisk {
 public:
  /// `size` as the kernel takes it: `3m`.
  explicit SmallDisk(const std::string& size)
      : error_(::mount("holdfast", dir_.path().c_str(), "tmpfs", 0, ("size=" + size).c_str()) == 0
                   ? 0
                   : errno) {}
  ~SmallDisk() {
    if (error_ == 0) ::umount2(dir_.path().c_str(), MNT_DETACH);
  }
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;

  /// Why there is none; 0: there is.
  [[nodiscard]] int error() const { return error_; }
  [[nodiscard]] const std::filesystem::path& path() const { return dir_.path(); }
  [[nodiscard]] std::string file(std::string_view name) const { return dir_.file(name); }

  /// Takes all room but so much.
  void leave_room(std::size_t bytes) const {
    struct statvfs now {};
    if (::statvfs(path().c_str(), &now) != 0) return;
    const std::size_t free = now.f_bavail * now.f_frsize;
    if (free > bytes) std::ofstream(file("filler")) << std::string(free - bytes, 'x');
  }
  void make_room() const { ::unlink(file("filler").c_str()); }

 private:
  const TempDir dir_;
  const int error_;
};

}  // namespace holdfast::test

#include "store/sqlite/file/faults.hpp"

#include <fmt/format.h>

namespace holdfast::sqlite {

StoreError describe(const std::string& path, const Fault& fault, Effect effect) {
  constexpr std::string_view check_disk = "Check the disk and the file's permissions";
  std::string_view advice;
  switch (fault.code & 0xff) {
    case SQLITE_NOTADB:
      advice =
          "It is not a store, or its first bytes are damaged: give the name of a store, or "
          "restore it from a backup";
      break;
    case SQLITE_ERROR:  // no such table, an unknown format: not what a store says
    case SQLITE_CORRUPT:
    case SQLITE_TOOBIG:  // a length that nothing of ours has
      advice =
          "The file is damaged: restore it from a backup, and keep this one for the "
          "investigation";
      break;
    case SQLITE_FULL:
      advice = "The disk is full: make room and ask again";
      break;
    case SQLITE_BUSY:
      advice = "Another program is writing to the file";
      break;
    case SQLITE_CONSTRAINT:  // a record has the number of one that is there already
      advice =
          "Something else has written to the store, although only its owner may: stop whatever "
          "else uses the file, then open it again; tokens tell what happened";
      break;
    case SQLITE_READONLY:
    case SQLITE_PERM:
    case SQLITE_CANTOPEN:
      advice = "Check that the folder exists and may be written";
      break;
    case SQLITE_IOERR:
      advice = fault.code == SQLITE_IOERR_SHMSIZE
                   ? "There is probably no room for the file that SQLite needs beside it: make room"
                   : check_disk;
      break;
    default:
      advice = check_disk;
      break;
  }
  return {effect,
          fmt::format("{}: {} (SQLite code {}). {}", path, fault.message, fault.code, advice)};
}

StoreError error_about(const std::string& path, std::string_view text) {
  return {Effect::none, fmt::format("{}: {}", path, text)};
}

StoreError second_name(const std::string& path) {
  return error_about(
      path,
      "the file has a second name (a hard link). What was written last is kept beside one "
      "of its names and is missing under the other: remove the other name, or make a copy "
      "of the store instead.");
}

}  // namespace holdfast::sqlite

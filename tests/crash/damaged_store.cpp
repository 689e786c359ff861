#include "crash/damaged_store.hpp"

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <fstream>
#include <sstream>

#include "base/assert.hpp"
#include "support/journals/audit.hpp"

namespace holdfast::test {
namespace {

constexpr const char* every_view =
    "SELECT * FROM records; SELECT * FROM holds; SELECT * FROM token_results;"
    "SELECT * FROM resources; SELECT * FROM token_windows;";

/// Where the log ends: its file may be longer, and the rest left over from before it was emptied.
/// Frames of the same log carry the salt of its header.
std::size_t log_end(const std::string& log) {
  constexpr std::size_t header_bytes = 32;
  constexpr std::size_t frame_size = 24 + 4096;
  constexpr std::size_t salt_bytes = 8;
  if (log.size() < header_bytes) return 0;
  std::size_t end = header_bytes;
  while (end + frame_size <= log.size() &&
         log.compare(end + 8, salt_bytes, log, 16, salt_bytes) == 0) {
    end += frame_size;
  }
  return end;
}

std::string views_of(const std::string& path) {
  std::string shown = run_sql(path, every_view);
  std::istringstream names(
      run_sql(path, "SELECT name FROM sqlite_schema WHERE type='view' AND name LIKE 'audit%'"));
  for (std::string name; names >> name;) shown += run_sql(path, "SELECT * FROM " + name);
  return shown;
}

}  // namespace

std::string read_bytes(const std::string& path) {
  const std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return std::move(text).str();
}

void write_bytes(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}

std::string run_sql(const std::string& path, const std::string& sql) {
  sqlite3* connection = nullptr;
  sqlite3_open_v2(path.c_str(), &connection, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, nullptr);
  std::string shown;
  const auto show = [](void* text, int count, char** values, char**) {
    for (int i = 0; i < count; ++i) {
      static_cast<std::string*>(text)
          ->append(values[i] == nullptr ? "NULL" : values[i])
          .push_back('\t');
    }
    static_cast<std::string*>(text)->push_back('\n');
    return 0;
  };
  if (sqlite3_exec(connection, sql.c_str(), show, &shown, nullptr) != SQLITE_OK) {
    shown += sqlite3_errmsg(connection);
  }
  sqlite3_close_v2(connection);
  return shown;
}

DamagedStore::DamagedStore(Left left) {
  const TempDir dir;
  FaultyDisk disk(DiskMemory::unsynced);
  const std::string path = dir.file("store.db");
  auto service = open_service(opening(path, disk));
  HOLDFAST_ASSERT(service.has_value());
  use(**service, path);
  if (left == Left::killed) disk.kill_process();
  service->reset();
  database_ = read_bytes(path);
  log_ = read_bytes(path + "-wal");
  if (left == Left::closed) views_ = views_of(path);
}

Opening DamagedStore::opening(const std::string& path, const FaultyDisk& disk) const {
  Opening opening;
  opening.store = path;
  opening.vfs = disk.vfs();
  opening.clock = clock_;
  return opening;
}

/// A bit of everything: every kind of record, names of every length, refusals too.
void DamagedStore::use(Service& service, const std::string& path) {
  std::vector<HoldId> holds;
  GroupId group;
  const auto tell = [&](const Call& call) {
    const std::uint64_t number = witness_.sent(call);
    const Answer answer = submit(service, call);
    witness_.told(number, answer);
    if (answer.ok() && answer.operation == Operation::hold_place) holds.push_back(answer.hold->id);
    if (const auto placed = group_in(answer)) group = placed->id;
    steps_.push_back({log_end(read_bytes(path + "-wal")), service.store().counts().records});
  };
  tell(declare("hall", 5, "declare"));
  tell(declare("wing", 90, "declare wing"));
  const Placing three{.resource = "wing", .requester = "g", .duration = 1h, .quantity = 3};
  const Grouping two{.requester = "g", .duration = 1h, .holds = {{"wing", 2}, {"wing", 1}}};
  for (int i = 0; i < 24; ++i) {
    const std::string name =
        fmt::format("{}{}", i, std::string(static_cast<std::size_t>(i * 9), 'n'));
    tell(place({.resource = i % 3 == 0 ? "hall" : name, .requester = name, .duration = 1h + i * 1s},
               "place-" + name));
    if (i % 4 == 1) tell(confirm(holds.back(), "confirm-" + name));
    if (i % 4 == 2) tell(release(holds.back(), "release-" + name));
    if (i % 4 == 3) tell(expire(holds.front(), "expire-" + name));
    if (i % 8 == 0)
      tell(place({.resource = "other", .requester = "x", .duration = 1h}, "place-" + name));
    clock_->advance(1s);
    if (i % 6 != 5) continue;
    tell(place(three, "three-" + name));
    tell(extend(holds.back(), 2h, "extend-" + name));
    tell(confirm_part(holds.back(), 1, "part-" + name));
    tell(cancel(holds.back(), "cancel-" + name));
    tell(confirm_finally(holds.back(), 1, "final-" + name));
    tell(place_group(two, "group-" + name));
    tell(extend_group(group, 2h, "group-extend-" + name));
    tell(i % 4 == 1 ? confirm_group(group, "group-end-" + name)
                    : release_group(group, "group-end-" + name));
  }
}

DamagedStore::Verdict DamagedStore::try_to_open(const std::string& database) const {
  const TempDir dir;
  const std::string path = dir.file("store.db");
  write_bytes(path, database);
  const FaultyDisk disk(DiskMemory::unsynced);
  Verdict verdict;
  auto service = open_service(opening(path, disk));
  if (!service) {
    verdict.refusal = service.error().message;
    if (verdict.refusal.find(path) == std::string::npos) {
      verdict.complaints.push_back("the refusal names no file");
    }
    return verdict;
  }
  verdict.opened = true;
  if (views_of(path) != views_) verdict.complaints.push_back("the views say something else");
  Witness witness = witness_;
  if (verdict.found_out(witness.judge(**service, witness.calls(), 1))) return verdict;

  const Call next = place({.resource = "next", .requester = "g", .duration = 1h}, "next");
  const std::uint64_t number = witness.sent(next);
  witness.told(number, submit(**service, next));
  service->reset();
  service = open_service(opening(path, disk));
  if (!service) {
    verdict.found_out({service.error().message});
  } else {
    verdict.found_out(witness.judge(**service, witness.calls(), 1));
  }
  return verdict;
}

bool DamagedStore::Verdict::found_out(std::vector<std::string> said) {
  for (std::string& each : said) {
    late = each.find("The file is damaged") != std::string::npos ||
           each.find("the journal is damaged at record") != std::string::npos;
    if (late) return true;
    complaints.push_back(std::move(each));
  }
  return false;
}

StoreResult<std::uint64_t> DamagedStore::try_records_in(const std::string& database,
                                                        const std::string& log) const {
  const TempDir dir;
  const std::string path = dir.file("store.db");
  write_bytes(path, database);
  if (!log.empty()) write_bytes(path + "-wal", log);
  FaultyDisk disk(DiskMemory::unsynced);
  auto service = open_service(opening(path, disk));
  if (!service) {
    EXPECT_EQ(read_bytes(path + "-wal"), log) << "what is refused is left as it is";
    return tl::unexpected(service.error());
  }
  EXPECT_THAT(violations((*service)->store()), ::testing::IsEmpty());
  return (*service)->store().counts().records;
}

std::uint64_t DamagedStore::records_in(const std::string& database, const std::string& log) const {
  const auto records = try_records_in(database, log);
  if (records) return *records;
  ADD_FAILURE() << records.error().message;
  return 0;
}

}  // namespace holdfast::test

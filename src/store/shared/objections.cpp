#include "store/shared/objections.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace holdfast::shared {

StoreError to_error(const Driver& driver, const Fault& fault) {
  const bool unknown = fault.trouble == Trouble::unknown;
  return {.effect = unknown ? Effect::unknown : Effect::none,
          .message = fmt::format("{}: {}", driver.name(), fault.message)};
}

std::string objection_to(const Description& found) {
  if (found.schema_version == schema_version && found.half_copied) return std::string(half_copy);
  if (found.schema_version == schema_version) return {};
  if (found.schema_version >= schema_oldest && found.schema_version < schema_version) {
    return fmt::format(
        "the store has schema {}, this program needs schema {}. Make a backup, stop every node, "
        "and run `holdfast store upgrade`.",
        found.schema_version, schema_version);
  }
  return objection_to_upgrade(found);
}

std::string objection_to_upgrade(const Description& found) {
  if (found.schema_version == 0)
    return "there is no store in this database. `holdfast store init` makes one.";
  if (found.schema_version < schema_oldest) {
    return fmt::format("the store has schema {}, this program knows none below {}.",
                       found.schema_version, schema_oldest);
  }
  if (found.schema_version <= schema_version) return {};
  return fmt::format(
      "the store has schema {}, this program knows none above {}. Use the version of Holdfast that "
      "upgraded it.",
      found.schema_version, schema_version);
}

std::string at_work(const std::vector<std::string>& others, std::string_view why) {
  return fmt::format(
      "somebody is at work in this database: {}. Stop every node, and whatever else reads or "
      "writes the store, and try again: {}.",
      fmt::join(others, ", "), why);
}

StoreResult<void> check_version(const Driver& driver, const Description& found) {
  const std::string objection = objection_to(found);
  if (objection.empty()) return {};
  return tl::unexpected(StoreError{.message = fmt::format("{}: {}", driver.name(), objection)});
}

StoreResult<std::vector<Record>> linked(const Driver& driver, Links links,
                                        std::vector<StoredRecord> found) {
  std::vector<Record> records;
  records.reserve(found.size());
  for (StoredRecord& each : found) {
    if (!links.holds(each.record, each.checksum, each.as_written)) {
      return tl::unexpected(
          damaged_journal(driver.name(), each.record.seq, "its checksum does not match"));
    }
    if (links.wants(each.record)) records.push_back(std::move(each.record));
  }
  return records;
}

}  // namespace holdfast::shared

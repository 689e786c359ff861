// The judge of the records of commands: from what they say, and from nothing else.

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "modules/commands/commands.hpp"
#include "modules/commands/details.hpp"
#include "modules/commands/kinds.hpp"
#include "modules/commands/registry_row.hpp"

namespace holdfast::commands {
namespace {

/// The places of the invariants in the module's table.
enum Rule : std::size_t { one_open, known, one_end, fences, registries };

class Books final : public ModuleBooks {
 public:
  void see(const Record& record, ModuleFindings& findings) override {
    if (record.kind == kinds::approved) return;
    if (record.kind == kinds::leased) return lease(record, findings);
    if (record.kind == kinds::registry) return adopt(record, findings);
    const std::string id = id_in(record.detail);
    const bool submission = record.kind == kinds::accepted || record.kind == kinds::executed ||
                            record.kind == kinds::rejected;
    if (submission) return submit(record, id, findings);
    Entry* const entry = find(record, id, findings);
    if (entry == nullptr) return;
    record.kind == kinds::settled ? settle(record, *entry, findings)
                                  : move(record, *entry, findings);
  }

 private:
  struct Entry {
    std::string tenant{};
    Status status = Status::in_progress;
    std::uint64_t fence = 0;
  };

  void submit(const Record& record, const std::string& id, ModuleFindings& findings) {
    const bool readable = !row_key_in(id).empty();
    findings.check(known, readable, record, [] { return "it names no command"; });
    if (!readable) return;
    std::string& last = last_[std::string(row_key_in(id))];
    const auto before = entries_.find(last);
    const bool free = before == entries_.end() || before->second.status != Status::in_progress;
    findings.check(one_open, free, record,
                   [&] { return fmt::format("command {} of the same key is in progress", last); });
    const bool first = !entries_.contains(id);
    findings.check(one_open, first, record,
                   [&] { return fmt::format("command {} was submitted before", id); });
    last = id;
    Status status = Status::in_progress;
    if (record.kind == kinds::executed) status = Status::executed;
    if (record.kind == kinds::rejected) status = Status::rejected;
    entries_[id] = {.tenant = record.tenant, .status = status};
  }

  void lease(const Record& record, ModuleFindings& findings) {
    const auto said = Leased::read(record.detail);
    findings.check(known, said.has_value(), record, [] { return "it names no effects"; });
    if (!said) return;
    for (const Leased::Item& each : said->items) {
      const auto found = entries_.find(each.id);  // of any tenant: a dispatcher serves them all
      const bool open = found != entries_.end() && found->second.status == Status::in_progress;
      findings.check(known, open, record,
                     [&] { return fmt::format("command {} is not in progress", each.id); });
      if (!open) continue;
      advance(record, found->second, each.fence, 1, findings);
    }
  }

  void settle(const Record& record, Entry& entry, ModuleFindings& findings) {
    const auto said = Settled::read(record.detail);
    findings.check(one_end, said.has_value(), record, [] { return "it says no status"; });
    if (!said) return;
    const bool ends = said->status == Status::executed || said->status == Status::failed ||
                      said->status == Status::compensated;
    findings.check(one_end, ends, record, [&] {
      return fmt::format("{} is no status that a command can end in", name(said->status));
    });
    if (!ends) return;
    const Status before = entry.status;
    const bool may = before == Status::in_progress ||
                     (before == Status::failed && said->status != Status::failed) ||
                     (before == Status::executed && said->status == Status::compensated);
    findings.check(one_end, may, record, [&] {
      return fmt::format("the command was {} already, and is said to be {}", name(before),
                         name(said->status));
    });
    if (said->fence != 0) advance(record, entry, said->fence, 0, findings);
    entry.status = said->status;
  }

  void move(const Record& record, Entry& entry, ModuleFindings& findings) {
    const auto said = Moved::read(record.detail);
    findings.check(known, said.has_value(), record,
                   [] { return "it does not say how its effect stands"; });
    if (!said) return;
    const bool reopens = record.kind == kinds::reopened && entry.status == Status::failed;
    findings.check(one_end, entry.status == Status::in_progress || reopens, record,
                   [&] { return fmt::format("the command was {} already", name(entry.status)); });
    entry.status = Status::in_progress;
    advance(record, entry, said->fence, 0, findings);
  }

  void adopt(const Record& record, ModuleFindings& findings) {
    const auto said = RegistryRow::read(record.detail);
    const bool follows = said && said->digest != registry_ && said->previous == registry_;
    findings.check(registries, follows, record,
                   [] { return "it does not follow the registry adopted before"; });
    if (said) registry_ = said->digest;
  }

  /// A fence never falls, and each lease has the next one.
  static void advance(const Record& record, Entry& entry, std::uint64_t fence, std::uint64_t step,
                      ModuleFindings& findings) {
    findings.check(fences, fence == entry.fence + step, record, [&] {
      return fmt::format("the fence is {}, and {} was to come", fence, entry.fence + step);
    });
    entry.fence = std::max(entry.fence, fence);
  }

  Entry* find(const Record& record, const std::string& id, ModuleFindings& findings) {
    const auto found = entries_.find(id);
    const bool good = found != entries_.end() && found->second.tenant == record.tenant;
    findings.check(known, good, record,
                   [&] { return fmt::format("no record submitted command {}", id); });
    return good ? &found->second : nullptr;
  }

  std::string registry_;                               // the digest of the one in force
  std::unordered_map<std::string, Entry> entries_;     // by id
  std::unordered_map<std::string, std::string> last_;  // of each row's key, the id submitted last
};

}  // namespace

std::unique_ptr<ModuleBooks> make_books() { return std::make_unique<Books>(); }

}  // namespace holdfast::commands

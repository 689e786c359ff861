// The judge of the records of webhooks: from what they say, and from nothing else.

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "modules/webhooks/details.hpp"
#include "modules/webhooks/kinds.hpp"
#include "modules/webhooks/webhooks.hpp"

namespace holdfast::webhooks {
namespace {

/// The places of the invariants in the module's table.
enum Rule : std::size_t { taken_once, known, done_once, fences };

class Books final : public ModuleBooks {
 public:
  void see(const Record& record, ModuleFindings& findings) override {
    if (record.kind == kinds::leased) return lease(record, findings);
    const std::string id = id_in(record.detail);
    if (record.kind == kinds::received) return receive(record, id, findings);
    Entry* const entry = find(record, id, findings);
    if (entry == nullptr) return;
    record.kind == kinds::completed ? complete(record, *entry, findings)
                                    : move(record, *entry, findings);
  }

 private:
  struct Entry {
    std::string tenant{};
    Status status = Status::received;
    std::uint64_t fence = 0;
  };

  void receive(const Record& record, const std::string& id, ModuleFindings& findings) {
    const bool readable = !row_key_in(id).empty();
    findings.check(known, readable, record, [] { return "it names no entry"; });
    if (!readable) return;
    std::string& last = last_[std::string(row_key_in(id))];
    const auto before = entries_.find(last);
    const bool free = before == entries_.end() || before->second.status == Status::done;
    findings.check(taken_once, free, record,
                   [&] { return fmt::format("entry {} of the same event is not done", last); });
    findings.check(taken_once, !entries_.contains(id), record,
                   [&] { return fmt::format("entry {} was taken in before", id); });
    last = id;
    entries_[id] = {.tenant = record.tenant};
  }

  void lease(const Record& record, ModuleFindings& findings) {
    const auto said = Leased::read(record.detail);
    findings.check(known, said.has_value(), record, [] { return "it names no entries"; });
    if (!said) return;
    for (const Leased::Item& each : said->items) {
      const auto found = entries_.find(each.id);  // of any tenant: a dispatcher serves them all
      const bool open = found != entries_.end() && found->second.status == Status::received;
      findings.check(known, open, record,
                     [&] { return fmt::format("entry {} does not wait", each.id); });
      if (!open) continue;
      found->second.status = Status::processing;
      advance(record, found->second, each.fence, 1, findings);
    }
  }

  void complete(const Record& record, Entry& entry, ModuleFindings& findings) {
    const auto said = Completed::read(record.detail);
    findings.check(done_once, said.has_value(), record, [] { return "it says no status"; });
    if (!said) return;
    findings.check(done_once, entry.status == Status::processing, record, [&] {
      return fmt::format("nobody is at work on the entry, which is {}", name(entry.status));
    });
    advance(record, entry, said->fence, 0, findings);
    entry.status = Status::done;
  }

  void move(const Record& record, Entry& entry, ModuleFindings& findings) {
    const auto said = Moved::read(record.detail);
    findings.check(known, said.has_value(), record,
                   [] { return "it does not say how its entry stands"; });
    if (!said) return;
    const bool rests = entry.status == Status::received || entry.status == Status::dead;
    const bool reopens = record.kind == kinds::reopened && rests;
    findings.check(done_once, entry.status == Status::processing || reopens, record, [&] {
      return fmt::format("nobody is at work on the entry, which is {}", name(entry.status));
    });
    entry.status = said->dead ? Status::dead : Status::received;
    advance(record, entry, said->fence, 0, findings);
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
                   [&] { return fmt::format("no record took entry {} in", id); });
    return good ? &found->second : nullptr;
  }

  std::unordered_map<std::string, Entry> entries_;     // by id
  std::unordered_map<std::string, std::string> last_;  // of each row's key, the id taken in last
};

}  // namespace

std::unique_ptr<ModuleBooks> make_books() { return std::make_unique<Books>(); }

}  // namespace holdfast::webhooks

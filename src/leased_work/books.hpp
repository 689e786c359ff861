#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <unordered_map>

#include "domain/module_books.hpp"
#include "leased_work/details.hpp"

/// The books of leased work: what the judge of a module's records checks, whatever the work. As all
/// books they know only what the records say, and share nothing with what decides and applies them.
namespace holdfast::leased_work {

/// The places in the module's table of the invariants that are checked here.
struct BookRules {
  std::size_t begun_once;  ///< a key has one piece of work that is open, and each is a new one
  std::size_t known;       ///< every record names work that was begun
  std::size_t fences;      ///< a fence is one more with each lease, and never falls
};

/// What is found, in the module's words. Where it says `{}` stands an id.
struct BookWords {
  std::string_view names_none;
  std::string_view names_no_list;
  std::string_view key_in_use;
  std::string_view begun_before;
  std::string_view not_begun;
  std::string_view not_to_be_leased;
};

/// `Status` is how a piece of work stands, in the words of its module.
template <typename Status>
class WorkBooks {
 public:
  struct Entry {
    std::string tenant{};
    Status status{};
    std::uint64_t fence = 0;
  };

  WorkBooks(const BookRules& rules, const BookWords& words) : rules_(rules), words_(words) {}

  /// A record that begins work of that id and key. `ended` says whether what stands so leaves its
  /// key to the next.
  template <typename Ended>
  void begin(const Record& record, const std::string& id, std::string_view key, Status status,
             ModuleFindings& findings, const Ended& ended) {
    findings.check(rules_.known, !key.empty(), record,
                   [&] { return std::string(words_.names_none); });
    if (key.empty()) return;
    std::string& last = last_[std::string(key)];
    const auto before = entries_.find(last);
    findings.check(rules_.begun_once, before == entries_.end() || ended(before->second.status),
                   record, [&] { return say(words_.key_in_use, last); });
    findings.check(rules_.begun_once, !entries_.contains(id), record,
                   [&] { return say(words_.begun_before, id); });
    last = id;
    entries_[id] = {.tenant = record.tenant, .status = status};
  }

  /// A record that gives work away that stands in one way, and in another afterwards.
  void lease(const Record& record, const std::optional<Leased>& said, Status from, Status to,
             ModuleFindings& findings) {
    findings.check(rules_.known, said.has_value(), record,
                   [&] { return std::string(words_.names_no_list); });
    if (!said) return;
    for (const Leased::Item& each : said->items) {
      const auto found = entries_.find(each.id);  // of any tenant: a dispatcher serves them all
      const bool waits = found != entries_.end() && found->second.status == from;
      findings.check(rules_.known, waits, record,
                     [&] { return say(words_.not_to_be_leased, each.id); });
      if (!waits) continue;
      found->second.status = to;
      advance(record, found->second, each.fence, 1, findings);
    }
  }

  /// The work that a record is about; null if none of its tenant was begun.
  [[nodiscard]] Entry* find(const Record& record, const std::string& id, ModuleFindings& findings) {
    const auto found = entries_.find(id);
    const bool good = found != entries_.end() && found->second.tenant == record.tenant;
    findings.check(rules_.known, good, record, [&] { return say(words_.not_begun, id); });
    return good ? &found->second : nullptr;
  }

  /// A record that says the fence of work that was leased.
  void stay(const Record& record, Entry& entry, std::uint64_t fence, ModuleFindings& findings) {
    advance(record, entry, fence, 0, findings);
  }

 private:
  /// A fence never falls, and each lease has the next one.
  void advance(const Record& record, Entry& entry, std::uint64_t fence, std::uint64_t step,
               ModuleFindings& findings) {
    findings.check(rules_.fences, fence == entry.fence + step, record, [&] {
      return fmt::format("the fence is {}, and {} was to come", fence, entry.fence + step);
    });
    entry.fence = std::max(entry.fence, fence);
  }

  static std::string say(std::string_view words, std::string_view id) {
    return fmt::format(fmt::runtime(words), id);
  }

  BookRules rules_;
  BookWords words_;
  std::unordered_map<std::string, Entry> entries_;     // by id
  std::unordered_map<std::string, std::string> last_;  // of each key, the id begun last
};

}  // namespace holdfast::leased_work

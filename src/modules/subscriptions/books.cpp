// The judge of the records of subscriptions.

#include <fmt/format.h>

#include <map>
#include <optional>
#include <string>
#include <utility>

#include "modules/subscriptions/subscription_row.hpp"
#include "modules/subscriptions/subscriptions.hpp"

namespace holdfast::subscriptions {
namespace {

/// The places of the invariants in the module's table.
enum Rule : std::size_t { known, cursors, fences };

class Books final : public ModuleBooks {
 public:
  void see(const Record& record, ModuleFindings& findings) override {
    const auto row = SubscriptionRow::read(record.detail);
    const Name name(record.tenant, row ? row->id : std::string());
    const bool there = entries_.contains(name);
    const bool good =
        row && row->tenant == record.tenant && there != (record.kind == kinds::created);
    findings.check(known, good, record, [&] {
      return row ? fmt::format("subscription {} is {}", row->id,
                               there ? "there already" : "not there")
                 : std::string("it says of no subscription how it stands");
    });
    if (!row) return;
    if (record.kind == kinds::deleted) {
      entries_.erase(name);
      return;
    }
    Entry& entry = entries_[name];
    if (there) follow(record, *row, entry, findings);
    entry = {row->cursor, row->fence};
  }

 private:
  using Name = std::pair<std::string, std::string>;  // tenant, id
  struct Entry {
    std::uint64_t cursor = 0;
    std::uint64_t fence = 0;
  };

  static void follow(const Record& record, const SubscriptionRow& row, const Entry& before,
                     ModuleFindings& findings) {
    const bool forward = record.kind == kinds::rewound || row.cursor >= before.cursor;
    findings.check(cursors, forward && row.cursor <= record.seq, record, [&] {
      return fmt::format("the cursor goes from {} to {}", before.cursor, row.cursor);
    });
    const bool steps = record.kind == kinds::leased || record.kind == kinds::rewound;
    findings.check(fences, row.fence == before.fence + (steps ? 1 : 0), record, [&] {
      return fmt::format("the fence goes from {} to {}", before.fence, row.fence);
    });
  }

  std::map<Name, Entry> entries_;
};

}  // namespace

std::unique_ptr<ModuleBooks> make_books() { return std::make_unique<Books>(); }

}  // namespace holdfast::subscriptions

// The judge of the records of webhooks: from what they say, and from nothing else.

#include <fmt/format.h>

#include "leased_work/books.hpp"
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
    if (record.kind == kinds::leased) {
      return works_.lease(record, read_leased(record.detail), Status::received, Status::processing,
                          findings);
    }
    const std::string id = id_in(record.detail);
    if (record.kind == kinds::received) {
      return works_.begin(record, id, row_key_in(id), Status::received, findings,
                          [](Status before) { return before == Status::done; });
    }
    Works::Entry* const entry = works_.find(record, id, findings);
    if (entry == nullptr) return;
    record.kind == kinds::completed ? complete(record, *entry, findings)
                                    : move(record, *entry, findings);
  }

 private:
  using Works = leased_work::WorkBooks<Status>;

  void complete(const Record& record, Works::Entry& entry, ModuleFindings& findings) {
    const auto said = Completed::read(record.detail);
    findings.check(done_once, said.has_value(), record, [] { return "it says no status"; });
    if (!said) return;
    findings.check(done_once, entry.status == Status::processing, record, [&] {
      return fmt::format("nobody is at work on the entry, which is {}", name(entry.status));
    });
    works_.stay(record, entry, said->fence, findings);
    entry.status = Status::done;
  }

  void move(const Record& record, Works::Entry& entry, ModuleFindings& findings) {
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
    works_.stay(record, entry, said->lease.fence, findings);
  }

  Works works_{{.begun_once = taken_once, .known = known, .fences = fences},
               {.names_none = "it names no entry",
                .names_no_list = "it names no entries",
                .key_in_use = "entry {} of the same event is not done",
                .begun_before = "entry {} was taken in before",
                .not_begun = "no record took entry {} in",
                .not_to_be_leased = "entry {} does not wait"}};
};

}  // namespace

std::unique_ptr<ModuleBooks> make_books() { return std::make_unique<Books>(); }

}  // namespace holdfast::webhooks

// The judge of the records of commands: from what they say, and from nothing else.

#include <fmt/format.h>

#include "leased_work/books.hpp"
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
    if (record.kind == kinds::leased) {
      return works_.lease(record, read_leased(record.detail), Status::in_progress,
                          Status::in_progress, findings);
    }
    if (record.kind == kinds::registry) return adopt(record, findings);
    const std::string id = id_in(record.detail);
    const bool submission = record.kind == kinds::accepted || record.kind == kinds::executed ||
                            record.kind == kinds::rejected;
    if (submission) return submit(record, id, findings);
    Works::Entry* const entry = works_.find(record, id, findings);
    if (entry == nullptr) return;
    record.kind == kinds::settled ? settle(record, *entry, findings)
                                  : move(record, *entry, findings);
  }

 private:
  using Works = leased_work::WorkBooks<Status>;

  void submit(const Record& record, const std::string& id, ModuleFindings& findings) {
    Status status = Status::in_progress;
    if (record.kind == kinds::executed) status = Status::executed;
    if (record.kind == kinds::rejected) status = Status::rejected;
    works_.begin(record, id, row_key_in(id), status, findings,
                 [](Status before) { return before != Status::in_progress; });
  }

  void settle(const Record& record, Works::Entry& entry, ModuleFindings& findings) {
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
    if (said->fence != 0) works_.stay(record, entry, said->fence, findings);
    entry.status = said->status;
  }

  void move(const Record& record, Works::Entry& entry, ModuleFindings& findings) {
    const auto said = Moved::read(record.detail);
    findings.check(known, said.has_value(), record,
                   [] { return "it does not say how its effect stands"; });
    if (!said) return;
    const bool reopens = record.kind == kinds::reopened && entry.status == Status::failed;
    findings.check(one_end, entry.status == Status::in_progress || reopens, record,
                   [&] { return fmt::format("the command was {} already", name(entry.status)); });
    entry.status = Status::in_progress;
    works_.stay(record, entry, said->lease.fence, findings);
  }

  void adopt(const Record& record, ModuleFindings& findings) {
    const auto said = RegistryRow::read(record.detail);
    const bool follows = said && said->digest != registry_ && said->previous == registry_;
    findings.check(registries, follows, record,
                   [] { return "it does not follow the registry adopted before"; });
    if (said) registry_ = said->digest;
  }

  std::string registry_;  // the digest of the one in force
  Works works_{{.begun_once = one_open, .known = known, .fences = fences},
               {.names_none = "it names no command",
                .names_no_list = "it names no effects",
                .key_in_use = "command {} of the same key is in progress",
                .begun_before = "command {} was submitted before",
                .not_begun = "no record submitted command {}",
                .not_to_be_leased = "command {} is not in progress"}};
};

}  // namespace

std::unique_ptr<ModuleBooks> make_books() { return std::make_unique<Books>(); }

}  // namespace holdfast::commands

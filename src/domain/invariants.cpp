#include "domain/invariants.hpp"

#include <fmt/format.h>

#include "domain/invariants_findings.hpp"
#include "domain/invariants_holds.hpp"
#include "domain/invariants_tokens.hpp"
#include "domain/module.hpp"

namespace holdfast {
namespace {

using audit::Invariant;
using audit::us;
using audit::when;

HashKey draw_key() {
  HashKey key{};
  system_random()->fill({reinterpret_cast<std::uint8_t*>(key.data()), sizeof key});
  return key;
}

}  // namespace

std::span<const InvariantRow> invariants() {
  static const std::vector<InvariantRow> all = [] {
    std::vector<InvariantRow> rows(invariant_table.begin(), invariant_table.end());
    for (const Module* each : modules())
      rows.insert(rows.end(), each->invariants.begin(), each->invariants.end());
    return rows;
  }();
  return all;
}

namespace {

/// The books of the modules that have some.
class AllModuleBooks {
 public:
  explicit AllModuleBooks(audit::Findings& findings) {
    std::size_t first = invariant_count;
    for (const Module* each : modules()) {
      if (each->books != nullptr) books_.emplace_back(each, first, findings);
      first += each->invariants.size();
    }
  }

  void see(const Record& record) {
    if (books_.empty()) return;
    for (Book& each : books_) {
      if (module_of(record.kind) == each.module) each.books->see(record, each);
    }
  }

 private:
  struct Book final : ModuleFindings {
    Book(const Module* whose, std::size_t first_row, audit::Findings& all)
        : module(whose), first(first_row), findings(&all), books(whose->books()) {}
    void check(std::size_t invariant, bool good, const Record& record,
               const std::function<std::string()>& text) override {
      findings->check(first + invariant, good, record, text);
    }

    const Module* module;
    std::size_t first;
    audit::Findings* findings;
    std::unique_ptr<ModuleBooks> books;
  };
  std::vector<Book> books_;
};

}  // namespace

/// The two atoms do not know each other, and neither do their books.
struct Audit::Books {
  explicit Books(const Rules& rules) : tokens(rules, names, findings) {}

  void check_order(const Record& record);

  const audit::Names names{draw_key()};
  audit::Findings findings;
  audit::HoldBooks holds{names, findings};
  audit::TokenBooks tokens;
  AllModuleBooks modules{findings};
  std::uint64_t last_seq = 0;
  Instant last_at{};
};

/// The journal itself: nothing is missing, nothing is in doubt, time does not run backward.
void Audit::Books::check_order(const Record& record) {
  findings.check(Invariant::pc_10, record.seq == last_seq + 1, record, [&] {
    return record.seq <= last_seq
               ? fmt::format("record {} stands after record {}", record.seq, last_seq)
               : fmt::format("records {} to {} are missing", last_seq + 1, record.seq - 1);
  });
  findings.check(Invariant::pc_10, !name(record.kind).empty(), record, [&] {
    return fmt::format("what the record said is lost: there is no kind {}",
                       static_cast<int>(record.kind));
  });
  const bool first = findings.report().records == 0;
  findings.check(Invariant::pc_8, first || last_at <= record.at, record, [&] {
    return fmt::format("recorded at {}, after a record of {}", when(us(record.at)),
                       when(us(last_at)));
  });
  ++findings.report().records;
  last_seq = record.seq;
  last_at = record.at;
}

Audit::Audit(const Rules& rules) : books_(std::make_unique<Books>(rules)) {}
Audit::~Audit() = default;
Audit::Audit(Audit&&) noexcept = default;
Audit& Audit::operator=(Audit&&) noexcept = default;

void Audit::see(const Record& record) {
  books_->check_order(record);
  books_->holds.see(record);
  books_->tokens.see(record);
  books_->modules.see(record);
}

AuditReport Audit::finish() {
  audit::Findings& findings = books_->findings;
  books_->tokens.finish();
  findings.summarise(Invariant::ir_5, Invariant::pc_1, Invariant::pc_10);
  findings.summarise(Invariant::ir_6, Invariant::dp_1, Invariant::dp_4);
  AuditReport report = std::move(findings.report());
  report.holds = books_->holds.holds();
  report.tokens = books_->tokens.tokens();
  report.resources = books_->holds.resources();
  return report;
}

}  // namespace holdfast

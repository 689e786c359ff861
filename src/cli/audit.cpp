#include <fmt/format.h>

#include <memory>
#include <numeric>

#include "cli/auditing.hpp"
#include "cli/backend.hpp"
#include "cli/program.hpp"
#include "cli/table.hpp"
#include "cli/text.hpp"
#include "wire/verdict.hpp"

namespace holdfast::cli {
namespace {

constexpr std::size_t violations_shown = 20;

constexpr Lesson lesson{
    .summary = "Check every invariant from the stored records",
    .paragraph =
        "Reads the whole journal of a store and checks, from the records alone, that every "
        "promise\n"
        "was kept: that holds only moved forward, that no token did two things, that nothing was\n"
        "ever given away twice. Also checks the checksum that chains each record to the one "
        "before.\n"
        "Says what was checked, how often, and each violation. Works while the store is in use. A\n"
        "server is asked to audit its own store.\n"
        "Exit code 0 means that everything holds, 1 that something does not.",
    .examples =
        "  holdfast audit\n"
        "  holdfast audit rooms.db\n"
        "  holdfast audit --store rooms.db --json\n"
        "  holdfast audit --server http://127.0.0.1:8420",
    .remote = true,
    .tenants = false};

constexpr Duration servers_time = std::chrono::minutes(10);  // it reads everything

void print_invariants(Output& out, const AuditReport& report) {
  Table table({{"INVARIANT"}, {"CHECKED", true}, {"VIOLATIONS", true}, {"STATEMENT"}});
  for (std::size_t i = 0; i < invariants().size(); ++i) {
    const bool broken = report.broken[i] != 0;
    table.add({{std::string(invariants()[i].id)},
               {number_text(report.checked[i])},
               {number_text(report.broken[i]), broken ? Colour::red : Colour::plain},
               {std::string(invariants()[i].statement)}});
  }
  table.print(out);
}

void print_violations(Output& out, const AuditReport& report) {
  if (report.clean()) return;
  out.line();
  out.line(out.paint(Colour::red, "Violations"));
  Table table({{}, {}, {}}, "  ");
  const std::size_t shown = std::min(violations_shown, report.violations.size());
  for (std::size_t i = 0; i < shown; ++i) {
    const Violation& each = report.violations[i];
    const std::string hold = each.hold.empty() ? "" : fmt::format("hold {}: ", each.hold);
    table.add({{std::string(each.invariant), Colour::red},
               {fmt::format("record {}", each.seq)},
               {hold + each.text}});
  }
  table.print(out);
  if (report.violations_total > shown) {
    out.line(fmt::format("  … and {} more{}", number_text(report.violations_total - shown),
                         report.violations.size() > shown ? "; --json lists more of them" : ""));
  }
}

void print_chain(Output& out, const Verdict& verdict) {
  out.line();
  const auto& broken = verdict.broken_checksums;
  if (broken.empty()) {
    out.line(fmt::format("Checksum chain: {}, unbroken.", count_text(verdict.checksums, "record")));
    return;
  }
  out.line(out.paint(Colour::red,
                     fmt::format("Checksum chain: broken at {} of {}.", number_text(broken.size()),
                                 count_text(verdict.checksums, "record"))));
  std::string list;
  for (std::size_t i = 0; i < std::min(violations_shown, broken.size()); ++i) {
    list += fmt::format("{}{}", i == 0 ? "" : ", ", broken[i]);
  }
  out.line(fmt::format("  records {}{}", list, broken.size() > violations_shown ? ", …" : ""));
}

void print(Output& out, const Verdict& verdict) {
  const AuditReport& report = verdict.report;
  print_invariants(out, report);
  print_violations(out, report);
  print_chain(out, verdict);
  const std::uint64_t checks =
      std::accumulate(report.checked.begin(), report.checked.end(), std::uint64_t{0});
  const std::string total = fmt::format(
      "{} of {} in {}, {} and {}", count_text(checks, "check"),
      count_text(invariants().size(), "invariant"), count_text(report.records, "record"),
      count_text(report.holds, "hold"), count_text(report.tokens, "token"));
  out.line(verdict.clean()
               ? out.paint(Colour::green, fmt::format("Everything holds: {}.", total))
               : out.paint(Colour::red, fmt::format("{} found by {}.",
                                                    count_text(report.violations_total +
                                                                   verdict.broken_checksums.size(),
                                                               "violation"),
                                                    total)));
}

int conclude(Context& context, const Verdict& verdict, std::string_view body) {
  if (context.settings.json) {
    print_json(context.out, {.body = body});
  } else {
    print(context.out, verdict);
  }
  return verdict.clean() ? 0 : exit_store;
}

int audit_at_server(Context& context) {
  const auto body = ask_server(context, "/v1/audit", servers_time);
  if (!body) return report(context, body.error());
  const auto verdict = read_verdict(*body);
  if (verdict) return conclude(context, *verdict, *body);
  return report(context, store_failure(Error{"the server's verdict is not one this version of "
                                             "holdfast knows; ask with the server's own version"}));
}

int run(Context& context, const std::string& given) {
  if (!given.empty() && !context.settings.server.empty()) {
    return report(context, usage_failure("a server audits its own store; give --server or the "
                                         "name of a store, not both"));
  }
  if (given.empty() && !context.server().empty()) return audit_at_server(context);
  const std::string path = given.empty() ? context.store_path() : given;
  if (const auto error = context.missing_store(path)) {
    return report(context, store_failure(*error));
  }
  const auto verdict = audit_store(context, path);
  if (!verdict) return report(context, store_failure(verdict.error()));
  std::string body;
  JsonWriter json(body);
  write_verdict(json, *verdict);
  return conclude(context, *verdict, body);
}

}  // namespace

void add_audit(Program& program) {
  auto store = std::make_shared<std::string>();
  Options options =
      program.add("audit", lesson, [store](Context& context) { return run(context, *store); });
  options.optional_argument("STORE", *store, "The store's file; --store does as well");
}

}  // namespace holdfast::cli

#include "cli/auditing.hpp"

#include <algorithm>

#include "cli/progress.hpp"
#include "client/json.hpp"

namespace holdfast::cli {
namespace {

using client::Json;

Error read_error(const StoreError& error) { return {error.message, error.effect}; }

/// Its place in the table; the table's size if it has none.
std::size_t index_of(const std::optional<std::string>& invariant) {
  const auto rows = invariants();
  const auto found = std::find_if(rows.begin(), rows.end(),
                                  [&](const InvariantRow& each) { return each.id == invariant; });
  return static_cast<std::size_t>(found - rows.begin());
}

bool read_count(const Json& json, std::string_view name, std::uint64_t& count) {
  const auto number = json.integer(name);
  count = static_cast<std::uint64_t>(std::max<std::int64_t>(number.value_or(0), 0));
  return number && *number >= 0;
}

bool read_invariants(const Json& json, AuditReport& report) {
  const auto rows = json.array("invariants");
  if (!rows || rows->size() != invariants().size()) return false;
  return std::all_of(rows->begin(), rows->end(), [&](const Json& each) {
    const std::size_t at = index_of(each.text("id"));
    return at < invariants().size() && read_count(each, "checked", report.checked[at]) &&
           read_count(each, "violations", report.broken[at]);
  });
}

bool read_violations(const Json& json, AuditReport& report) {
  const auto rows = json.array("violations");
  if (!rows) return false;
  return std::all_of(rows->begin(), rows->end(), [&](const Json& each) {
    const std::size_t at = index_of(each.text("invariant"));
    if (at == invariants().size()) return false;
    Violation& violation = report.violations.emplace_back();
    violation.invariant = invariants()[at].id;
    violation.hold = each.text("hold").value_or("");
    violation.text = each.text("detail").value_or("");
    return read_count(each, "seq", violation.seq);
  });
}

bool read_checksums(const std::optional<Json>& json, Verdict& verdict) {
  const auto broken = json ? json->numbers("broken") : std::nullopt;
  if (!broken || !read_count(*json, "checked", verdict.checksums)) return false;
  verdict.broken_checksums.assign(broken->begin(), broken->end());
  return true;
}

}  // namespace

Result<Verdict> audit_store(Context& context, const std::string& path, const AuditWatch& watch) {
  auto reader = read_records(path);
  if (!reader) return tl::unexpected(read_error(reader.error()));
  ProgressLine progress(context.err);
  auto verdict = audit_records(**reader, watch, [&](std::uint64_t done, std::uint64_t all) {
    progress.show_records("auditing", done, all);
  });
  if (!verdict) return tl::unexpected(read_error(verdict.error()));
  return std::move(*verdict);
}

std::optional<Verdict> read_verdict(const std::string& body) {
  const client::Document document(body);
  const auto& json = document.root();
  Verdict verdict;
  AuditReport& report = verdict.report;
  const bool sound =
      json && read_count(*json, "records", report.records) &&
      read_count(*json, "holds", report.holds) && read_count(*json, "tokens", report.tokens) &&
      read_count(*json, "resources", report.resources) &&
      read_count(*json, "violations_total", report.violations_total) &&
      read_invariants(*json, report) && read_violations(*json, report) &&
      read_checksums(json->member("checksums"), verdict) && json->truth("clean") == verdict.clean();
  return sound ? std::optional(std::move(verdict)) : std::nullopt;
}

}  // namespace holdfast::cli

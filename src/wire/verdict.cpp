#include "wire/verdict.hpp"

#include "base/json_members.hpp"
#include "base/utf8.hpp"

namespace holdfast {
namespace {

void write_invariants(JsonWriter& json, const AuditReport& report) {
  json.key("invariants");
  json.begin_array();
  for (std::size_t i = 0; i < invariants().size(); ++i) {
    json.begin_object();
    text_member(json, "id", invariants()[i].id);
    text_member(json, "statement", invariants()[i].statement);
    integer_member(json, "checked", static_cast<std::int64_t>(report.checked[i]));
    integer_member(json, "violations", static_cast<std::int64_t>(report.broken[i]));
    json.end_object();
  }
  json.end_array();
}

void write_violations(JsonWriter& json, const AuditReport& report) {
  json.key("violations");
  json.begin_array();
  for (const Violation& each : report.violations) {
    json.begin_object();
    text_member(json, "invariant", each.invariant);
    integer_member(json, "seq", static_cast<std::int64_t>(each.seq));
    if (!each.hold.empty()) text_member(json, "hold", to_valid_utf8(each.hold));
    text_member(json, "detail", to_valid_utf8(each.text));
    json.end_object();
  }
  json.end_array();
}

}  // namespace

void write_verdict(JsonWriter& json, const Verdict& verdict) {
  const AuditReport& report = verdict.report;
  json.begin_object();
  json.key("clean");
  json.boolean(verdict.clean());
  integer_member(json, "records", static_cast<std::int64_t>(report.records));
  integer_member(json, "holds", static_cast<std::int64_t>(report.holds));
  integer_member(json, "tokens", static_cast<std::int64_t>(report.tokens));
  integer_member(json, "resources", static_cast<std::int64_t>(report.resources));
  write_invariants(json, report);
  write_violations(json, report);
  integer_member(json, "violations_total", static_cast<std::int64_t>(report.violations_total));
  json.key("checksums");
  json.begin_object();
  integer_member(json, "checked", static_cast<std::int64_t>(verdict.checksums));
  json.key("broken");
  json.begin_array();
  for (const std::uint64_t seq : verdict.broken_checksums) {
    json.integer(static_cast<std::int64_t>(seq));
  }
  json.end_array();
  json.end_object();
  json.end_object();
}

}  // namespace holdfast

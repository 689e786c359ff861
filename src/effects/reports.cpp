#include "effects/reports.hpp"

#include "base/utf8.hpp"
#include "domain/digest.hpp"
#include "holdfast/commands.hpp"
#include "modules/commands/json.hpp"

namespace holdfast::effects {
namespace {

constexpr std::size_t error_bytes_max = 500;

std::string_view verdict_text(Verdict verdict) {
  switch (verdict) {
    case Verdict::refused:
      return "refused";
    case Verdict::unknown:
      return "unknown";
    case Verdict::absent:
      return "absent";
    default:
      return "retry";
  }
}

/// As a record may have it: one line, bounded, no half of a character.
std::string line_of(std::string_view error) {
  std::string line = to_valid_utf8(error.substr(0, error_bytes_max));
  for (char& c : line) {
    if (static_cast<unsigned char>(c) < 0x20U || c == 0x7F) c = ' ';
  }
  return line;
}

/// A key is derived where the declaration says that it always is; then the arguments tell one
/// compensation from another.
Token token_of(const Job& job, std::string_view id, const commands::Registry& registry) {
  const commands::Compensation& how = *job.declaration->compensation;
  const auto declared = registry.find(how.entity, how.action);
  if (declared != nullptr && declared->key == commands::KeyOrigin::derived) return Token("");
  return Token("undo-" + sha256(job.id + "\n" + std::string(id)).hex());
}

}  // namespace

Command report_of(const Job& job, const Finding& finding) {
  const auto fence = static_cast<std::int64_t>(job.fence);
  if (finding.verdict == Verdict::done)
    return Command(Completing{.id = job.id, .fence = fence, .result = finding.result});
  return Command(Failing{.id = job.id,
                         .fence = fence,
                         .verdict = std::string(verdict_text(finding.verdict)),
                         .error = line_of(finding.error),
                         .result = finding.result});
}

Call compensation_of(const Job& job, std::string_view id, const commands::Registry& registry) {
  std::string args;
  JsonWriter json(args);
  json.begin_object();
  json.key("args");
  json.raw(job.args_shown);
  text_member(json, "command_id", job.id);
  text_member(json, "id", id);
  json.end_object();
  const commands::Compensation& how = *job.declaration->compensation;
  return {.command = Command(Submitting{.entity = how.entity,
                                        .action = how.action,
                                        .target = job.envelope.target,
                                        .args = std::move(args),
                                        .correlation_id = job.envelope.correlation_id}),
          .token = token_of(job, id, registry),
          .caller = {.tenant = job.tenant, .principal = std::string(engine_principal)}};
}

Compensated compensated_in(const Answer& answer) {
  Compensated how;
  commands::ObjectReader reader(answer.document);
  reader.text("command_id", how.command_id);
  reader.text("status", how.status);
  if (!how.status.empty()) return how;
  how.status = answer.rejection == Rejection::in_progress ? "in_progress" : "refused";
  return how;
}

std::string reconciled_text(const Job& job, std::string_view kept,
                            const std::vector<Compensated>& undone) {
  std::string text;
  JsonWriter json(text);
  json.begin_object();
  commands::optional_json(json, "answer", job.result);
  text_member(json, "kept", kept);
  if (!undone.empty()) {
    json.key("undone");
    json.begin_array();
    for (const Compensated& each : undone) {
      json.begin_object();
      commands::optional_text(json, "command_id", each.command_id);
      text_member(json, "id", each.id);
      text_member(json, "status", each.status);
      json.end_object();
    }
    json.end_array();
  }
  json.end_object();
  return text;
}

}  // namespace holdfast::effects

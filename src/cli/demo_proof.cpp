#include "cli/demo_proof.hpp"

#include <algorithm>
#include <utility>

namespace holdfast::cli {
namespace {

/// One token doing one kind of thing.
using Deed = std::pair<std::string, Operation>;

bool is_effect(const Record& record) {
  return record.kind == RecordKind::placed || record.kind == RecordKind::confirmed ||
         record.kind == RecordKind::released;
}

}  // namespace

bool Proof::exactly_once() const {
  const bool matched = std::all_of(changes.begin(), changes.end(), [](const Comparison& each) {
    return each.missing == 0 && each.surplus == 0 && each.effects == each.done;
  });
  return matched && unanswered == 0 && verdict.clean();
}

Result<Proof> prove(const Stage& stage, const Storm& storm) {
  std::map<Deed, std::uint64_t> told;
  for (const Intent& intent : storm.intents()) {
    told[{intent.token.bytes(), intent.command.operation()}] += intent.done ? 1 : 0;
  }
  std::map<Deed, std::uint64_t> kept;
  auto verdict = audit_store(stage.context, stage.store, [&](const Record& record) {
    const Deed deed{record.token, record.operation};
    if (is_effect(record) && told.contains(deed)) ++kept[deed];  // act one is not part of this
  });
  if (!verdict) return tl::unexpected(verdict.error());

  Proof proof;
  proof.verdict = std::move(*verdict);
  for (Comparison& change : proof.changes) {
    for (const Intent& intent : storm.intents()) {
      if (intent.command.operation() != change.operation) continue;
      ++change.intended;
      ++(intent.done ? change.done : change.refused);
      if (!intent.has_answer) ++proof.unanswered;
    }
    for (const auto& [deed, times] : told) {
      if (deed.second != change.operation) continue;
      const std::uint64_t found = kept[deed];
      change.effects += found;
      change.missing += times > found ? times - found : 0;
      change.surplus += found > times ? found - times : 0;
    }
  }
  return proof;
}

}  // namespace holdfast::cli

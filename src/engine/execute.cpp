// The main path. A batch is loaded, decided and committed; once durable, it is answered.
//
// Why it is exactly once: the records of a request are its effect and its token's outcome
// together, and a batch of records becomes durable as a whole or not at all. Whoever repeats
// the request finds the outcome (and gets it again) or does not (and nothing happened).

#include "engine/execute.hpp"

#include <algorithm>
#include <iterator>

#include "domain/answer.hpp"
#include "domain/apply.hpp"
#include "domain/decide.hpp"
#include "domain/kind.hpp"
#include "domain/module.hpp"

namespace holdfast {
namespace {

/// Whether a commit that got no answer was carried out after all: then the token has the very
/// outcome that was decided for it, and this is still the first answer.
const TokenRow* carried_out(const Work& work, const WorkingSet& rows) {
  if (work.tried_seq == 0) return nullptr;
  const TokenRow* found = rows.token(work.request.key);
  const bool same = found != nullptr && found->seq == work.tried_seq &&
                    found->recorded_at == work.tried_at &&
                    found->fingerprint == work.request.fingerprint;
  return same ? found : nullptr;
}

/// Of what time alone did, the records from there on that are about rows of modules.
void note_swept_rows(const Records& records, std::size_t from, std::vector<Record>& swept) {
  swept.clear();
  std::copy_if(records.begin() + static_cast<std::ptrdiff_t>(from), records.end(),
               std::back_inserter(swept),
               [](const Record& each) { return find_kind(each.kind)->does == StateChange::rows; });
}

}  // namespace

/// A shared store may find that somebody else was at the same rows, or lose the answer to a commit.
/// Either way the batch is decided anew, on what is there now: the tokens tell what happened.
StoreResult<void> Engine::execute(Batch& batch) {
  Effect effect = Effect::none;
  while (true) {
    StoreResult<void> result = attempt(batch);
    if (result) return result;
    if (result.error().effect == Effect::unknown) {
      effect = Effect::unknown;
    } else {
      for (Work& work : batch.work) {
        if (!work.stands) work.tried_seq = 0;  // that did not happen
      }
    }
    if (result.error().again) continue;
    result.error().effect = effect;
    return result;
  }
}

StoreResult<void> Engine::attempt(Batch& batch) {
  enter(Stage::load);
  keys_.requests.clear();
  keys_.due_max = batch.sweep_max;
  keys_.rows = batch.sweep_max > 0 ? std::span<const OwnedRowName>(missing_)
                                   : std::span<const OwnedRowName>();
  for (const Work& work : batch.work) keys_.requests.push_back(&work.request);
  auto begun = store_.begin(keys_);
  if (!begun) return tl::unexpected(begun.error());
  Unit& unit = **begun;
  const Rules& rules = store_.rules();

  if (unit.history_lost) {
    batch.history_lost = true;
    batch.notes.clear();  // of outcomes that are no more
  }

  enter(Stage::decide);
  Records& records = records_;
  records.clear();
  std::size_t applied = 0;
  const auto next_seq = [&] { return unit.next_seq + records.size(); };
  const auto apply_decided = [&] {
    while (applied < records.size()) apply(unit.rows, records[applied++]);
  };

  bool stands = false;
  FreshIds ids(random_, unit.next_ordinal);
  for (Work& work : batch.work) {
    Decision decision;
    if (const TokenRow* outcome = carried_out(work, unit.rows)) {
      decision = {Claim::fresh, *outcome, true};
      work.stands = stands = true;
      batch.notes.clear();  // they were committed with it
    } else {
      decision = decide(unit.rows, work.request, unit.now, ids, next_seq(), rules, records);
    }
    apply_decided();  // later requests of the batch see this one
    work.tried_seq = decision.recorded && decision.claim == Claim::fresh ? decision.outcome.seq : 0;
    work.tried_at = decision.outcome.recorded_at;
    const Spoken spoken = spoken_of(work.request, decision.outcome, unit.rows);
    work.answer = answer_of(work.request, decision, spoken, rules);
  }

  std::vector<OwnedRowName> missing;
  decide_sweep(unit.rows, {unit.due, unit.due_rows, &missing}, unit.now, next_seq(), records);
  note_swept_rows(records, applied, batch.swept_rows);
  apply_decided();
  batch.swept = unit.due.size() + unit.due_rows.size() - missing.size();
  batch.more_due =
      !missing.empty() || std::max(unit.due.size(), unit.due_rows.size()) == batch.sweep_max;
  if (batch.sweep_max > 0) missing_ = std::move(missing);

  for (const Record& each : batch.notes) {
    Record& note = records.emplace_back(each);
    note.seq = next_seq() - 1;
    note.at = unit.now;  // never ahead of the store's time, whatever the clock said meanwhile
    note.first_at = std::min(note.first_at, unit.now);
  }

  if (!records.empty()) {
    enter(Stage::write);
    if (auto committed = unit.commit(records); !committed) return committed;
  } else if (stands) {
    if (auto committed = unit.commit_nothing(); !committed) return committed;
  }
  batch.seq = unit.next_seq - 1 + records.size();  // also what the batch only looked at
  return {};
}

Engine::Engine(Store& store, Random& random, StageObserver observer)
    : store_(store), random_(random), observer_(std::move(observer)) {}

void Engine::enter(Stage stage) const {
  if (observer_) observer_(stage);
}

}  // namespace holdfast

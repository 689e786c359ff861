#include "engine/replay_ledger.hpp"

#include <algorithm>

namespace holdfast {
namespace {

void count(Record& record, Instant at) {
  if (record.count++ == 0) record.first_at = at;
  record.at = std::max(record.at, at);
}

Record start(const Request& request, std::uint64_t seq) {
  Record record;
  record.kind = RecordKind::replayed;
  record.tenant = request.tenant();
  record.principal = request.call.caller.principal;
  record.operation = request.command().operation;
  record.token = request.token();
  record.digest = request.digest;
  record.ref = seq;
  return record;
}

}  // namespace

void ReplayLedger::note(const Request& request, std::uint64_t seq, Instant at) {
  const std::lock_guard lock(mutex_);
  const auto found = entries_.find(seq);
  if (found != entries_.end()) return count(found->second, at);
  if (entries_.size() >= entries_max_) return count(others_, at);
  count(entries_.emplace(seq, start(request, seq)).first->second, at);
}

std::vector<Record> ReplayLedger::take() {
  std::vector<Record> taken;
  const std::lock_guard lock(mutex_);
  taken.reserve(entries_.size() + 1);
  for (auto& [seq, record] : entries_) taken.push_back(std::move(record));
  entries_.clear();
  if (others_.count > 0) {
    others_.kind = RecordKind::replayed;
    taken.push_back(std::move(others_));
    others_ = Record();
  }
  return taken;
}

}  // namespace holdfast

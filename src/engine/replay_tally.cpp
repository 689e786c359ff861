#include "engine/replay_tally.hpp"

#include <algorithm>

namespace holdfast {
namespace {

/// Adds replays between those instants to what was counted.
void count(Record& record, std::int64_t replays, Instant first_at, Instant last_at) {
  record.first_at = record.count == 0 ? first_at : std::min(record.first_at, first_at);
  record.at = record.count == 0 ? last_at : std::max(record.at, last_at);
  record.count += replays;
}

Record start(const Request& request, std::uint64_t seq) {
  Record record;
  record.kind = RecordKind::replayed;
  record.tenant = request.tenant();
  record.principal = request.call.caller.principal;
  record.operation = request.command().operation();
  record.token = request.token();
  record.digest = request.digest;
  record.ref = seq;
  return record;
}

}  // namespace

void ReplayTally::note(const Request& request, std::uint64_t seq, Instant at,
                       std::uint64_t history) {
  const std::lock_guard lock(mutex_);
  if (history != history_) return;
  const auto found = entries_.find(seq);
  if (found != entries_.end()) return count(found->second, 1, at, at);
  if (entries_.size() >= entries_max_) return count(others_, 1, at, at);
  count(entries_.emplace(seq, start(request, seq)).first->second, 1, at, at);
}

std::vector<Record> ReplayTally::take() {
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

void ReplayTally::begin_history() {
  const std::lock_guard lock(mutex_);
  ++history_;
  entries_.clear();
  others_ = Record();
}

void ReplayTally::put_back(std::vector<Record> taken) {
  const std::lock_guard lock(mutex_);
  for (Record& each : taken) {
    const auto found = entries_.find(each.ref);
    const bool full = entries_.size() >= entries_max_;
    if (found != entries_.end()) {
      count(found->second, each.count, each.first_at, each.at);
    } else if (each.ref == 0 || full) {
      count(others_, each.count, each.first_at, each.at);
    } else {
      entries_.emplace(each.ref, std::move(each));
    }
  }
}

}  // namespace holdfast

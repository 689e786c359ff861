#include "engine/copying.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/shown_store.hpp"

namespace holdfast {
namespace {

constexpr std::size_t records_per_step = 1'000;

StoreError refusal(std::string text) { return {.message = std::move(text)}; }

StoreResult<Verdict> audit(const std::string& store, CopyStage stage,
                           const CopyProgress& progress) {
  auto reader = read_records(store);
  if (!reader) return tl::unexpected(reader.error());
  return audit_records(**reader, {},
                       [&](std::uint64_t done, std::uint64_t all) { progress(stage, done, all); });
}

StoreResult<void> append(Store& target, const std::vector<Record>& found) {
  Records records;
  Keys keys;
  for (const Record& each : found) {
    Record& record = records.emplace_back(each);
    if (binds_token(record)) derive(record);
    keys.records.push_back(&record);
  }
  auto unit = target.begin(keys);
  if (!unit) return tl::unexpected(unit.error());
  if ((*unit)->next_seq != records.front().seq) {
    return tl::unexpected(refusal("somebody else writes into the copy: it must not be in use"));
  }
  if (auto done = (*unit)->commit(records); !done) return done;
  return target.sync(records.back().seq);
}

/// Whether the copy has the beginning of the source; then how much of it.
StoreResult<std::uint64_t> common_beginning(RecordReader& source, const Store& target,
                                            const std::string& to) {
  const std::uint64_t have = target.counts().records;
  if (have == 0) return std::uint64_t{0};
  std::vector<Record> theirs;
  if (auto read = source.read(have - 1, 1, theirs); !read) return tl::unexpected(read.error());
  const auto ours = target.records(have - 1, 1);
  if (!ours) return tl::unexpected(ours.error());
  const bool same = theirs.size() == 1 && ours->size() == 1 && theirs.front() == ours->front();
  if (same) return have;
  return tl::unexpected(refusal(fmt::format(
      "{}: it has {} records that are not the beginning of the source. Copy into an empty store.",
      shown_store(to), have)));
}

}  // namespace

StoreResult<Copied> copy_store(const std::string& from, const std::string& to,
                               const CopyProgress& progress) {
  if (from == to) return tl::unexpected(refusal("a store cannot be copied into itself"));
  Copied copied;
  auto source_verdict = audit(from, CopyStage::audit_source, progress);
  if (!source_verdict) return tl::unexpected(source_verdict.error());
  copied.source = std::move(*source_verdict);
  if (!copied.source.clean()) return copied;

  auto source = read_records(from);
  if (!source) return tl::unexpected(source.error());
  std::unique_ptr<Store> owned;
  if (!is_shared(from)) {
    auto opened = open_store({.store = from, .rules = (*source)->rules()});
    if (!opened) return tl::unexpected(opened.error());
    owned = std::move(*opened);
    source = read_records(from);  // once more, now that nobody else can write
    if (!source) return tl::unexpected(source.error());
  }
  // Until the end nobody else can open the copy: a file has another name so long, a database a
  // mark.
  const std::string into = is_shared(to) ? to : to + "-copying";
  if (!is_shared(to)) {
    if (auto free = check_file_name(to); !free) return tl::unexpected(free.error());
  }
  Rules rules = (*source)->rules();
  rules.confirmation_secret = {};  // a copy has one of its own
  auto target =
      open_store({.store = into, .rules = rules, .window = rules.window, .receives_copy = true});
  if (!target) return tl::unexpected(target.error());
  // One database may be known under several addresses.
  const auto same = same_store(from, to);
  if (!same) return tl::unexpected(same.error());
  if (*same) return tl::unexpected(refusal("a store cannot be copied into itself"));
  const auto beginning = common_beginning(**source, **target, to);
  if (!beginning) return tl::unexpected(beginning.error());
  copied.records = copied.resumed = *beginning;
  if (auto marked = mark_copy(to, true); !marked) return tl::unexpected(marked.error());

  const std::size_t step = std::min(records_per_step, (*target)->batch_max());
  std::vector<Record> found;
  while (true) {
    if (auto read = (*source)->read(copied.records, step, found); !read)
      return tl::unexpected(read.error());
    if (found.empty()) break;
    while (!found.empty() && is_part(found.back())) found.pop_back();  // goes with its outcome
    if (found.empty()) return tl::unexpected(refusal("the source ends in the middle of a group"));
    if (auto done = append(**target, found); !done) return tl::unexpected(done.error());
    copied.records = found.back().seq;
    progress(CopyStage::copy, copied.records, (*source)->last_seq());
  }
  target->reset();
  owned.reset();
  const auto afterwards = read_records(from);
  if (!afterwards) return tl::unexpected(afterwards.error());
  if ((*afterwards)->last_seq() != copied.records) {
    return tl::unexpected(refusal(fmt::format(
        "{}: records were added while it was copied. Stop whoever uses it, and copy again: it goes "
        "on where this one ended.",
        shown_store(from))));
  }
  if (auto ended = mark_copy(to, false); !ended) return tl::unexpected(ended.error());

  auto target_verdict = audit(into, CopyStage::audit_target, progress);
  if (!target_verdict) return tl::unexpected(target_verdict.error());
  copied.target = std::move(*target_verdict);
  if (copied.target.report.records != copied.records) {
    return tl::unexpected(
        refusal(fmt::format("{}: {} records were copied and {} are there", shown_store(to),
                            copied.records, copied.target.report.records)));
  }
  if (!is_shared(to) && copied.target.clean()) {
    if (auto named = give_file_name(into, to); !named) return tl::unexpected(named.error());
  }
  return copied;
}

}  // namespace holdfast

#include "base/assert.hpp"
#include "store/checksum.hpp"
#include "store/kept_rules.hpp"
#include "store/shared/objections.hpp"
#include "store/shared/shared_store.hpp"

namespace holdfast::shared {
namespace {

/// The journal of a shared store, checked link by link as it is read, and at its end against the
/// head.
class SharedRecordReader final : public RecordReader {
 public:
  SharedRecordReader(std::unique_ptr<Driver> driver, std::unique_ptr<Session> session,
                     const Rules& rules, const Head& head)
      : driver_(std::move(driver)),
        session_(std::move(session)),
        rules_(rules),
        last_seq_(head.seq),
        last_chain_(head.chain) {}

  StoreResult<void> read(std::uint64_t after, std::size_t limit,
                         std::vector<Record>& out) override {
    out.clear();
    auto found = session_->records(after, limit);
    if (!found) return tl::unexpected(to_error(*driver_, found.error()));
    for (StoredRecord& each : *found) {
      if (each.record.seq > last_seq_) {  // came in while we were reading
        if (auto told = check_told_of(each.record.seq); !told) return told;
        break;
      }
      // After a broken link the chain goes on from what is stored: each break is named once.
      const bool holds = checksum(chain_, each.record) == each.checksum && each.as_written;
      if (!holds) say_broken(each.record.seq);
      chain_ = each.checksum;
      out.push_back(std::move(each.record));
    }
    const std::uint64_t end = out.empty() ? after : out.back().seq;
    if (out.size() < limit && end < last_seq_) say_broken(end + 1);
    if (end == last_seq_ && !out.empty() && chain_ != last_chain_) say_broken(end);
    return {};
  }
  const std::vector<std::uint64_t>& broken() const override { return broken_; }
  std::uint64_t last_seq() const override { return last_seq_; }
  const Rules& rules() const override { return rules_; }

 private:
  static constexpr std::size_t broken_max = 1'000;

  void say_broken(std::uint64_t seq) {
    const bool said = !broken_.empty() && broken_.back() == seq;
    if (!said && broken_.size() < broken_max) broken_.push_back(seq);
  }

  /// A record that somebody put behind the end is not one that was committed meanwhile.
  StoreResult<void> check_told_of(std::uint64_t seq) {
    const auto head = session_->head({});
    if (!head) return tl::unexpected(to_error(*driver_, head.error()));
    if (head->seq < seq) say_broken(seq);
    return {};
  }

  const std::unique_ptr<Driver> driver_;
  const std::unique_ptr<Session> session_;
  const Rules rules_;
  const std::uint64_t last_seq_;
  const std::uint64_t last_chain_;
  std::uint64_t chain_ = 0;
  std::vector<std::uint64_t> broken_;
};

}  // namespace

StoreResult<std::unique_ptr<RecordReader>> read_shared_records(std::unique_ptr<Driver> driver) {
  auto session = driver->connect();
  if (!session) return tl::unexpected(to_error(*driver, session.error()));
  const auto found = (*session)->describe();
  if (!found) return tl::unexpected(to_error(*driver, found.error()));
  if (auto right = check_version(*driver, *found); !right) return tl::unexpected(right.error());
  if (auto sound = check_kept(driver->name(), found->kept); !sound)
    return tl::unexpected(sound.error());
  const auto head = (*session)->head({});
  if (!head) return tl::unexpected(to_error(*driver, head.error()));
  Rules rules;
  adopt(found->kept, rules);
  return std::make_unique<SharedRecordReader>(std::move(driver), std::move(*session), rules, *head);
}

}  // namespace holdfast::shared

#include "base/assert.hpp"
#include "store/checksum.hpp"
#include "store/kept_rules.hpp"
#include "store/shared/shared_store.hpp"

namespace holdfast::shared {
namespace {

/// The journal of a shared store, checked link by link as it is read.
class SharedRecordReader final : public RecordReader {
 public:
  SharedRecordReader(std::unique_ptr<Driver> driver, std::unique_ptr<Session> session, Rules rules,
                     std::uint64_t last_seq)
      : driver_(std::move(driver)),
        session_(std::move(session)),
        rules_(std::move(rules)),
        last_seq_(last_seq) {}

  StoreResult<void> read(std::uint64_t after, std::size_t limit,
                         std::vector<Record>& out) override {
    out.clear();
    auto found = session_->records(after, limit);
    if (!found) return tl::unexpected(to_error(*driver_, found.error()));
    for (StoredRecord& each : *found) {
      if (each.record.seq > last_seq_) break;  // came in while we were reading
      // After a broken link the chain goes on from what is stored: each break is named once.
      const bool holds = checksum(chain_, each.record) == each.checksum && each.as_written;
      if (!holds && broken_.size() < broken_max) broken_.push_back(each.record.seq);
      chain_ = each.checksum;
      out.push_back(std::move(each.record));
    }
    return {};
  }
  const std::vector<std::uint64_t>& broken() const override { return broken_; }
  std::uint64_t last_seq() const override { return last_seq_; }
  const Rules& rules() const override { return rules_; }

 private:
  static constexpr std::size_t broken_max = 1'000;

  const std::unique_ptr<Driver> driver_;
  const std::unique_ptr<Session> session_;
  const Rules rules_;
  const std::uint64_t last_seq_;
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
  return std::make_unique<SharedRecordReader>(std::move(driver), std::move(*session), rules,
                                              head->seq);
}

}  // namespace holdfast::shared
